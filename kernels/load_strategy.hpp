/// \file
/// The four load strategies of the in-plane method (Ribero Figueroa 2016; Tang et al. 2013), as data.
///
/// A strategy is the list of rectangles that are copied from a plane of the wavefield into the tile buffer. CPU and
/// CUDA share these lists: a copy loop or a bulk-tensor box per rectangle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/host_device.hpp"

namespace onda {

/// A coordinate of the tile frame along one axis, for a core of `tile` nodes with halo r.
enum class Edge { low_halo, core_begin, core_end, high_halo };  ///< -r, 0, tile, tile + r

ONDA_HOST_DEVICE constexpr std::int64_t position(Edge edge, std::int64_t tile, std::int64_t radius) {
    switch (edge) {
        case Edge::low_halo: return -radius;
        case Edge::core_begin: return 0;
        case Edge::core_end: return tile;
        case Edge::high_halo: return tile + radius;
    }
    return 0;
}

/// A half-open rectangle [x_begin, x_end) x [y_begin, y_end) in the tile frame.
struct Rectangle {
    Edge x_begin, x_end, y_begin, y_end;
};

struct LoadStrategy {
    std::string_view name;
    std::string_view help;
    Rectangle rectangle_list[5];
    int rectangle_count;

    [[nodiscard]] constexpr std::span<const Rectangle> rectangles() const {
        return {rectangle_list, static_cast<std::size_t>(rectangle_count)};
    }
};

namespace tile_part {
using enum Edge;
inline constexpr Rectangle core{core_begin, core_end, core_begin, core_end};
inline constexpr Rectangle left{low_halo, core_begin, core_begin, core_end};
inline constexpr Rectangle right{core_end, high_halo, core_begin, core_end};
inline constexpr Rectangle top{core_begin, core_end, low_halo, core_begin};
inline constexpr Rectangle bottom{core_begin, core_end, core_end, high_halo};
inline constexpr Rectangle column{core_begin, core_end, low_halo, high_halo};  // core + top + bottom
inline constexpr Rectangle row{low_halo, high_halo, core_begin, core_end};     // core + left + right
inline constexpr Rectangle frame{low_halo, high_halo, low_halo, high_halo};    // everything, corners too
}  // namespace tile_part

inline constexpr std::array<LoadStrategy, 4> kLoadStrategies{{
    {"classic",
     "core, left, right, top and bottom as five loads",
     {tile_part::core, tile_part::left, tile_part::right, tile_part::top, tile_part::bottom},
     5},
    {"vertical",
     "core with top and bottom halo in one column, left and right: three loads",
     {tile_part::column, tile_part::left, tile_part::right},
     3},
    {"horizontal",
     "core with left and right halo in one row block, top and bottom: three loads",
     {tile_part::row, tile_part::top, tile_part::bottom},
     3},
    {"full", "core, halos and corners in one load", {tile_part::frame}, 1},
}};

/// The strategy that loads the corners of a tile, which compact stencils need.
inline constexpr const LoadStrategy& kFullStrategy = kLoadStrategies.back();
static_assert(kFullStrategy.name == "full");

/// The place of a strategy, of which there is one of this name.
constexpr int strategy_place(std::string_view name) {
    int i = 0;
    while (kLoadStrategies[static_cast<std::size_t>(i)].name != name) ++i;
    return i;
}

}  // namespace onda
