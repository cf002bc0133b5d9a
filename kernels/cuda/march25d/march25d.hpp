/// \file
/// The 2.5-D kernel of Micikevicius (2009), GPGPU-2, at constant density: a block owns a tile of the x-y plane and
/// marches along z. A thread keeps its own vector of 2r + 1 planes in a queue of registers; the tile of the current
/// plane and its halo are in shared memory. Two stages take turns there, so that one barrier a plane suffices.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// One compiled shape of the 2.5-D kernel.
/// \tparam BX, BY threads; each computes one 16-byte vector of a plane.
template <typename T_, int R, int BX, int BY>
struct March25dTile {
    using T = T_;
    static constexpr int radius = R, block_x = BX, block_y = BY;
    static constexpr int vector = Vec<T>::size, width = BX * vector, height = BY, threads = BX * BY;
    static constexpr int x_halo = (R + vector - 1) / vector * vector;
    static constexpr int row = width + 2 * x_halo;
    static constexpr int stage_size = row * (height + 2 * R);
    static constexpr int shared_bytes = 2 * stage_size * static_cast<int>(sizeof(T));
};

/// A thread's own vector of each plane, at node (x, y), and the p around it.
template <typename Tile>
struct March25dThread {
    using T = typename Tile::T;
    const StepArguments<T>& a;
    int tx, ty, x, y;

    __device__ __forceinline__ explicit March25dThread(const StepArguments<T>& arguments)
        : a(arguments),
          tx(static_cast<int>(threadIdx.x)),
          ty(static_cast<int>(threadIdx.y)),
          x(static_cast<int>(blockIdx.x) * Tile::width + tx * Tile::vector),
          y(static_cast<int>(blockIdx.y) * Tile::height + ty) {}

    /// p of the vector (dx, dy) nodes away, in plane z; zeros beyond the halo.
    [[nodiscard]] __device__ __forceinline__ Vec<T> load(int dx, int dy, int z) const {
        const bool inside = x + dx < a.nx + Tile::x_halo && y + dy >= -a.y_halo && y + dy < a.ny + a.y_halo;
        return inside ? *reinterpret_cast<const Vec<T>*>(a.p + z * a.plane + (y + dy) * a.pitch + x + dx) : Vec<T>{};
    }
    /// Where this thread's vector lies in a stage.
    [[nodiscard]] __device__ __forceinline__ T* place_in(T* stage) const {
        return stage + (ty + Tile::radius) * Tile::row + Tile::x_halo + tx * Tile::vector;
    }
    /// Writes this thread's share of plane z to shared memory: its own vector, and what of the halo falls to it.
    /// \param centre place of the vector in the stage.
    __device__ __forceinline__ void share_plane(T* centre, Vec<T> own, int z) const {
        constexpr int R = Tile::radius, H = Tile::x_halo, W = Tile::width, BY = Tile::block_y;
        const auto put = [&](int dx, int dy, Vec<T> value) {
            *reinterpret_cast<Vec<T>*>(centre + dy * Tile::row + dx) = value;
        };
        put(0, 0, own);
        if (tx < H / Tile::vector) {
            put(-H, 0, load(-H, 0, z));
            put(W, 0, load(W, 0, z));
        }
        for (int i = ty; i < R; i += BY) {
            put(0, i - ty - R, load(0, i - ty - R, z));
            put(0, i - ty + BY, load(0, i - ty + BY, z));
        }
    }
};

/// The centre and the x pairs of the Laplacian of one vector. \param centre the vector in a stage.
template <typename Tile>
__device__ __forceinline__ Vec<typename Tile::T> sum_along_x(const typename Tile::T* centre,
                                                             const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int V = Tile::vector, H = Tile::x_halo;
    T window[V + 2 * H];
    ONDA_UNROLL
    for (int m = 0; m < (V + 2 * H) / V; ++m) {
        const Vec<T> part = load_vector(centre - H + m * V);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) window[m * V + v] = part.v[v];
    }
    Vec<T> l;
    ONDA_UNROLL
    for (int v = 0; v < V; ++v) {
        l.v[v] = w.centre * window[H + v];
        ONDA_UNROLL
        for (int k = 1; k <= Tile::radius; ++k)
            l.v[v] = fused(w.axis[0][k], window[H + v - k] + window[H + v + k], l.v[v]);
    }
    return l;
}

