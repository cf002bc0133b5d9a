/// \file
/// The copy engine of sm_90 and newer: only sources compiled for these include it.
#pragma once

#include "kernels/cuda/inplane/tile.hpp"

namespace onda::cuda {

/// Rectangles copied by the bulk-tensor engine (TMA), one box each, by one thread, `stages` planes ahead.
template <typename Tile>
class BulkTensorCopies {
public:
    using T = typename Tile::T;
    static constexpr int stage_size = Tile::layout.size;
    static constexpr int shared_bytes =
        (stage_size * Tile::stages + Tile::queue_size) * static_cast<int>(sizeof(T)) + 8 * Tile::stages;
    /// Copies of a plane that threads ask for: boxes are the engine's.
    static constexpr int pieces = 0;

    __device__ __forceinline__ BulkTensorCopies(const InPlaneArguments<T>& a, March march, int thread)
        : a_(a), march_(march), thread_(thread), stages_(reinterpret_cast<T*>(shared_memory())) {
        full_ = reinterpret_cast<Barrier*>(stages_ + stage_size * Tile::stages + Tile::queue_size);
        if (thread_ == 0) {
            for (int s = 0; s < Tile::stages; ++s) barrier_init(full_ + s, 1);
            barrier_init_fence();
        }
        __syncthreads();
        if (thread_ == 0)
            for (int s = 0; s < Tile::stages; ++s) start(s, s);
    }
    /// The tile of the next plane, once it has arrived.
    __device__ __forceinline__ const T* begin(int) {
        barrier_wait(full_ + stage_, phase_);
        return stages_ + stage_ * stage_size;
    }
    /// Every thread has read what it needs of plane `step`: its place is filled again.
    __device__ __forceinline__ void end(int step) {
        __syncthreads();
        if (thread_ == 0) start(stage_, step + Tile::stages);
        if (++stage_ == Tile::stages) {
            stage_ = 0;
            phase_ ^= 1;
        }
    }
    __device__ __forceinline__ void finish() {}
    __device__ __forceinline__ T* queue() const { return stages_ + stage_size * Tile::stages; }

private:
    __device__ __forceinline__ void start(int stage, int step) {
        if (step >= march_.count) return;
        constexpr TileLayout layout = Tile::layout;
        int bytes = 0;
        ONDA_UNROLL
        for (int i = 0; i < layout.count; ++i)
            bytes += layout.rectangle[i].width * layout.rectangle[i].height * static_cast<int>(sizeof(T));
        barrier_expect(full_ + stage, bytes);
        ONDA_UNROLL
        for (int i = 0; i < layout.count; ++i) {
            const StoredRectangle r = layout.rectangle[i];
            // Tensor coordinates begin in the halo of the field.
            copy_box(stages_ + stage * stage_size + r.offset, &a_.maps[i],
                     (march_.x + r.x + Tile::x_halo) / Tile::map_unit, march_.y + r.y + a_.y_halo,
                     march_.first + step + Tile::radius, full_ + stage);
        }
    }

    const InPlaneArguments<T>& a_;
    March march_;
    int thread_;
    T* stages_;
    Barrier* full_;
    int stage_ = 0, phase_ = 0;
};

}  // namespace onda::cuda
