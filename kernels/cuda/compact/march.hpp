/// \file
/// Stencils of radius 1 that sum each plane once: the compact Laplacian, and the 5-point star in 2-D.
///
/// A block marches along z. Of each plane it loads tile, halo and corners once, sums the plane
/// (kernels/equations/compact/compact.hpp), and the sums serve the Laplacians of this plane and of those on either
/// side. How threads, loads and nodes correspond is a matter of the tile and its copy engine; the two mappings of
/// Garcés Chaperó (2011), Operación stencil en CUDA:
///   direct      threads map to the nodes they compute; those at the rim of the block also fetch the halo;
///   overlapped  threads map to all loaded elements, one load each without a branch; those at the rim do nothing else,
///               and neighbouring blocks overlap by two;
/// and the in-plane method's, where all of a tile is one rectangle for the copy engine.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/inplane/async_copies.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/cuda/vectors.hpp"
#include "kernels/equations/compact/compact.hpp"

namespace onda::cuda {

/// \tparam BX, BY threads; each has Rows rows of one 16-byte vector. BY = Rows = 1 is the tile of a 2-D grid.
/// \tparam Stages planes in shared memory. \tparam Unroll planes of the march that are unrolled.
/// \tparam Ahead planes ahead of which p[n-1] and k are asked for. \tparam Blocks that must fit a multiprocessor.
/// \tparam Rim 1 where the outermost threads only load.
template <typename T_, int BX, int BY, int Rows, int Stages, int Unroll, int Ahead, int Blocks, int Rim>
struct MarchTile {
    using T = T_;
    static constexpr int radius = 1, block_x = BX, block_y = BY, rows = Rows, stages = Stages, unroll = Unroll,
                         ahead = Ahead, blocks = Blocks;
    static constexpr int dimensions = BY * Rows == 1 ? 2 : 3;
    static constexpr int rim = Rim, rim_y = dimensions == 3 ? Rim : 0;
    static constexpr int vector = Vec<T>::size;
    static constexpr int width = (BX - 2 * rim) * vector, height = BY * Rows - 2 * rim_y, threads = BX * BY;
    static constexpr int x_halo = vector, queue_size = 0;
    static constexpr TileLayout layout = make_tile_layout(kFullStrategy, width, height, dimensions == 3 ? 1 : 0, x_halo,
                                                          128 / static_cast<int>(sizeof(T)));
    static constexpr int map_unit = width + 2 * x_halo > 256 ? 2 : 1;
    static_assert(Rim == 0 || Rows == 1, "a thread at the rim computes nothing");
};

/// Threads copy the elements they map to; without a rim of their own, the outermost ones also the halo next to them.
template <typename Tile>
struct SharedAsMapped {
    template <typename Copy>
    static __device__ __forceinline__ void for_pieces(const Copy& copy) {
        constexpr StoredRectangle frame = Tile::layout.rectangle[0];
        constexpr bool fetches_halo = Tile::rim == 0, in_space = Tile::dimensions == 3;
        const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
        const int x_begin = fetches_halo && tx == 0 ? -1 : 0, x_end = fetches_halo && tx == Tile::block_x - 1 ? 2 : 1;
        const int y_begin = fetches_halo && in_space && ty == 0 ? -1 : 0;
        const int y_end = Tile::rows + (fetches_halo && in_space && ty == Tile::block_y - 1 ? 1 : 0);
        for (int j = y_begin; j < y_end; ++j)
            for (int i = x_begin; i < x_end; ++i) {
                const int x = (tx - Tile::rim + i) * Tile::vector, y = ty * Tile::rows - Tile::rim_y + j;
                copy((y - frame.y) * frame.width + x - frame.x, x, y);
            }
    }
};

template <typename Tile>
using MappedCopies = PipelinedCopies<Tile, SharedAsMapped<Tile>>;

/// L(z) = (side(z - 1) + own(z)) + side(z + 1).
template <typename T, int Dims>
struct CompactOperator {
    static __device__ __forceinline__ PlaneSums<T> sums(T c, T e, T d, const Stencil<T>& s) {
        return plane_sums<Dims>(c, e, d, s.compact, ScalarFma{});
    }
    /// \param centre, side of the plane before; \param own of this one.
    static __device__ __forceinline__ T begin(const Stencil<T>&, T, T side, T own) { return side + own; }
    /// \param centre, side of the plane behind.
    static __device__ __forceinline__ T complete(const Stencil<T>&, T pending, T, T side) { return pending + side; }
};

/// The star of order 2 in 2-D, in the order of kernels/equations/star/stencil.hpp.
template <typename T, int Dims>
struct StarOperator {
    static_assert(Dims == 2);
    static __device__ __forceinline__ PlaneSums<T> sums(T c, T e, T, const Stencil<T>& s) {
        return {fused(s.axis[0][1], e, s.centre * c), T(0)};
    }
    static __device__ __forceinline__ T begin(const Stencil<T>& s, T centre, T, T own) {
        return fused(s.axis[2][1], centre, own);
    }
    static __device__ __forceinline__ T complete(const Stencil<T>& s, T pending, T centre, T) {
        return fused(s.axis[2][1], centre, pending);
    }
};

/// Calls row_done(j, centre, own, side) with the sums of each of a thread's rows, from (x, y) of the tile frame on.
/// Three rows of the frame are alive at a time.
template <typename Tile, typename Operator, typename RowDone>
__device__ __forceinline__ void sum_plane(const typename Tile::T* tile, int x, int y,
                                          const Stencil<typename Tile::T>& s, const RowDone& row_done) {
    using T = typename Tile::T;
    constexpr int V = Tile::vector, Y = Tile::dimensions == 3 ? 1 : 0, rows = Tile::rows + 2 * Y;
    Vec<T> c[rows], pair[rows];
    ONDA_UNROLL
    for (int i = 0; i < rows; ++i) {
        const T* const at = tile_element<Tile>(tile, x, y + i - Y);
        c[i] = load_vector(at);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v)
            pair[i].v[v] =
                (v == 0 ? at[-1] : c[i].v[v == 0 ? 0 : v - 1]) + (v == V - 1 ? at[V] : c[i].v[v == V - 1 ? v : v + 1]);
        if (i < 2 * Y) continue;
        Vec<T> own, side;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            T e = pair[i - Y].v[v], d = T(0);
            if constexpr (Y == 1) {
                e = e + (c[i - 2].v[v] + c[i].v[v]);
                d = pair[i - 2].v[v] + pair[i].v[v];
            }
            const PlaneSums<T> sums = Operator::sums(c[i - Y].v[v], e, d, s);
            own.v[v] = sums.own;
            side.v[v] = sums.side;
        }
        row_done(i - 2 * Y, c[i - Y], own, side);
    }
}

