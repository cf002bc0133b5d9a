/// \file
/// Launches the kernel of variable density that marches, with either copy engine.
#pragma once

#include <string>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/march25d/march25d_density.hpp"

namespace onda::cuda {

/// What a copy engine must know of the fields beside its arguments; engines that need nothing keep this one.
template <typename Tile, template <typename> class Copies>
struct EncodeDensityMaps {
    static void encode(DensityTileArguments<typename Tile::T>&, const Fields<typename Tile::T>&, int) {}
};

/// How the kernel is launched, for MarchStepper.
template <typename Tile, template <typename> class Copies>
struct DensityLaunch {
    using T = typename Tile::T;
    using Arguments = DensityTileArguments<T>;
    static constexpr auto kernel = march25d_density_step<Tile, Copies>;
    static constexpr MarchShape shape{
        .width = Tile::width,
        .height = Tile::height,
        .block_x = Tile::block_x,
        .block_y = Tile::block_y,
        .shared_bytes = Tile::shared_bytes,
        .reach = 2 * Tile::radius - 1,
        .longest = 96 * Tile::radius,
    };
    static constexpr MarchWork work = density_work<Tile, Copies>();
    static void complete(Arguments& a, const Fields<T>& fields, int now) {
        EncodeDensityMaps<Tile, Copies>::encode(a, fields, now);
    }
};

/// The row of one tile and copy engine.
template <typename Tile, template <typename> class Copies>
Instance<typename Tile::T> density_row(const char* copy, int architecture) {
    const std::string tile = std::to_string(Tile::width) + "x" + std::to_string(Tile::height);
    auto row =
        march_row<DensityLaunch<Tile, Copies>>("march25d", tile + "r" + std::to_string(Tile::rows), architecture);
    row.copy = copy;
    row.equation = Equation::variable_density;
    row.radius = Tile::radius;
    row.dimensions = 3;
    return row;
}

}  // namespace onda::cuda
