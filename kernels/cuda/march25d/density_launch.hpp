/// \file
/// Launches the kernels of variable density that march.
#pragma once

#include <string>

#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/march25d/density_tile.hpp"

namespace onda::cuda {

/// How a kernel whose tiles are rectangles of a plane is launched, for MarchStepper.
/// \tparam ThreadsX, ThreadsY of a block.
template <typename Tile, int ThreadsX, int ThreadsY>
constexpr MarchShape density_shape{
    .width = Tile::width,
    .height = Tile::height,
    .block_x = ThreadsX,
    .block_y = ThreadsY,
    .shared_bytes = Tile::shared_bytes,
    .reach = Tile::behind,
    .longest = 96 * Tile::radius,
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

}  // namespace onda::cuda
