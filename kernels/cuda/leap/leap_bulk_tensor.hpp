/// \file
/// The leap with bulk-tensor copies (TMA). A block owns a tile of the x-y plane and marches along z. One warp asks for
/// the planes of p and k. Inner warps apply the in-plane method to p and write u = k L(p) on the tile and r nodes
/// around it to shared memory; outer warps apply it again, to u, and write p[n+2]. Planes pass from one group to the
/// next through barriers, so that a group may be ahead of the other.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/leap/leap_tile.hpp"
#include "kernels/cuda/vectors.hpp"
#include "kernels/equations/star/leap.hpp"

namespace onda::cuda {

/// The in-plane method on the columns of a thread: the Laplacians that wait for planes to come, the nearest first, and
/// the values of the planes before.
/// \tparam Pitch of a plane in shared memory; \tparam Halo nodes that are read beside a vector, whole vectors.
template <typename T, int R, int Rows, int Pitch, int Halo>
class PlaneSums {
public:
    static constexpr int V = Vec<T>::size;

    /// Takes the next plane. Returns the Laplacian R planes behind, which is complete now, and its centre.
    __device__ __forceinline__ void complete(const T* plane, const Stencil<T>& s, Vec<T> (&l)[Rows],
                                             Vec<T> (&of)[Rows]) {
        ONDA_UNROLL
        for (int j = 0; j < Rows; ++j) {
            centre_[j] = load_vector(plane + j * Pitch);
            l[j] = add_weighted(s.axis[2][R], centre_[j], pending_[j][R - 1]);
            of[j] = previous_[j][R - 1];
        }
    }
    /// Begins the Laplacian of the plane that complete() took, if anybody will need it, and moves on.
    __device__ __forceinline__ void begin(const T* plane, const Stencil<T>& s, bool needed) {
        ONDA_UNROLL
        for (int j = 0; j < Rows; ++j) ONDA_UNROLL
        for (int i = R - 1; i > 0; --i) pending_[j][i] = add_weighted(s.axis[2][i], centre_[j], pending_[j][i - 1]);
        if (needed) {
            Vec<T> l[Rows];
            add_x_pairs(plane, s, l);
            add_y_pairs(plane, s, l);
            ONDA_UNROLL
            for (int j = 0; j < Rows; ++j) {
                ONDA_UNROLL
                for (int i = 1; i <= R; ++i) l[j] = add_weighted(s.axis[2][i], previous_[j][i - 1], l[j]);
                pending_[j][0] = l[j];
            }
        }
        ONDA_UNROLL
        for (int j = 0; j < Rows; ++j) {
            ONDA_UNROLL
            for (int i = R - 1; i > 0; --i) previous_[j][i] = previous_[j][i - 1];
            previous_[j][0] = centre_[j];
        }
    }

private:
    __device__ __forceinline__ void add_x_pairs(const T* plane, const Stencil<T>& s, Vec<T> (&l)[Rows]) const {
        ONDA_UNROLL
        for (int j = 0; j < Rows; ++j) {
            T row[V + 2 * Halo];
            ONDA_UNROLL
            for (int m = 0; m < (V + 2 * Halo) / V; ++m) {
                const Vec<T> a = m == Halo / V ? centre_[j] : load_vector(plane + j * Pitch - Halo + m * V);
                ONDA_UNROLL
                for (int v = 0; v < V; ++v) row[m * V + v] = a.v[v];
            }
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) {
                T sum = s.centre * row[Halo + v];
                ONDA_UNROLL
                for (int k = 1; k <= R; ++k) sum = fused(s.axis[0][k], row[Halo + v - k] + row[Halo + v + k], sum);
                l[j].v[v] = sum;
            }
        }
    }
    __device__ __forceinline__ void add_y_pairs(const T* plane, const Stencil<T>& s, Vec<T> (&l)[Rows]) const {
        Vec<T> window[Rows + 2 * R];  // rows -R … Rows - 1 + R; few of them are alive at a time
        ONDA_UNROLL
        for (int j = 0; j < Rows; ++j) window[R + j] = centre_[j];
        ONDA_UNROLL
        for (int k = 1; k <= R; ++k) {
            window[R - k] = load_vector(plane - k * Pitch);
            window[R + Rows - 1 + k] = load_vector(plane + (Rows - 1 + k) * Pitch);
            ONDA_UNROLL
            for (int j = 0; j < Rows; ++j) ONDA_UNROLL
            for (int v = 0; v < V; ++v)
                l[j].v[v] = fused(s.axis[1][k], window[R + j - k].v[v] + window[R + j + k].v[v], l[j].v[v]);
        }
    }

