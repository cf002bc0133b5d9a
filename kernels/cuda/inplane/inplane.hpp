/// \file
/// The in-plane method (Ribero Figueroa 2016; Tang et al. 2013) as one CUDA kernel for all load strategies.
///
/// A block owns a tile of the x-y plane and marches along z. Of each plane it loads tile and halo once. From that one
/// plane a thread computes the in-plane part of the Laplacian of its nodes, adds the backward half of the z sum from
/// its queue of the r previous planes, and adds the plane's forward share to its r pending Laplacians. The Laplacian r
/// planes behind is then complete. Both queues are the thread's own: the only data that threads share are the tiles.
#pragma once

#include <utility>

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/inplane/tile.hpp"
#include "kernels/cuda/own_nodes.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// The values of a thread's own nodes in the r previous planes, the nearest first.
template <typename Tile, bool InShared = Tile::queue_in_shared>
class PreviousPlanes {
public:
    using T = typename Tile::T;
    __device__ __forceinline__ PreviousPlanes(T*, int) {}
    __device__ __forceinline__ Vec<T> get(int row, int distance) const { return value_[row][distance - 1]; }
    __device__ __forceinline__ void push(const Vec<T> (&centre)[Tile::rows]) {
        ONDA_UNROLL
        for (int j = 0; j < Tile::rows; ++j) {
            ONDA_UNROLL
            for (int i = Tile::radius - 1; i > 0; --i) value_[j][i] = value_[j][i - 1];
            value_[j][0] = centre[j];
        }
    }

private:
    Vec<T> value_[Tile::rows][Tile::radius];
};

template <typename Tile>
class PreviousPlanes<Tile, true> {
public:
    using T = typename Tile::T;
    __device__ __forceinline__ PreviousPlanes(T* shared, int thread) : mine_(shared + thread * Tile::vector) {}
    __device__ __forceinline__ Vec<T> get(int row, int distance) const {
        const int slot = newest_ - distance + 1;
        return *reinterpret_cast<const Vec<T>*>(mine_ + place(slot < 0 ? slot + Tile::radius : slot, row));
    }
    __device__ __forceinline__ void push(const Vec<T> (&centre)[Tile::rows]) {
        if (++newest_ == Tile::radius) newest_ = 0;
        ONDA_UNROLL
        for (int j = 0; j < Tile::rows; ++j) *reinterpret_cast<Vec<T>*>(mine_ + place(newest_, j)) = centre[j];
    }

private:
    static __device__ __forceinline__ int place(int slot, int row) {
        return (slot * Tile::rows + row) * Tile::threads * Tile::vector;
    }
    T* mine_;
    int newest_ = Tile::radius - 1;
};

/// The centre of the Laplacian of the rows of a thread.
template <typename T, int Rows>
__device__ __forceinline__ void start_laplacian(const Vec<T> (&centre)[Rows], const Stencil<T>& s, Vec<T> (&l)[Rows]) {
    ONDA_UNROLL
    for (int j = 0; j < Rows; ++j) ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v) l[j].v[v] = s.centre * centre[j].v[v];
}

/// Adds the x pairs of the rows from (x, y) of the tile frame on.
template <typename Tile>
__device__ __forceinline__ void add_x_pairs(const typename Tile::T* tile, int x, int y,
                                            const Vec<typename Tile::T> (&centre)[Tile::rows],
                                            const Stencil<typename Tile::T>& s,
                                            Vec<typename Tile::T> (&l)[Tile::rows]) {
    using T = typename Tile::T;
    constexpr int V = Tile::vector, H = Tile::x_halo;
    ONDA_UNROLL
    for (int j = 0; j < Tile::rows; ++j) {
        T row[V + 2 * H];
        ONDA_UNROLL
        for (int m = 0; m < (V + 2 * H) / V; ++m) {
            const Vec<T> a = m == H / V ? centre[j] : load_vector(tile_element<Tile>(tile, x - H + m * V, y + j));
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) row[m * V + v] = a.v[v];
        }
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            T sum = l[j].v[v];
            ONDA_UNROLL
            for (int k = 1; k <= Tile::radius; ++k) sum = fused(s.axis[0][k], row[H + v - k] + row[H + v + k], sum);
            l[j].v[v] = sum;
        }
    }
}

/// Adds the y pairs.
template <typename Tile>
__device__ __forceinline__ void add_y_pairs(const typename Tile::T* tile, int x, int y,
                                            const Vec<typename Tile::T> (&centre)[Tile::rows],
                                            const Stencil<typename Tile::T>& s,
                                            Vec<typename Tile::T> (&l)[Tile::rows]) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::rows;
    Vec<T> window[N + 2 * R];  // rows y - R … y + N - 1 + R; few of them are alive at a time
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) window[R + j] = centre[j];
    ONDA_UNROLL
    for (int k = 1; k <= R; ++k) {
        window[R - k] = load_vector(tile_element<Tile>(tile, x, y - k));
        window[R + N - 1 + k] = load_vector(tile_element<Tile>(tile, x, y + N - 1 + k));
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) ONDA_UNROLL
        for (int v = 0; v < Tile::vector; ++v)
            l[j].v[v] = fused(s.axis[1][k], window[R + j - k].v[v] + window[R + j + k].v[v], l[j].v[v]);
    }
}

