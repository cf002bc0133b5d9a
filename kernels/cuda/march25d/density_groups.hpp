/// \file
/// Variable density with bulk-tensor copies (TMA): a block owns a tile of the x-y plane and marches along z, and every
/// flux is computed once a tile. Some warps work in the plane: they compute its fluxes along x and y, several rows at a
/// time, and what these add to the divergence, and carry nothing from plane to plane. The other threads carry the sums
/// under way along z of their own nodes, add what the plane gives, and write p[n+1]; one of them asks for the planes of
/// p and rho. Planes pass from one group to the other through barriers, so that a group may be ahead of the other.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/march25d/density_bulk_tensor_copies.hpp"
#include "kernels/cuda/march25d/density_parts.hpp"
#include "kernels/cuda/own_nodes.hpp"
#include "kernels/cuda/ring_place.hpp"
#include "kernels/cuda/step_facts.hpp"

namespace onda::cuda {

/// What the two groups of warps of a block share.
template <typename Tile>
struct DensityBlock {
    using T = typename Tile::T;
    const DensityTileArguments<T>& a;
    T* shared;
    Barrier *p_full, *p_empty, *l_full, *l_empty, *fluxes_done;
    int x, y;  ///< node of the tile's corner
    ChunkOfPlanes planes;

    [[nodiscard]] __device__ __forceinline__ T* stage(int which) const { return shared + which * Tile::stage_size; }
    [[nodiscard]] __device__ __forceinline__ T* fluxes(int which) const {
        return shared + Tile::fluxes_at + which * Tile::flux_size;
    }
    /// What a plane adds to the divergence.
    [[nodiscard]] __device__ __forceinline__ T* l(int which) const { return shared + Tile::l_at + which * Tile::core; }
    [[nodiscard]] __device__ __forceinline__ int first() const { return planes.begin - Tile::behind; }
    [[nodiscard]] __device__ __forceinline__ int count() const { return planes.end - planes.begin + 2 * Tile::behind; }
    /// Asks for the plane of a step, once the buffer is empty.
    __device__ __forceinline__ void ask(int step, int buffer) const {
        const DensityMarch march{x, y, first(), count(), planes.begin - Tile::radius, planes.end + Tile::radius};
        if (step < march.count) copy_frames<Tile>(stage(buffer), a, march, step, p_full + buffer);
    }
    /// Whether the plane of this step is updated: the others only serve fluxes along z.
    [[nodiscard]] __device__ __forceinline__ bool updates(int step) const {
        return step >= Tile::behind && step < count() - Tile::behind;
    }
};

/// All fluxes of a plane along x and y. \param thread of the group.
template <typename Tile>
__device__ __forceinline__ void fluxes_of_plane(const DensityPlane<Tile>& plane, int thread,
                                                const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int V = Tile::vector, NX = Tile::rows_x, NY = Tile::rows_y, of_row = Tile::x_flux_row / V;
    for (int i = thread; i < Tile::y_groups * Tile::columns; i += Tile::plane_threads) {
        const int group = i / Tile::columns, x = i % Tile::columns * V, y = group * NY - Tile::radius;
        Vec<T> p[NY], s[NY];
        ONDA_UNROLL
        for (int j = 0; j < NY; ++j) {
            p[j] = load_vector(plane.p(x, y + j));
            s[j] = load_vector(plane.rho(x, y + j));
        }
        fluxes_along_y<Tile, NY>(plane, x, y, p, s, (group + 1) * NY <= Tile::y_flux_rows, w);
    }
    for (int i = thread; i < of_row * (Tile::height / NX); i += Tile::plane_threads) {
        const int x = i % of_row * V - Tile::before_x, y = i / of_row * NX;
        ONDA_UNROLL
        for (int j = 0; j < NX; ++j)
            flux_along_x(plane, x, y + j, load_vector(plane.p(x, y + j)), load_vector(plane.rho(x, y + j)), w);
    }
}

/// Computes what planes add to the divergence. \param thread of the group.
template <typename Tile>
__device__ __forceinline__ void apply_in_plane(const DensityBlock<Tile>& block, int thread) {
    using T = typename Tile::T;
    constexpr int V = Tile::vector, N = Tile::rows_l;
    RingPlace<Tile::stages> from;
    RingPlace<Tile::l_planes> to;
    RingPlace<1> done;
    const int count = block.count();
    ONDA_UNROLL_BY(1)
    for (int step = 0; step < count; ++step) {
        barrier_wait(block.p_full + from.buffer(), from.phase());
        const DensityPlane<Tile> plane{block.stage(from.buffer()), block.fluxes(done.phase())};
        const bool updates = block.updates(step);
        if (updates) fluxes_of_plane(plane, thread, block.a.stencil);
        barrier_arrive(block.p_empty + from.buffer());
        from.next();
        if (!updates) continue;
        barrier_arrive(block.fluxes_done);
        barrier_wait(block.fluxes_done, done.phase());
        done.next();
        if (step >= Tile::behind + Tile::l_planes) barrier_wait(block.l_empty + to.buffer(), to.phase() ^ 1);
        for (int i = thread; i < Tile::columns * (Tile::height / N); i += Tile::plane_threads) {
            const int x = i % Tile::columns * V, y = i / Tile::columns * N;
            Vec<T> l[N];
            divergence_in_plane(plane, x, y, block.a.stencil, l);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) store_vector(block.l(to.buffer()) + (y + j) * Tile::width + x, l[j]);
        }
        barrier_arrive(block.l_full + to.buffer());
        to.next();
    }
}

