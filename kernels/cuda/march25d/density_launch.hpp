/// \file
/// Launches the kernels of variable density that march.
#pragma once

#include <string>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/march25d/density_march.hpp"

namespace onda::cuda {

/// What copies must know of the fields beside the arguments; those by threads keep this one.
template <typename Tile, template <typename> class Copies>
struct EncodeDensityMaps {
    static void encode(DensityTileArguments<typename Tile::T>&, const Fields<typename Tile::T>&, int) {}
};

/// How a kernel of variable density that marches is launched, for MarchStepper.
/// \tparam ThreadsX, ThreadsY of a block. \tparam Work makes what a plane costs.
template <typename Tile, template <typename> class Copies, int ThreadsX, int ThreadsY, auto Kernel, auto Work,
          typename Given = DensityTileArguments<typename Tile::T>>
struct DensityLaunch {
    using T = typename Tile::T;
    using Arguments = Given;
    static constexpr auto kernel = Kernel;
    static constexpr MarchShape shape{
        .width = Tile::width,
        .height = Tile::height,
        .block_x = ThreadsX,
        .block_y = ThreadsY,
        .shared_bytes = Tile::shared_bytes,
        .reach = Tile::behind,
        .longest = 96 * Tile::radius,
    };
    static constexpr MarchWork work = Work();
    static void complete(Arguments& a, const Fields<T>& fields, int now) {
        EncodeDensityMaps<Tile, Copies>::encode(a, fields, now);
    }
};

/// The row of one kernel. \param rows that a thread carries along z.
template <typename Launch>
Instance<typename Launch::T> density_row(const char* copy, int architecture, int rows) {
    constexpr MarchShape shape = Launch::shape;
    auto row = march_row<Launch>(
        "march25d", std::to_string(shape.width) + "x" + std::to_string(shape.height) + "r" + std::to_string(rows),
        architecture);
    row.copy = copy;
    row.equation = Equation::variable_density;
    row.radius = ONDA_RADIUS;
    row.dimensions = 3;
    return row;
}

/// The row of the kernel whose threads are all alike. \tparam Work makes what a plane costs.
template <typename Tile, template <typename> class Copies, typename Given = DensityTileArguments<typename Tile::T>,
          auto Work = density_march_work<Tile, Copies>>
Instance<typename Tile::T> density_march_row(const char* copy, int architecture) {
    return density_row<DensityLaunch<Tile, Copies, Tile::block_x, Tile::block_y,
                                     density_march_step<Tile, Copies, Given>, Work, Given>>(copy, architecture,
                                                                                            Tile::rows);
}

}  // namespace onda::cuda
