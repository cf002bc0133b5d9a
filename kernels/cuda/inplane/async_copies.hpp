/// \file
/// The copy engines of every GPU from sm_75 on: 16-byte copies by the threads of a block.
#pragma once

#include "kernels/cuda/inplane/tile.hpp"

namespace onda::cuda {

/// A ring of `stages` planes that threads fill, asynchronously from sm_80 on, `stages` - 1 planes ahead.
/// \tparam Share which pieces a thread copies: Share::for_pieces(copy) calls copy(element of the stage, x, y in nodes
/// from the tile's corner) for each.
template <typename Tile, typename Share>
class PipelinedCopies {
public:
    using T = typename Tile::T;
    static constexpr int stage_size = Tile::layout.size;
    static constexpr int shared_bytes = (stage_size * Tile::stages + Tile::queue_size) * static_cast<int>(sizeof(T));
    /// Copies of a plane that threads ask for.
    static constexpr int pieces = stage_size / Tile::vector;

    __device__ __forceinline__ PipelinedCopies(const InPlaneArguments<T>& a, March march, int)
        : a_(a), march_(march), stages_(reinterpret_cast<T*>(shared_memory())) {
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
        if (step < march_.count) {
            const T* const plane = a_.p + (march_.first + step) * a_.plane;
            T* const to = stages_ + stage * stage_size;
            Share::for_pieces([&](int element, int dx, int dy) {
                const int x = march_.x + dx, y = march_.y + dy;
                const bool inside = x < a_.nx + Tile::x_halo && y >= -a_.y_halo && y < a_.ny + a_.y_halo;
                copy_async16(to + element, inside ? plane + y * a_.pitch + x : plane, inside);
            });
        }
        copies_commit();
    }

    const InPlaneArguments<T>& a_;
    March march_;
    T* stages_;
    int stage_ = 0;
};

/// All threads share the pieces of a rectangle, whatever they compute later.
template <typename Tile>
struct SharedEvenly {
    template <typename Copy>
    static __device__ __forceinline__ void for_pieces(const Copy& copy) {
        constexpr TileLayout layout = Tile::layout;
        const int thread = static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x);
        ONDA_UNROLL
        for (int i = 0; i < layout.count; ++i) {
            const StoredRectangle r = layout.rectangle[i];
            const int pieces = r.width / Tile::vector;
            for (int piece = thread; piece < pieces * r.height; piece += Tile::threads)
                copy(r.offset + piece * Tile::vector, r.x + piece % pieces * Tile::vector, r.y + piece / pieces);
        }
    }
};

template <typename Tile>
using AsyncCopies = PipelinedCopies<Tile, SharedEvenly<Tile>>;

}  // namespace onda::cuda