/// Carries the sums along z and computes p[n+1]. \param thread of the group.
template <typename Tile, typename Arguments>
__device__ __forceinline__ void carry_along_z(const DensityBlock<Tile>& block, const Arguments& a, int thread) {
    using T = typename Tile::T;
    constexpr int N = Tile::own_rows, behind = Tile::behind;
    const int own_x = thread % Tile::columns * Tile::vector, own_y = thread / Tile::columns * N;
    DensityColumns<Tile, N> own(block.shared + Tile::rings_at, own_x, own_y);
    OwnNodes<T, N, Arguments> nodes(a, block.x + own_x, block.y + own_y, block.planes.begin);
    RingPlace<Tile::stages> from;
    RingPlace<Tile::l_planes> of_l;
    const int count = block.count();
    ONDA_UNROLL_BY(1)
    for (int step = 0; step < count; ++step) {
        barrier_wait(block.p_full + from.buffer(), from.phase());
        const DensityPlane<Tile> plane{block.stage(from.buffer()), nullptr};
        Vec<T> p[N], flux[N], l[N] = {};
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) p[j] = load_vector(plane.p(own_x, own_y + j));
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) flux[j] = own.flux(j, a.stencil, p[j], load_vector(plane.rho(own_x, own_y + j)));
        barrier_arrive(block.p_empty + from.buffer());
        if (block.updates(step)) {
            barrier_wait(block.l_full + of_l.buffer(), of_l.phase());
            ONDA_UNROLL
            for (int j = 0; j < N; ++j)
                l[j] = load_vector(static_cast<const T*>(block.l(of_l.buffer())) + (own_y + j) * Tile::width + own_x);
            barrier_arrive(block.l_empty + of_l.buffer());
            of_l.next();
        }
        if (thread == 0) {  // about now the others are done with the plane, too
            barrier_wait(block.p_empty + from.buffer(), from.phase());
            block.ask(step + Tile::stages, from.buffer());
        }
        from.next();
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            const auto [p_of, l_of] = own.complete(j, a.stencil, flux[j], p[j], l[j]);
            nodes.advance(j, p_of, l_of, step >= 2 * behind);
        }
        if (step >= 2 * behind) nodes.move();
        if (step >= 2 * behind - 1 && step < count - 1) {  // wanted in the next pass of this loop
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) nodes.ask(j);
        }
        own.advance();
    }
}