    Vec<T> centre_[Rows];
    Vec<T> pending_[Rows][R] = {}, previous_[Rows][R] = {};
};

/// What the three groups of warps of a block share.
template <typename Tile>
struct LeapBlock {
    using T = typename Tile::T;
    using Stored = typename Tile::Stored;
    const typename ArgumentsOf<Tile>::type& a;
    T* shared;
    Barrier *p_full, *p_empty, *u_full, *u_empty;
    int x, y;  ///< node of the tile's corner
    ChunkOfPlanes planes;

    __device__ __forceinline__ T* stage(int which) const { return shared + Tile::stages_at + which * Tile::stage_size; }
    __device__ __forceinline__ T* inner(int which) const { return shared + Tile::inner_at + which * Tile::inner_size; }
    /// p of a plane that waits; its k follows.
    __device__ __forceinline__ T* waiting(int which) const {
        return shared + Tile::waiting_at + which * Tile::waiting_size;
    }
    /// k of a plane of p that has arrived, or that waits.
    [[nodiscard]] static __device__ __forceinline__ Stored* k_after(T* p, int size_of_p) {
        return reinterpret_cast<Stored*>(p + size_of_p);
    }
    __device__ __forceinline__ int count_of_p() const { return planes.end - planes.begin + 4 * Tile::radius; }
};

/// Asks for planes of p, and of k for the u that each plane of p completes.
template <typename Tile>
__device__ __forceinline__ void copy_planes(const LeapBlock<Tile>& block) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, bytes = static_cast<int>(sizeof(T));
    RingPlace<Tile::stages> place;
    const int count = block.count_of_p();
    for (int step = 0; step < count; ++step) {
        if (step >= Tile::stages) barrier_wait(block.p_empty + place.buffer(), place.phase() ^ 1);
        T* const to = block.stage(place.buffer());
        Barrier* const full = block.p_full + place.buffer();
        const int z = block.planes.begin - 2 * R + step;
        const bool with_k = step >= 2 * R;
        constexpr int k_bytes = Tile::k_width * Tile::inner_height * static_cast<int>(sizeof(typename Tile::Stored));
        barrier_expect(full, bytes * Tile::p_width * Tile::p_height + (with_k ? k_bytes : 0));
        // Coordinates of p begin in its halo, those of k on the first node.
        copy_box(to, &block.a.p_map, block.x - Tile::p_halo + Tile::inner_halo, block.y - 2 * R + block.a.y_halo, z + R,
                 full);
        if (with_k) copy_box(to + Tile::p_size, &block.a.k_map, block.x - Tile::k_halo, block.y - R, z - R, full);
        place.next();
    }
}