/// Adds the y pairs to the Laplacian of one vector. \param centre the vector in a stage.
template <typename Tile>
__device__ __forceinline__ void add_along_y(const typename Tile::T* centre, const Stencil<typename Tile::T>& w,
                                            Vec<typename Tile::T>& l) {
    using T = typename Tile::T;
    ONDA_UNROLL
    for (int k = 1; k <= Tile::radius; ++k) {
        const Vec<T> below = load_vector(centre - k * Tile::row);
        const Vec<T> above = load_vector(centre + k * Tile::row);
        ONDA_UNROLL
        for (int v = 0; v < Tile::vector; ++v) l.v[v] = fused(w.axis[1][k], below.v[v] + above.v[v], l.v[v]);
    }
}

/// A thread's own vector of planes z - R … z + R.
template <typename T, int R>
struct PlaneQueue {
    Vec<T> plane[2 * R + 1];

    /// Moves on to the next z, whose plane z + R is `newest`.
    __device__ __forceinline__ void advance(Vec<T> newest) {
        ONDA_UNROLL
        for (int i = 0; i < 2 * R; ++i) plane[i] = plane[i + 1];
        plane[2 * R] = newest;
    }
    /// Adds the backward, then the forward half of z to element v of the Laplacian.
    [[nodiscard]] __device__ __forceinline__ T add_along_z(int v, const T* weights, T l) const {
        ONDA_UNROLL
        for (int k = 1; k <= R; ++k) l = fused(weights[k], plane[R - k].v[v], l);
        ONDA_UNROLL
        for (int k = 1; k <= R; ++k) l = fused(weights[k], plane[R + k].v[v], l);
        return l;
    }
};

/// What a plane costs: per node 6 r + 3 operations, and 2 r moves of the queue; a vector of every row and column
/// around, and p[n-1], k and p of the plane r ahead. The halo comes with every plane, and nothing is on its way before.
template <typename Tile>
constexpr MarchWork march25d_work() {
    constexpr int R = Tile::radius, V = Tile::vector, in_space = Tile::height > 1 ? 1 : 0;
    constexpr int halo = (2 * Tile::x_halo * Tile::height + in_space * 2 * R * Tile::width) / (V * Tile::threads) + 1;
    constexpr int vectors = 1 + 2 * Tile::x_halo / V + in_space * 2 * R, address = 12, barrier_and_loop = 24;
    constexpr int element = sizeof(typename Tile::T), operations = V * ((4 + 2 * in_space) * R + 3);
    return {
        .p = {in_sectors(R, element), in_space * R, R, false},
        .rho = {},
        .shared_bytes = 16 * vectors,
        .instructions = operations + 2 * R * V + vectors + 4 + halo * address + barrier_and_loop,
        .operations = operations,
        .frame_bytes = Tile::stage_size * element,
        .copied_pieces = 0,
        .ahead = 0,
    };
}

/// p+ = 2p - p- + k L(p) on one tile of a chunk of planes. Block: (BX, BY). Grid: tiles along x, along
/// y, chunks along z.
template <typename T, int R, int BX, int BY>
__global__ void __launch_bounds__(BX* BY) march25d_step(const __grid_constant__ StepArguments<T> a) {
    using Tile = March25dTile<T, R, BX, BY>;
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const March25dThread<Tile> mine(a);
    const bool inside = mine.x < a.nx && mine.y < a.ny;
    PlaneQueue<T, R> queue;
    ONDA_UNROLL
    for (int i = 0; i < 2 * R; ++i) queue.plane[i + 1] = mine.load(0, 0, z_begin - R + i);

    T* stage = reinterpret_cast<T*>(shared_memory());
    T* other = stage + Tile::stage_size;
    for (int z = z_begin; z < z_end; ++z) {
        queue.advance(mine.load(0, 0, z + R));
        T* const q = a.q + z * a.plane + mine.y * a.pitch + mine.x;
        Vec<T> q_now{}, k_now{};
        if (inside) {
            q_now = load_streaming(static_cast<const T*>(q));
            k_now = load_streaming(a.k + z * a.k_plane + mine.y * a.k_pitch + mine.x);
        }
        T* const centre = mine.place_in(stage);
        mine.share_plane(centre, queue.plane[R], z);
        __syncthreads();
        Vec<T> l = sum_along_x<Tile>(centre, a.stencil);
        if (a.stencil.dimensions == 3) add_along_y<Tile>(centre, a.stencil, l);
        ONDA_UNROLL
        for (int v = 0; v < Tile::vector; ++v) {
            l.v[v] = queue.add_along_z(v, a.stencil.axis[2], l.v[v]);
            q_now.v[v] = leapfrog(queue.plane[R].v[v], q_now.v[v], k_now.v[v], l.v[v]);
        }
        if (inside) store_inside(q, q_now, a.nx - mine.x);
        T* const swapped = stage;
        stage = other;
        other = swapped;
    }
}

}  // namespace onda::cuda