/// p[n-1] and k of a thread's nodes, asked for some planes ahead.
template <typename Tile>
class Streams {
public:
    using T = typename Tile::T;
    /// \param x, y the thread's first node; \param z_begin, z_end the planes it updates.
    __device__ __forceinline__ Streams(const InPlaneArguments<T>& a, int x, int y, int z_begin, int z_end)
        : a_(a), x_(x), y_(y), z_load_(z_begin), z_end_(z_end), z_(z_begin) {
        ONDA_UNROLL
        for (int i = 0; i + 1 < Tile::ahead; ++i) load(i);
    }
    /// Asks for the next plane.
    __device__ __forceinline__ void ask() { load(Tile::ahead - 1); }
    /// Updates row j of the oldest plane that was asked for.
    __device__ __forceinline__ void update(int j, Vec<T> p, Vec<T> l) {
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < Tile::vector; ++v) next.v[v] = leapfrog(p.v[v], q_[0][j].v[v], k_[0][j].v[v], l.v[v]);
        if (y_ + j < a_.ny) store_inside(a_.q + z_ * a_.plane + (y_ + j) * a_.pitch + x_, next, a_.nx - x_);
        ONDA_UNROLL
        for (int i = 0; i + 1 < Tile::ahead; ++i) {
            q_[i][j] = q_[i + 1][j];
            k_[i][j] = k_[i + 1][j];
        }
    }
    /// The plane was updated.
    __device__ __forceinline__ void advance() { ++z_; }