/// Computes u on the tile and around it. \param thread of the group.
template <typename Tile>
__device__ __forceinline__ void apply_once(const LeapBlock<Tile>& block, int thread) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::inner_rows, V = Tile::vector;
    const auto& a = block.a;
    const bool active = thread < Tile::inner_threads;
    const int column = thread % Tile::inner_columns * V, row = thread / Tile::inner_columns * N;  // of the plane of u
    const int core_x = column - Tile::inner_halo, core_y = row - R;
    const int x = block.x + core_x, y = block.y + core_y;
    const bool core_column = core_x >= 0 && core_x < Tile::width;
    const bool tile_inside = block.x >= Tile::inner_halo && block.x + Tile::width + Tile::inner_halo <= a.nx &&
                             block.y >= R && block.y + Tile::height + R <= a.ny;
    const int p_at = (row + R) * Tile::p_width + column + Tile::p_halo - Tile::inner_halo;
    const int u_at = row * Tile::inner_width + column, core_at = core_y * Tile::width + core_x;
    const int k_at = row * Tile::k_width + column + Tile::k_halo - Tile::inner_halo;
    PlaneSums<T, R, N, Tile::p_width, Tile::inner_halo> sums;
    RingPlace<Tile::stages> from;
    RingPlace<Tile::planes> to;
    const int count = block.count_of_p();
    int waiting = 0;
    ONDA_UNROLL_BY(1)
    for (int step = 0; step < count; ++step) {
        T* const stage = block.stage(from.buffer());
        barrier_wait(block.p_full + from.buffer(), from.phase());
        Vec<T> l[N], p[N];
        if (active) sums.complete(stage + p_at, a.stencil, l, p);
        if (step >= 2 * R) {
            if (step >= 2 * R + Tile::planes) barrier_wait(block.u_empty + to.buffer(), to.phase() ^ 1);
            if (active) {
                const int z = block.planes.begin - 3 * R + step;
                const bool all_inside = tile_inside && z >= 0 && z < a.nz;
                T* const u = block.inner(to.buffer()) + u_at;
                ONDA_UNROLL
                for (int j = 0; j < N; ++j) {
                    const auto stored =
                        load_stored(static_cast<const typename Tile::Stored*>(block.k_after(stage, Tile::p_size)) +
                                    k_at + j * Tile::k_width);
                    const Vec<T> k = decoded(k_of(a), stored);
                    Vec<T> value;
                    ONDA_UNROLL
                    for (int v = 0; v < V; ++v) value.v[v] = leap_inner(k.v[v], l[j].v[v]);
                    if (!all_inside) {  // beyond the grid it is zero, without a sign
                        const bool row_inside = z >= 0 && z < a.nz && y + j >= 0 && y + j < a.ny;
                        ONDA_UNROLL
                        for (int v = 0; v < V; ++v)
                            if (!row_inside || x + v < 0 || x + v >= a.nx) value.v[v] = T(0);
                    }
                    *reinterpret_cast<Vec<T>*>(u + j * Tile::inner_width) = value;
                    if (core_column && core_y + j >= 0 && core_y + j < Tile::height) {
                        T* const core = block.waiting(waiting);
                        const int at = core_at + j * Tile::width;
                        *reinterpret_cast<Vec<T>*>(core + at) = p[j];
                        if constexpr (Tile::waits_decoded)
                            *reinterpret_cast<Vec<T>*>(core + Tile::core_size + at) = k;
                        else
                            store_stored(block.k_after(core, Tile::core_size) + at, stored);
                    }
                }
            }
            barrier_arrive(block.u_full + to.buffer());
            to.next();
            if (++waiting == Tile::waiting) waiting = 0;
        }
        if (active) sums.begin(stage + p_at, a.stencil, step >= R && step < count - R);
        barrier_arrive(block.p_empty + from.buffer());
        from.next();
    }
}

