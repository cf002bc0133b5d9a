/// \file
/// The tiles of the kernels of variable density that march: what lies where in shared memory.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

/// One array of a tile of width x height nodes with halo_x and halo_y nodes beside it, as one box of the bulk-tensor
/// engine leaves it.
struct FrameLayout {
    int width, height, halo_x, halo_y;
    int line;  ///< elements: where frames begin

    [[nodiscard]] constexpr int row() const { return width + 2 * halo_x; }
    [[nodiscard]] constexpr int rows() const { return height + 2 * halo_y; }
    /// What is copied for a plane.
    [[nodiscard]] constexpr int elements() const { return row() * rows(); }
    [[nodiscard]] constexpr int size() const { return (elements() + line - 1) / line * line; }
};

/// Lines of memory that the rows of a frame touch: those beside the tile are in lines of their own.
constexpr double frame_lines(const FrameLayout& frame, int element_bytes) {
    return frame.rows() * ((frame.width * element_bytes + 127) / 128 + 2.);
}

/// The frames of a tile of Width x Height nodes: p and rho / 2 of a plane with what its fluxes along x and y need
/// beside it, and these fluxes, which reach from R nodes before the tile to R - 1 beyond it. Fluxes need p of R - 1
/// more nodes than rho. Along x all are whole vectors.
template <typename T_, int R, int Width, int Height>
struct DensityFrames {
    using T = T_;
    static constexpr int radius = R, width = Width, height = Height, vector = Vec<T>::size;
    static constexpr int line = 128 / static_cast<int>(sizeof(T));  ///< where frames begin
    static constexpr int vectors_for(int n) { return (n + vector - 1) / vector * vector; }
    /// Planes between the one that has arrived and the one that it completes.
    static constexpr int behind = 2 * R - 1;

    static constexpr FrameLayout p{Width, Height, vectors_for(2 * R - 1), 2 * R - 1, line};
    static constexpr FrameLayout rho{Width, Height, vectors_for(R), R, line};
    static constexpr int stage_size = p.size() + rho.size();

    static constexpr int before_x = vectors_for(R), after_x = vectors_for(R - 1);
    static constexpr int x_flux_row = before_x + width + after_x, x_flux_size = x_flux_row * height;
    /// One row more than is needed: rows are computed several at a time.
    static constexpr int y_flux_rows = height + 2 * R - 1, y_flux_size = (y_flux_rows + 1) * width;
    static constexpr int flux_size = x_flux_size + y_flux_size;

    /// The own nodes of threads: p of the planes that are not complete, and rho of the last R - 1.
    static constexpr int core = width * height, ring_size = (behind + R - 1) * core;
};

/// The tile of the kernel whose threads are all alike.
/// \tparam BX, BY threads; each computes Rows rows of one 16-byte vector. \tparam Stages planes in shared memory.
/// \tparam Blocks that must fit a multiprocessor: bounds the registers.
template <typename T_, int R, int BX, int BY, int Rows, int Stages, int Blocks>
struct DensityTile : DensityFrames<T_, R, BX * Vec<T_>::size, BY * Rows> {
    using Frames = DensityFrames<T_, R, BX * Vec<T_>::size, BY * Rows>;
    using T = T_;
    static constexpr int block_x = BX, block_y = BY, threads = BX * BY, rows = Rows, stages = Stages, blocks = Blocks;
    static constexpr int fluxes_at = stages * Frames::stage_size, rings_at = fluxes_at + 2 * Frames::flux_size;
    static constexpr int size = rings_at + Frames::ring_size;
    /// With a barrier for each stage, which copies by threads do not need.
    static constexpr int shared_bytes = size * static_cast<int>(sizeof(T)) + 8 * stages;
    static_assert(shared_bytes <= 227 * 1024);
};

/// The tile of the kernel with groups of warps.
/// \tparam Warps that work on fluxes and divergences in a plane, RowsX, RowsY and RowsL rows of a vector at a time:
/// fluxes along x, along y, and what they add to the divergence. \tparam OwnRows of a vector that each of the others
/// carries along z. \tparam Stages planes in shared memory.
template <typename T_, int R, int Width, int Height, int Warps, int RowsX, int RowsY, int RowsL, int OwnRows,
          int Stages>
struct DensityGroupTile : DensityFrames<T_, R, Width, Height> {
    using Frames = DensityFrames<T_, R, Width, Height>;
    using T = T_;
    static constexpr int rows_x = RowsX, rows_y = RowsY, rows_l = RowsL, own_rows = OwnRows, stages = Stages;
    static constexpr int columns = Width / Frames::vector;
    static constexpr int plane_threads = 32 * Warps, own_threads = columns * (Height / OwnRows);
    static constexpr int threads = plane_threads + own_threads;
    static constexpr int y_groups = (Frames::y_flux_rows + RowsY - 1) / RowsY;
    static_assert(Height % RowsX == 0 && Height % RowsL == 0 && Height % OwnRows == 0 && own_threads % 32 == 0);
    static_assert(y_groups * RowsY - Frames::y_flux_rows <= 1);

    static constexpr int l_planes = 2;  ///< what planes add to the divergence, until the others take it
    static constexpr int fluxes_at = stages * Frames::stage_size, l_at = fluxes_at + 2 * Frames::flux_size;
    static constexpr int rings_at = l_at + l_planes * Frames::core, size = rings_at + Frames::ring_size;
    static constexpr int barriers = 2 * stages + 2 * l_planes + 1;
    static constexpr int shared_bytes = size * static_cast<int>(sizeof(T)) + 8 * barriers;
    static_assert(shared_bytes <= 227 * 1024);
};

/// The maps of p and rho that the bulk-tensor engine copies by.
struct DensityMaps {
    TensorMap p, rho;
};
/// What the kernels are given; only the bulk-tensor engine looks at the maps.
template <typename T>
struct DensityTileArguments : DensityArguments<T> {
    DensityMaps maps;
};

/// The planes a block copies: frames of p of planes first, first + 1, …, of rho of those in [rho_begin, rho_end).
struct DensityMarch {
    int x, y;          ///< node of the tile's corner
    int first, count;  ///< planes
    int rho_begin, rho_end;
};

}  // namespace onda::cuda
