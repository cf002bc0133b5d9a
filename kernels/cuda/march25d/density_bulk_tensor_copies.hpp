/// \file
/// Copies of the frames of p and rho by the bulk-tensor engine (TMA). Only sources compiled for sm_90 and newer include
/// this.
#pragma once

#include "kernels/cuda/march25d/density_tile.hpp"

namespace onda::cuda {

/// Asks for the frames of the plane of a step: p, and rho where fluxes need it. One thread calls it.
template <typename Tile, typename T>
__device__ __forceinline__ void copy_frames(T* to, const DensityTileArguments<T>& a, const DensityMarch& march,
                                            int step, Barrier* full) {
    constexpr int bytes = static_cast<int>(sizeof(T)), of_p = Tile::p.elements() * bytes;
    constexpr int of_rho = Tile::rho.elements() * bytes, size_of_p = Tile::p.size();
    const int z = march.first + step;
    const bool with_rho = z >= march.rho_begin && z < march.rho_end;
    barrier_expect(full, of_p + (with_rho ? of_rho : 0));
    // Tensor coordinates begin in the halo of either array: along z it is as wide as fluxes reach.
    constexpr FrameLayout p = Tile::p, rho = Tile::rho;
    copy_box(to, &a.maps.p, march.x - p.halo_x + a.x_halo, march.y - p.halo_y + a.y_halo, z + Tile::behind, full);
    if (with_rho)
        copy_box(to + size_of_p, &a.maps.rho, march.x - rho.halo_x + a.rho_x_halo, march.y - rho.halo_y + a.rho_y_halo,
                 z + Tile::radius, full);
}

/// Planes that one thread asks for, `stages` ahead.
template <typename Tile>
class DensityBulkTensorCopies {
public:
    using T = typename Tile::T;
    /// Copies of a plane that threads ask for: boxes are the engine's.
    static constexpr int pieces = 0;

    __device__ __forceinline__ DensityBulkTensorCopies(const DensityTileArguments<T>& a, const DensityMarch& march)
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
        if (step < march_.count) copy_frames<Tile>(stages_ + stage * Tile::stage_size, a_, march_, step, full_ + stage);
    }

    const DensityTileArguments<T>& a_;
    DensityMarch march_;
    bool asks_;
    T* stages_;
    Barrier* full_;
    int stage_ = 0, phase_ = 0;
};

}  // namespace onda::cuda
