/// \file
/// Copies a plane of p and rho, tile and halo, into shared memory by the bulk-tensor engine (TMA), one box each, asked
/// for by one thread. Only sources compiled for sm_90 and newer include this.
#pragma once

#include "kernels/cuda/march25d/density_tile.hpp"

namespace onda::cuda {

template <typename Tile>
class DensityBulkTensorCopies {
public:
    using T = typename Tile::T;
    /// Copies of a plane that threads ask for: boxes are the engine's.
    static constexpr int pieces = 0;

    __device__ __forceinline__ DensityBulkTensorCopies(const DensityTileArguments<T>& a, DensityMarch march)
        : a_(a),
          march_(march),
          asks_(threadIdx.x == 0 && threadIdx.y == 0),
          stages_(reinterpret_cast<T*>(shared_memory())),
          full_(reinterpret_cast<Barrier*>(stages_ + Tile::size)) {
        if (asks_) {
            for (int s = 0; s < Tile::stages; ++s) barrier_init(full_ + s, 1);
            barrier_init_fence();
            for (int s = 0; s < Tile::stages; ++s) start(s, s);
        }
    }
    /// The frame of p of the next plane once it has arrived; every thread is done with the plane before.
    __device__ __forceinline__ const T* begin(int step) {
        __syncthreads();
        if (asks_ && step > 0) start(stage_ == 0 ? Tile::stages - 1 : stage_ - 1, step - 1 + Tile::stages);
        barrier_wait(full_ + stage_, phase_);
        const T* const frame = stages_ + stage_ * Tile::stage_size;
        if (++stage_ == Tile::stages) {
            stage_ = 0;
            phase_ ^= 1;
        }
        return frame;
    }
    __device__ __forceinline__ void finish() {}

private:
    __device__ __forceinline__ void start(int stage, int step) {
        if (step >= march_.count) return;
        constexpr int of_p = Tile::p_row * Tile::p_rows, of_rho = Tile::rho_row * Tile::rho_rows;
        const int z = march_.first + step;
        const bool with_rho = z >= march_.rho_begin && z < march_.rho_end;
        T* const to = stages_ + stage * Tile::stage_size;
        barrier_expect(full_ + stage, (of_p + (with_rho ? of_rho : 0)) * static_cast<int>(sizeof(T)));
        // Tensor coordinates begin in the halo of either array: along z it is as wide as fluxes reach.
        copy_box(to, &a_.p_map, march_.x - Tile::p_x + a_.x_halo, march_.y - Tile::p_y + a_.y_halo,
                 z + 2 * Tile::radius - 1, full_ + stage);
        if (with_rho)
            copy_box(to + Tile::p_size, &a_.rho_map, march_.x - Tile::rho_x + a_.rho_x_halo,
                     march_.y - Tile::rho_y + a_.rho_y_halo, z + Tile::radius, full_ + stage);
    }

    const DensityTileArguments<T>& a_;
    DensityMarch march_;
    bool asks_;
    T* stages_;
    Barrier* full_;
    int stage_ = 0, phase_ = 0;
};

}  // namespace onda::cuda