/// Computes p[n+2] of the tile from u. \param thread of the group.
template <typename Tile>
__device__ __forceinline__ void apply_again(const LeapBlock<Tile>& block, int thread) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::outer_rows, V = Tile::vector;
    const auto& a = block.a;
    const int column = thread % Tile::outer_columns * V, row = thread / Tile::outer_columns * N;
    const int x = block.x + column, y = block.y + row;
    const bool active = thread < Tile::outer_threads;
    const int u_at = (row + R) * Tile::inner_width + column + Tile::inner_halo, core_at = row * Tile::width + column;
    T* q = a.q + block.planes.begin * a.plane + y * a.pitch + x;
    PlaneSums<T, R, N, Tile::inner_width, Tile::inner_halo> sums;
    RingPlace<Tile::planes> from;
    const int count = block.planes.end - block.planes.begin + 2 * R;
    int waiting = 0;
    Vec<T> before[N] = {};
    ONDA_UNROLL_BY(1)
    for (int step = 0; step < count; ++step) {
        Vec<T> next_before[N];
        const bool wants_before = active && step >= 2 * R - 1 && step < count - 1;
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (wants_before && x < a.end[0] && y + j < a.end[1])
                next_before[j] = load_streaming(static_cast<const T*>(q) + (step >= 2 * R ? a.plane : 0) + j * a.pitch);
        const T* const u_plane = block.inner(from.buffer()) + u_at;
        barrier_wait(block.u_full + from.buffer(), from.phase());
        if (active) {
            Vec<T> l[N], u[N];
            sums.complete(u_plane, a.stencil, l, u);
            if (step >= 2 * R) {
                T* const core = block.waiting(waiting);
                const typename Tile::Stored* const core_k = block.k_after(core, Tile::core_size);
                ONDA_UNROLL
                for (int j = 0; j < N; ++j) {
                    const Vec<T> p = load_vector(static_cast<const T*>(core) + core_at + j * Tile::width);
                    const Vec<T> k = [&] {
                        if constexpr (Tile::waits_decoded)
                            return load_vector(static_cast<const T*>(core) + Tile::core_size + core_at +
                                               j * Tile::width);
                        else
                            return decoded(k_of(a), load_stored(core_k + core_at + j * Tile::width));
                    }();
                    Vec<T> next;
                    ONDA_UNROLL
                    for (int v = 0; v < V; ++v)
                        next.v[v] = leap(a.weights, p.v[v], before[j].v[v], u[j].v[v], k.v[v], l[j].v[v]);
                    if (y + j < a.end[1]) store_inside(q + j * a.pitch, next, a.end[0] - x);
                }
                q += a.plane;
            }
            sums.begin(u_plane, a.stencil, step >= R && step < count - R);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) before[j] = next_before[j];
        }
        barrier_arrive(block.u_empty + from.buffer());
        from.next();
        if (step >= R && ++waiting == Tile::waiting) waiting = 0;
    }
}

/// p[n+2] on one tile of a chunk of planes. Block: Tile::threads along x. Grid: tiles along x, along y, chunks along z.
template <typename Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    leap_bulk_tensor_step(const __grid_constant__ typename ArgumentsOf<Tile>::type a) {
    using T = typename Tile::T;
    auto* const barriers = reinterpret_cast<Barrier*>(reinterpret_cast<T*>(shared_memory()) + Tile::size);
    const LeapBlock<Tile> block{a,
                                reinterpret_cast<T*>(shared_memory()),
                                barriers,
                                barriers + Tile::stages,
                                barriers + 2 * Tile::stages,
                                barriers + 2 * Tile::stages + Tile::planes,
                                a.begin[0] + static_cast<int>(blockIdx.x) * Tile::width,
                                a.begin[1] + static_cast<int>(blockIdx.y) * Tile::height,
                                chunk_of_block(a.chunks, a.begin[2], a.end[2])};
    const int thread = static_cast<int>(threadIdx.x);
    constexpr int inner_warps = Tile::inner_warps, outer_warps = Tile::outer_warps;
    if (thread == 0) {
        for (int i = 0; i < Tile::stages; ++i) {
            barrier_init(block.p_full + i, 1);
            barrier_init(block.p_empty + i, 32 * inner_warps);
        }
        for (int i = 0; i < Tile::planes; ++i) {
            barrier_init(block.u_full + i, 32 * inner_warps);
            barrier_init(block.u_empty + i, 32 * outer_warps);
        }
        barrier_init_fence();
    }
    __syncthreads();
    if (thread < 32 * inner_warps)
        apply_once(block, thread);
    else if (thread < 32 * (inner_warps + outer_warps))
        apply_again(block, thread - 32 * inner_warps);
    else if (thread == 32 * (inner_warps + outer_warps))
        copy_planes(block);
}

}  // namespace onda::cuda
