/// \file
/// Copies a plane of p and rho, tile and halo, into shared memory: pieces of 16 bytes by all threads, on every GPU.
#pragma once

#include "kernels/cuda/march25d/density_tile.hpp"

namespace onda::cuda {

template <typename Tile>
class DensityAsyncCopies {
public:
    using T = typename Tile::T;
    /// Copies of a plane that threads ask for.
    static constexpr int pieces = (Tile::p_row * Tile::p_rows + Tile::rho_row * Tile::rho_rows) / Tile::vector;

    __device__ __forceinline__ DensityAsyncCopies(const DensityTileArguments<T>& a, DensityMarch march)
        : a_(a),
          march_(march),
          thread_(static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x)),
          stages_(reinterpret_cast<T*>(shared_memory())) {
        for (int s = 0; s < Tile::stages - 1; ++s) start(s, s);
    }
    /// The frame of p of the next plane once it has arrived; every thread is done with the plane before.
    __device__ __forceinline__ const T* begin(int step) {
        copies_wait<Tile::stages - 2>();
        __syncthreads();
        start(stage_ == 0 ? Tile::stages - 1 : stage_ - 1, step + Tile::stages - 1);
        const T* const frame = stages_ + stage_ * Tile::stage_size;
        if (++stage_ == Tile::stages) stage_ = 0;
        return frame;
    }
    __device__ __forceinline__ void finish() { copies_wait<0>(); }

private:
    __device__ __forceinline__ void start(int stage, int step) {
        if (step < march_.count) {
            const int z = march_.first + step;
            T* const to = stages_ + stage * Tile::stage_size;
            copy<Tile::p_x, Tile::p_y>(to, a_.p + z * a_.plane, a_.pitch, a_.x_halo, a_.y_halo);
            if (z >= march_.rho_begin && z < march_.rho_end)
                copy<Tile::rho_x, Tile::rho_y>(to + Tile::p_size, a_.half_rho + z * a_.rho_plane, a_.rho_pitch,
                                               a_.rho_x_halo, a_.rho_y_halo);
        }
        copies_commit();
    }
    /// A frame with FX and FY nodes of halo; its corners are not needed.
    template <int FX, int FY>
    __device__ __forceinline__ void copy(T* to, const T* plane, std::int64_t pitch, int x_halo, int y_halo) {
        constexpr int pieces_x = (Tile::width + 2 * FX) / Tile::vector, rows = Tile::height + 2 * FY;
        for (int i = thread_; i < pieces_x * rows; i += Tile::threads) {
            const int dx = i % pieces_x * Tile::vector - FX, dy = i / pieces_x - FY;
            const int x = march_.x + dx, y = march_.y + dy;
            const bool corner = (dx < 0 || dx >= Tile::width) && (dy < 0 || dy >= Tile::height);
            const bool inside = !corner && x >= -x_halo && x < a_.nx + x_halo && y >= -y_halo && y < a_.ny + y_halo;
            copy_async16(to + i * Tile::vector, inside ? plane + y * pitch + x : plane, inside);
        }
    }

    const DensityTileArguments<T>& a_;
    DensityMarch march_;
    int thread_;
    T* stages_;
    int stage_ = 0;
};

}  // namespace onda::cuda