/// p[n+1] on one tile of a chunk of planes. Block: (block_x, block_y). Grid: tiles along x, tiles along y, chunks along
/// z.
template <typename Tile, template <typename> class Copies, typename Arguments = InPlaneArguments<typename Tile::T>>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) inplane_step(const __grid_constant__ Arguments a) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector;
    const int thread = static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x);
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = static_cast<int>(threadIdx.x) * V, local_y = static_cast<int>(threadIdx.y) * N;
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const int planes = z_end - z_begin + 2 * R;

    Copies<Tile> copies(a, March{tile_x, tile_y, z_begin - R, planes}, thread);
    PreviousPlanes<Tile> previous(copies.queue(), thread);
    Vec<T> pending[N][R] = {};
    OwnNodes<T, N, Arguments> own(a, tile_x + local_x, tile_y + local_y, z_begin);

    for (int step = 0; step < planes; ++step) {
        const T* const tile = copies.begin(step);
        Vec<T> centre[N];
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) centre[j] = load_vector(tile_element<Tile>(tile, local_x, local_y + j));

        if (step >= 2 * R) {  // the plane R behind is complete
            ONDA_UNROLL
            for (int j = 0; j < N; ++j)
                own.advance(j, previous.get(j, R), add_weighted(a.stencil.axis[2][R], centre[j], pending[j][R - 1]));
            own.move();
        }
        if (step >= 2 * R - 1 && step < planes - 1) {  // wanted in the next pass of this loop
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) own.ask(j);
        }
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) ONDA_UNROLL
        for (int i = R - 1; i > 0; --i)
            pending[j][i] = add_weighted(a.stencil.axis[2][i], centre[j], pending[j][i - 1]);
        if (step >= R && step < planes - R) {
            Vec<T> l[N];
            start_laplacian(centre, a.stencil, l);
            add_x_pairs<Tile>(tile, local_x, local_y, centre, a.stencil, l);
            if (a.stencil.dimensions == 3) add_y_pairs<Tile>(tile, local_x, local_y, centre, a.stencil, l);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                ONDA_UNROLL
                for (int i = 1; i <= R; ++i) l[j] = add_weighted(a.stencil.axis[2][i], previous.get(j, i), l[j]);
                pending[j][0] = l[j];
            }
        }
        previous.push(centre);
        copies.end(step);
    }
    copies.finish();
}

/// What a plane costs: per node 6 r + 3 operations; per row of a thread's vectors the row with its halo, columns of
/// 2 r + rows, the queue where it is shared, and three accesses to p[n-1] and k.
template <typename Tile, template <typename> class Copies>
constexpr MarchWork inplane_work() {
    constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector, in_space = Tile::height > 1 ? 1 : 0;
    constexpr int row = 1 + 2 * Tile::x_halo / V, column = in_space * 2 * R;
    constexpr int queue = Tile::queue_in_shared ? N * (R + 2) : 0;
    constexpr int vectors = N * row + column + queue, barriers_and_loop = 24;
    constexpr int element = sizeof(typename Tile::T), operations = N * V * ((4 + 2 * in_space) * R + 3);
    constexpr MarchWork work{
        .p = {in_sectors(R, element), in_space * R, R, Tile::layout.count == 1},
        .rho = {},
        .shared_bytes = 16 * vectors,
        .instructions = operations + vectors + 5 * N + barriers_and_loop,
        .operations = operations,
    };
    return with_frames<Tile, Copies>(work, in_space == 0);
}

// ---- The tiles that are compiled, for each copy engine. A new one is a line. ----

/// Calls add.operator()<Index>() for the index of every load strategy.
template <typename Add>
void for_each_strategy(const Add& add) {
    [&add]<int... Strategy>(std::integer_sequence<int, Strategy...>) {
        (add.template operator()<Strategy>(), ...);
    }
    (std::make_integer_sequence<int, static_cast<int>(kLoadStrategies.size())>{});
}

/// Calls add.operator()<Tile>() for tiles of one radius and strategy, of BX x BY threads with Rows rows of one vector.
template <typename T, int R, int Strategy>
struct TileList {
    template <int BX, int BY, int Rows, int Stages, bool QueueInShared, int Blocks, typename Add>
    static void one(const Add& add) {
        add.template operator()<Tile<T, R, BX, BY, Rows, Stages, QueueInShared, Blocks, Strategy>>();
    }
};