private:
    __device__ __forceinline__ void load(int slot) {
        if (z_load_ >= z_end_) return;
        const T* const q = a_.q + z_load_ * a_.plane + y_ * a_.pitch + x_;
        const T* const k = a_.k + z_load_ * a_.k_plane + y_ * a_.k_pitch + x_;
        ++z_load_;
        ONDA_UNROLL
        for (int j = 0; j < Tile::rows; ++j)
            if (x_ < a_.nx && y_ + j < a_.ny) {
                q_[slot][j] = load_streaming(q + j * a_.pitch);
                k_[slot][j] = load_streaming(k + j * a_.k_pitch);
            }
    }

    const InPlaneArguments<T>& a_;
    int x_, y_, z_load_, z_end_, z_;
    Vec<T> q_[Tile::ahead][Tile::rows] = {}, k_[Tile::ahead][Tile::rows] = {};
};

/// p+ = 2p - p- + k L(p) on one tile of a chunk of planes. Block: (block_x, block_y). Grid: tiles along x,
/// tiles along y, chunks along z.
template <typename Tile, template <typename> class Copies, typename Operator>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    march_step(const __grid_constant__ InPlaneArguments<typename Tile::T> a) {
    using T = typename Tile::T;
    constexpr int N = Tile::rows, V = Tile::vector;
    const int thread = static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x);
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = (static_cast<int>(threadIdx.x) - Tile::rim) * V;
    const int local_y = static_cast<int>(threadIdx.y) * N - Tile::rim_y;
    const bool computes =
        Tile::rim == 0 || (local_x >= 0 && local_x < Tile::width && local_y >= 0 && local_y < Tile::height);
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const int planes = z_end - z_begin + 2;

    Copies<Tile> copies(a, March{tile_x, tile_y, z_begin - 1, planes}, thread);
    Streams<Tile> streams(a, tile_x + local_x, tile_y + local_y, z_begin, computes ? z_end : z_begin);
    Vec<T> before[N] = {}, side_before[N] = {}, pending[N] = {};
    ONDA_UNROLL_BY(Tile::unroll)
    for (int step = 0; step < planes; ++step) {
        const T* const tile = copies.begin(step);
        if (computes) {
            const auto row_done = [&](int j, Vec<T> centre, Vec<T> own, Vec<T> side) {
                if (step >= 2) {  // the plane before is complete
                    Vec<T> l;
                    ONDA_UNROLL
                    for (int v = 0; v < V; ++v)
                        l.v[v] = Operator::complete(a.stencil, pending[j].v[v], centre.v[v], side.v[v]);
                    streams.update(j, before[j], l);
                }
                ONDA_UNROLL
                for (int v = 0; v < V; ++v)
                    pending[j].v[v] = Operator::begin(a.stencil, before[j].v[v], side_before[j].v[v], own.v[v]);
                before[j] = centre;
                side_before[j] = side;
            };
            sum_plane<Tile, Operator>(tile, local_x, local_y, a.stencil, row_done);
            if (step >= 2) streams.advance();
            if (step >= 1) streams.ask();
        }
        copies.end(step);
    }
    copies.finish();
}

/// What a plane costs: per node the pair along x, in 3-D those along y and of the corners, the two sums of the plane,
/// their part in three Laplacians, and the update; per row of the frame that a thread sums a vector and its two
/// neighbours.
template <typename Tile, template <typename> class Copies>
constexpr MarchWork march_work() {
    constexpr int N = Tile::rows, V = Tile::vector, in_space = Tile::dimensions == 3 ? 1 : 0,
                  frame_rows = N + 2 * in_space;
    constexpr int operations = V * (frame_rows + N * (10 + 3 * in_space)), loop = 24 / Tile::unroll + 6;
    constexpr int element = sizeof(typename Tile::T);
    constexpr MarchWork work{
        .p = {in_sectors(1, element), in_space, 1, true},
        .rho = {},
        .shared_bytes = 16 * 3 * frame_rows,  // neighbours of vectors are 16 bytes apart: four wavefronts as well
        .instructions = operations + 3 * frame_rows + 5 * N + loop,
        .operations = operations,
    };
    return with_frames<Tile, Copies>(work, in_space == 0);
}

