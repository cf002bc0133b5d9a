/// \file
/// The copy engine of every GPU from sm_75 on.
#pragma once

#include "kernels/cuda/inplane_arguments.hpp"

namespace onda::cuda {

/// Rectangles copied by all threads in pieces of 16 bytes, asynchronously from sm_80 on, `stages` - 1 planes ahead.
template <typename Tile>
class AsyncCopies {
public:
    using T = typename Tile::T;
    static constexpr int stage_size = Tile::layout.size;
    static constexpr int shared_bytes = (stage_size * Tile::stages + Tile::queue_size) * static_cast<int>(sizeof(T));

    __device__ __forceinline__ AsyncCopies(const InPlaneArguments<T>& a, March march, int thread)
        : a_(a), march_(march), thread_(thread), stages_(reinterpret_cast<T*>(shared_memory())) {
        for (int s = 0; s < Tile::stages - 1; ++s) start(s, s);
    }
    __device__ __forceinline__ const T* begin(int step) {
        copies_wait<Tile::stages - 2>();
        __syncthreads();
        start(stage_ == 0 ? Tile::stages - 1 : stage_ - 1, step + Tile::stages - 1);
        return stages_ + stage_ * stage_size;
    }
    __device__ __forceinline__ void end(int) {
        if (++stage_ == Tile::stages) stage_ = 0;
    }
    __device__ __forceinline__ void finish() { copies_wait<0>(); }
    __device__ __forceinline__ T* queue() const { return stages_ + stage_size * Tile::stages; }

private:
    __device__ __forceinline__ void start(int stage, int step) {
        constexpr TileLayout layout = Tile::layout;
        if (step < march_.count) {
            const T* const plane = a_.p + (march_.first + step) * a_.plane;
            ONDA_UNROLL
            for (int i = 0; i < layout.count; ++i) {
                const StoredRectangle r = layout.rectangle[i];
                copy(stages_ + stage * stage_size + r.offset, plane, r);
            }
        }
        copies_commit();
    }
    __device__ __forceinline__ void copy(T* to, const T* plane, StoredRectangle r) {
        const int pieces = r.width / Tile::vector;
        for (int i = thread_; i < pieces * r.height; i += Tile::threads) {
            const int x = march_.x + r.x + i % pieces * Tile::vector, y = march_.y + r.y + i / pieces;
            const bool inside = x < a_.nx + Tile::x_halo && y >= -a_.y_halo && y < a_.ny + a_.y_halo;
            copy_async16(to + i * Tile::vector, inside ? plane + y * a_.pitch + x : plane, inside);
        }
    }

    const InPlaneArguments<T>& a_;
    March march_;
    int thread_;
    T* stages_;
    int stage_ = 0;
};

}  // namespace onda::cuda
