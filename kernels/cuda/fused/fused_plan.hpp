/// \file
/// How the blocks of the fused kernel cover a grid.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/grid/halo.hpp"

namespace onda::cuda {

template <typename T>
FusedShape fused_shape(const Instance<T>& instance) {
    return {instance.parameters[0], instance.parameters[1]};
}

/// Nodes of a block along x, y, z: 32 vectors, then rows of threads along the next axis that has a derivative.
template <typename T>
std::array<int, 3> fused_tile(const FusedShape& shape, int dimensions) {
    const int x = 32 * static_cast<int>(16 / sizeof(T)), rows = shape.threads / 32;
    if (dimensions == 3) return {x, rows, shape.rows};
    return {x, 1, rows * shape.rows};
}

/// Tiles along x, y, z that cover a grid.
template <typename T>
std::array<unsigned, 3> fused_tiles(const Grid& grid, const FusedShape& shape) {
    const std::array<int, 3> tile = fused_tile<T>(shape, grid.dimensions);
    std::array<unsigned, 3> tiles{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        tiles[axis] = static_cast<unsigned>(blocks_for(grid.n[axis], tile[axis]));
    return tiles;
}

/// "128x1x8r4": the nodes of a block along x, y, z, and of a thread along z.
template <typename T>
std::string tile_name(const FusedShape& shape, int dimensions) {
    const auto [x, y, z] = fused_tile<T>(shape, dimensions);
    return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z) + "r" + std::to_string(shape.rows);
}

/// The images that stand in the halo layers across z, those of `copies` among them.
inline FusedImages fused_images(const std::vector<HaloCopy>& copies, std::int64_t nz) {
    FusedImages images;
    const int layers = static_cast<int>(nz);
    for (int j = 1; j <= kMaxRadius; ++j) {
        images.from[j - 1] = -j;
        images.from[kMaxRadius + j - 1] = layers - 1 + j;
        images.sign[j - 1] = images.sign[kMaxRadius + j - 1] = 1;
    }
    for (const HaloCopy& copy : copies) {
        const auto to = static_cast<int>(copy.to);
        const int slot = to < 0 ? -1 - to : kMaxRadius + to - layers;
        images.from[slot] = static_cast<int>(copy.from);
        images.sign[slot] = copy.sign;
    }
    return images;
}

/// The block that updates node (x, y, z), among those that do not record.
template <typename T>
unsigned fused_block_of(const Grid& grid, const FusedShape& shape, const std::array<std::int64_t, 3>& node) {
    const std::array<int, 3> tile = fused_tile<T>(shape, grid.dimensions);
    const std::array<unsigned, 3> tiles = fused_tiles<T>(grid, shape);
    const auto at = [&](std::size_t axis) { return static_cast<unsigned>(node[axis] / tile[axis]); };
    return (at(2) * tiles[1] + at(1)) * tiles[0] + at(0);
}

}  // namespace onda::cuda