/// Calls add.operator()<Tile>() for the row of nodes that 2-D grids take: there is nothing to tile along y.
template <typename T, int R, int Strategy, typename Add>
void for_2d_tiles(const Add& add) {
    TileList<T, R, Strategy>::template one<64, 1, 1, 3, false, 1>(add);
}

/// Calls add.operator()<Tile>() for the tiles of copies by all threads.
template <typename T, int R, int Strategy, typename Add>
void for_async_tiles(const Add& add) {
    using List = TileList<T, R, Strategy>;
    // The second tile is for GPUs with 64 KiB of shared memory a block (sm_75).
    if constexpr (sizeof(T) == 8) {
        List::template one<32, 8, 2, 3, true, 1>(add);
        List::template one<32, 4, 1, 2, true, 1>(add);
    } else {
        List::template one<32, 8, 4, (R > 6 ? 2 : 3), (R > 4), 1>(add);
        if constexpr (R > 4) List::template one<32, 4, 2, 2, true, 1>(add);
    }
    for_2d_tiles<T, R, Strategy>(add);
}

/// Whether a rectangle of the strategy holds both halos along x.
constexpr bool has_rows_with_halo(const LoadStrategy& strategy) {
    for (int i = 0; i < strategy.rectangle_count; ++i) {
        const Rectangle& r = strategy.rectangle_list[i];
        if (r.x_begin == Edge::low_halo && r.x_end == Edge::high_halo) return true;
    }
    return false;
}

/// Calls add.operator()<Tile>() for the tiles of bulk-tensor copies, the fastest first: what `onda bench gpu
/// --all-tiles` measured on an H200. Wide tiles suit the memory; tall ones have less halo along y, which orders above 8
/// feel, and so does the one box of strategy full.
template <typename T, int R, int Strategy, typename Add>
void for_bulk_tensor_tiles(const Add& add) {
    using List = TileList<T, R, Strategy>;
    // A single box holds the corners, too; a row with its halo leaves no room for a core of 512 nodes, the widest box.
    [[maybe_unused]] constexpr bool full = kLoadStrategies[Strategy].rectangle_count == 1;
    [[maybe_unused]] constexpr bool widest = !has_rows_with_halo(kLoadStrategies[Strategy]);
    if constexpr (sizeof(T) == 8) {
        List::template one<32, 8, 2, 3, true, 1>(add);
    } else if constexpr (R <= 4) {
        constexpr int blocks = R == 1 ? 2 : 1;
        if constexpr (R == 1 && widest) List::template one<128, 2, 4, 3, false, blocks>(add);
        if constexpr (!full) List::template one<64, 4, 4, 3, false, blocks>(add);
#if !defined(ONDA_CUDA_QUICK)
        if constexpr (R > 1) List::template one<32, 16, 2, 3, false, 1>(add);
#endif
        if constexpr (full) List::template one<32, 8, 4, 3, false, blocks>(add);
#if !defined(ONDA_CUDA_QUICK)
        if constexpr (R > 1 && widest) List::template one<128, 2, 4, 3, false, blocks>(add);
        if constexpr (!full) List::template one<32, 8, 4, 3, false, blocks>(add);
        if constexpr (full) List::template one<64, 4, 4, 3, false, blocks>(add);
        if constexpr (R == 1) List::template one<32, 16, 2, 3, false, 1>(add);
#endif
    } else if constexpr (R <= 6) {
        List::template one<32, 8, 4, 3, true, 1>(add);
#if !defined(ONDA_CUDA_QUICK)
        List::template one<32, 16, 2, 3, true, 1>(add);
        List::template one<64, 4, 4, 3, true, 1>(add);
#endif
    } else {
        List::template one<32, 8, 4, 2, true, 1>(add);
#if !defined(ONDA_CUDA_QUICK)
        List::template one<16, 16, 4, 2, true, 1>(add);
#endif
    }
    for_2d_tiles<T, R, Strategy>(add);
}

/// Calls add.operator()<Tile>() for the tiles on codes of k: the fastest, and one that fits grids which it does not.
template <int R, int Strategy, typename Add>
void for_coded_tiles(const Add& add) {
    using List = TileList<float, R, Strategy>;
    if constexpr (R <= 4) {
        List::template one<64, 4, 4, 3, false, (R == 1 ? 2 : 1)>(add);
        List::template one<32, 8, 4, 3, false, (R == 1 ? 2 : 1)>(add);
    } else {
        List::template one<32, 8, 4, (R <= 6 ? 3 : 2), true, 1>(add);
    }
}

/// Calls add.operator()<Tile>() for the tiles of bulk-tensor copies for equations whose nodes have more arrays than the
/// star's, the fastest first: with one row a thread, registers have room for all of them.
template <int R, int Strategy, typename Add>
void for_one_row_tiles(const Add& add) {
    using List = TileList<float, R, Strategy>;
    List::template one<64, 8, 1, 3, false, 1>(add);
    List::template one<32, 16, 1, 3, false, 1>(add);
}

}  // namespace onda::cuda
