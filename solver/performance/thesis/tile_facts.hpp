/// \file
/// What a block of the thesis' kernels (kernels/cuda/thesis/) does in one plane, counted from its load strategy and
/// tile: no measurement, no device.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/load_strategy.hpp"

namespace onda {

struct TileFacts {
    std::int64_t loaded = 0;   ///< nodes copied into shared memory, of p[n] with its halo
    std::int64_t passes = 0;   ///< of all threads over the rectangles, one after the other
    std::int64_t sectors = 0;  ///< of 32 bytes that its warps ask for while they copy, each instruction by itself
    std::int64_t bank_cycles =
        0;  ///< of shared memory while its warps read the star: as many as the busiest bank needs
    std::int64_t shared_bytes = 0;  ///< of the block: the plane and both queues
};

/// \param tx, tz threads of the block, the thesis' axes. In single precision; rows of a tile begin on a sector.
TileFacts tile_facts(const LoadStrategy& strategy, std::int64_t tx, std::int64_t tz, int radius);

/// A fact that may tell which strategy is slower, by name.
struct TileFactRow {
    std::string_view name;
    std::int64_t TileFacts::*value;
};
inline constexpr std::array<TileFactRow, 4> kTileFactRows{{{"nodes loaded", &TileFacts::loaded},
                                                           {"passes of the threads", &TileFacts::passes},
                                                           {"sectors asked for", &TileFacts::sectors},
                                                           {"shared-memory cycles", &TileFacts::bank_cycles}}};

}  // namespace onda