/// p+ = 2p - p- + k div(1/rho grad p) on one tile of a chunk of planes. Block: Tile::threads along x. Grid: tiles along
/// x, tiles along y, chunks along z.
template <typename Tile, typename Arguments = DensityTileArguments<typename Tile::T>>
__global__ void __launch_bounds__(Tile::threads, 1) density_group_step(const __grid_constant__ Arguments a) {
    using T = typename Tile::T;
    auto* const barriers = reinterpret_cast<Barrier*>(reinterpret_cast<T*>(shared_memory()) + Tile::size);
    const DensityBlock<Tile> block{a,
                                   reinterpret_cast<T*>(shared_memory()),
                                   barriers,
                                   barriers + Tile::stages,
                                   barriers + 2 * Tile::stages,
                                   barriers + 2 * Tile::stages + Tile::l_planes,
                                   barriers + 2 * Tile::stages + 2 * Tile::l_planes,
                                   static_cast<int>(blockIdx.x) * Tile::width,
                                   static_cast<int>(blockIdx.y) * Tile::height,
                                   chunk_of_block(a.chunks, 0, a.nz)};
    const int thread = static_cast<int>(threadIdx.x);
    constexpr int of_plane = Tile::plane_threads, own = Tile::own_threads;
    if (thread == 0) {
        for (int i = 0; i < Tile::stages; ++i) {
            barrier_init(block.p_full + i, 1);
            barrier_init(block.p_empty + i, of_plane + own);
        }
        for (int i = 0; i < Tile::l_planes; ++i) {
            barrier_init(block.l_full + i, of_plane);
            barrier_init(block.l_empty + i, own);
        }
        barrier_init(block.fluxes_done, of_plane);
        barrier_init_fence();
        for (int i = 0; i < Tile::stages; ++i) block.ask(i, i);
    }
    __syncthreads();
    if (thread < of_plane)
        apply_in_plane(block, thread);
    else
        carry_along_z(block, a, thread - of_plane);
}

/// What a plane costs a block: its fluxes and what they add to the divergence, once for the tile with those around it;
/// a flux and the divergence along z of each node, in order of arrival; and what passes through shared memory for both.
template <typename Tile>
constexpr MarchWork density_group_work() {
    constexpr int R = Tile::radius, V = Tile::vector, element = sizeof(typename Tile::T);
    constexpr int y_vectors = Tile::y_flux_rows * Tile::width / V, x_vectors = Tile::x_flux_size / V;
    constexpr int core_vectors = Tile::core / V, flux_vectors = x_vectors + y_vectors;
    constexpr int flux = 2 * R + 6, divergence = 2 * R;
    constexpr int operations = V * (flux_vectors * flux + core_vectors * (2 * divergence + flux + divergence + 2));
    constexpr int of_reciprocals = element == 8 ? kLongReciprocal * V * (flux_vectors + core_vectors) : 0;
    constexpr int of_x = 4 + (Tile::before_x + Tile::after_x) / V;
    constexpr int of_y = 3 + (2 * R - 1 + Tile::rows_y) / Tile::rows_y;
    constexpr int of_l = 2 + (Tile::before_x + Tile::after_x) / V + (2 * R - 1 + Tile::rows_l) / Tile::rows_l;
    constexpr int own = 3 + 4;
    constexpr int vectors = x_vectors * of_x + y_vectors * of_y + core_vectors * (of_l + own);
    constexpr int addresses_and_loops = 40 * Tile::threads;
    return {
        .p = {in_sectors(2 * R - 1, element), 2 * R - 1, 2 * R - 1, false},
        .rho = {in_sectors(R, element), R, R, false},
        .shared_bytes = 16 * vectors / Tile::threads,
        .instructions = (operations + vectors + addresses_and_loops) / Tile::threads,
        .operations = (operations + of_reciprocals) / Tile::threads,
        .frame_bytes = Tile::stage_size * element,
        .copied_pieces = 0,
        .engine_lines = frame_lines(Tile::p, element) + frame_lines(Tile::rho, element),
        .ahead = Tile::stages - 1,
        .arrays = {.medium = 2},
    };
}

/// Calls add.operator()<Tile>() for the tiles that are compiled, the fastest known first; a new one is a line. The sums
/// of 12 warps with 168 registers a thread are as many as a multiprocessor holds.
template <typename T, int R, typename Add>
void for_density_group_tiles([[maybe_unused]] const Add& add) {
    constexpr int W = 16 * Vec<T>::size;
    // Warps of the plane; rows along x, along y, of the divergence; own rows; stages.
    if constexpr (R == 5 || R == 6)
        add.template operator()<DensityGroupTile<T, R, W, 16, 4, 2, 2, 2, 1, 3>>();
    else if constexpr (R >= 7)
        add.template operator()<DensityGroupTile<T, R, W, 16, 4, 4, (R == 8 ? 4 : 2), 2, 1, 2>>();
}

}  // namespace onda::cuda
