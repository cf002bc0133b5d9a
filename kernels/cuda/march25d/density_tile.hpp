/// \file
/// The tile of the kernel of variable density that marches: which threads do what, and what lies where in shared
/// memory.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

/// \tparam BX, BY threads; each computes Rows rows of one 16-byte vector. \tparam Stages planes in shared memory.
/// \tparam Blocks that must fit a multiprocessor: bounds the registers.
template <typename T_, int R, int BX, int BY, int Rows, int Stages, int Blocks>
struct DensityTile {
    using T = T_;
    static constexpr int radius = R, block_x = BX, block_y = BY, rows = Rows, stages = Stages, blocks = Blocks;
    static constexpr int vector = Vec<T>::size, threads = BX * BY, width = BX * vector, height = BY * Rows;
    static constexpr int vectors_for(int n) { return (n + vector - 1) / vector * vector; }
    static constexpr int lines_for(int n) { return (n + line - 1) / line * line; }
    static constexpr int line = 128 / static_cast<int>(sizeof(T));  ///< where frames begin

    // Fluxes reach from R nodes before the core to R - 1 beyond it; rho serves them, and p R - 1 nodes farther. Along x
    // all are whole vectors.
    static constexpr int rho_x = vectors_for(R), rho_y = R, rho_row = width + 2 * rho_x, rho_rows = height + 2 * rho_y;
    static constexpr int p_x = vectors_for(2 * R - 1), p_y = 2 * R - 1, p_row = width + 2 * p_x;
    static constexpr int p_rows = height + 2 * p_y;
    static constexpr int p_size = lines_for(p_row * p_rows), rho_size = lines_for(rho_row * rho_rows);
    static constexpr int stage_size = p_size + rho_size;

    static constexpr int before_x = vectors_for(R), after_x = vectors_for(R - 1), x_flux_row = before_x + width + after_x;
    static constexpr int x_flux_size = x_flux_row * height, y_flux_size = width * (height + 2 * R - 1);
    static constexpr int flux_size = x_flux_size + y_flux_size;

    /// A thread's own values of p in the last 2R planes, and of rho in the last R - 1.
    static constexpr int core = width * height, ring_size = (2 * R + R - 1) * core;
    static constexpr int fluxes_at = stages * stage_size, rings_at = fluxes_at + 2 * flux_size;
    static constexpr int size = rings_at + ring_size;
    /// With a barrier for each stage, which copies by threads do not need.
    static constexpr int shared_bytes = size * static_cast<int>(sizeof(T)) + 8 * stages;
    static_assert(shared_bytes <= 227 * 1024);
};

/// The maps of p and rho that the bulk-tensor engine copies by.
struct DensityMaps {
    TensorMap p_map, rho_map;
};

/// What the kernel and its copy engine are given; only the bulk-tensor engine looks at the maps.
template <typename T>
struct DensityTileArguments : DensityMaps, DensityArguments<T> {};

/// The planes a block copies: tile and halo of p on planes first, first + 1, …, of rho on [rho_begin, rho_end) of them.
struct DensityMarch {
    int x, y;          ///< node of the tile's corner
    int first, count;  ///< planes
    int rho_begin, rho_end;
};

}  // namespace onda::cuda