// ---- The tiles that are compiled. A new one is a line. ----

/// Calls add.operator()<Tile>() for the tiles of the compact stencil in-plane, the fastest on an H200 first:
/// docs/performance.md.
template <typename T, typename Add>
void for_compact_inplane_tiles(const Add& add) {
    if constexpr (sizeof(T) == 8) {
        add.template operator()<MarchTile<T, 32, 8, 2, 3, 2, 1, 1, 0>>();
    } else {
        add.template operator()<MarchTile<T, 32, 8, 2, 3, 2, 2, 2, 0>>();
#if !defined(ONDA_CUDA_QUICK)
        add.template operator()<MarchTile<T, 32, 16, 1, 3, 8, 1, 2, 0>>();
        add.template operator()<MarchTile<T, 32, 8, 3, 3, 2, 1, 2, 0>>();
        add.template operator()<MarchTile<T, 64, 4, 4, 3, 2, 1, 2, 0>>();
        add.template operator()<MarchTile<T, 32, 8, 2, 3, 4, 1, 3, 0>>();
        add.template operator()<MarchTile<T, 32, 8, 4, 3, 2, 1, 2, 0>>();
#endif
    }
    add.template operator()<MarchTile<T, 64, 1, 1, 4, 4, 2, 1, 0>>();
}

/// Calls add.operator()<Tile>() for the tiles whose threads map to the nodes they compute, the fastest on an H200
/// first.
template <typename T, typename Add>
void for_direct_tiles(const Add& add) {
    add.template operator()<MarchTile<T, 32, 8, 2, 4, 4, 1, 1, 0>>();
#if !defined(ONDA_CUDA_QUICK)
    add.template operator()<MarchTile<T, 32, 16, 1, 4, 4, 1, 1, 0>>();
    add.template operator()<MarchTile<T, 64, 8, 1, 3, 2, 1, 1, 0>>();
    add.template operator()<MarchTile<T, 32, 8, 1, 4, 8, 1, 1, 0>>();
#endif
}

/// Calls add.operator()<Tile>() for the tiles whose threads at the rim only load, the fastest on an H200 first: one row
/// a thread.
template <typename T, typename Add>
void for_overlapped_tiles(const Add& add) {
    add.template operator()<MarchTile<T, 64, 16, 1, 3, 2, 1, 1, 1>>();
#if !defined(ONDA_CUDA_QUICK)
    add.template operator()<MarchTile<T, 32, 32, 1, 4, 4, 1, 1, 1>>();
    add.template operator()<MarchTile<T, 32, 16, 1, 4, 4, 1, 2, 1>>();
#endif
}

/// Calls add.operator()<Tile>() for the tiles of 2-D grids, a row of nodes, the fastest on an H200 first.
/// \tparam Rim 0 where threads map to the nodes they compute, 1 where those at the rim only load.
template <typename T, int Rim, typename Add>
void for_row_tiles(const Add& add) {
    if constexpr (Rim == 0) add.template operator()<MarchTile<T, 32, 1, 1, 4, 2, 1, 1, Rim>>();
    if constexpr (Rim > 0) add.template operator()<MarchTile<T, 256, 1, 1, 4, 4, 2, 1, Rim>>();
#if !defined(ONDA_CUDA_QUICK)
    add.template operator()<MarchTile<T, 128, 1, 1, 4, 4, 2, 1, Rim>>();
    add.template operator()<MarchTile<T, 128, 1, 1, 8, 8, 4, 1, Rim>>();
#endif
}

}  // namespace onda::cuda
