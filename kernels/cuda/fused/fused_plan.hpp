/// \file
/// How the blocks of the fused kernel cover a grid.
#pragma once

#include <bit>
#include <string>

#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/grid/halo.hpp"

namespace onda::cuda {

template <typename T>
FusedShape fused_shape(const Instance<T>& instance) {
    return {instance.parameters[0], instance.parameters[1]};
}

/// Threads of a block along x, y, z, as powers of two: a warp lies along x, and the warps along the next axis that has
/// a derivative.
struct FusedThreads {
    int log[3];
};
inline FusedThreads fused_threads(const FusedShape& shape, int dimensions) {
    const int warps = std::countr_zero(static_cast<unsigned>(shape.threads)) - 5;
    return dimensions == 3 ? FusedThreads{{5, warps, 0}} : FusedThreads{{5, 0, warps}};
}

/// "128x1x8r4": the nodes of a block along x, y, z, and of a thread along z.
template <typename T>
std::string tile_name(const FusedShape& shape, int dimensions) {
    const FusedThreads threads = fused_threads(shape, dimensions);
    const auto nodes = [&threads](int axis, int of_thread) { return std::to_string(of_thread << threads.log[axis]); };
    return nodes(0, 16 / sizeof(T)) + "x" + nodes(1, 1) + "x" + nodes(2, shape.rows) + "r" + std::to_string(shape.rows);
}

/// One box of all nodes.
template <typename T>
FusedBoxes whole_grid(const Grid& grid, const FusedShape& shape) {
    FusedBoxes boxes;
    const int end[3] = {static_cast<int>(grid.nx()), static_cast<int>(grid.ny()), static_cast<int>(grid.nz())};
    boxes.add({0, 0, 0}, end, {16 / static_cast<int>(sizeof(T)), 1, shape.rows},
              fused_threads(shape, grid.dimensions).log);
    return boxes;
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

/// The block that updates node (x, y, z).
template <typename T>
unsigned fused_block_of(const FusedBoxes& boxes, const FusedShape& shape, const std::array<std::int64_t, 3>& node) {
    const int nodes[3] = {16 / static_cast<int>(sizeof(T)), 1, shape.rows};
    for (int b = 0; b < boxes.count; ++b) {
        const FusedBox& box = boxes.box[b];
        unsigned tile[3];
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t along = node[static_cast<std::size_t>(axis)] - box.begin[axis];
            inside = inside && along >= 0 && node[static_cast<std::size_t>(axis)] < box.end[axis];
            tile[axis] = static_cast<unsigned>(along / (std::int64_t{nodes[axis]} << box.log_threads[axis]));
        }
        if (inside) return boxes.first[b] + (tile[2] * box.tiles_y + tile[1]) * box.tiles_x + tile[0];
    }
    return boxes.blocks();
}

}  // namespace onda::cuda
