/// \file
/// Variable density, marching: all threads of a block compute the fluxes of the plane that has arrived, once a tile,
/// and carry the sums under way along z of their own nodes. While the fluxes of a plane along x and y are computed into
/// shared memory, those of the plane before are added up: one barrier a plane.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/march25d/density_parts.hpp"
#include "kernels/cuda/own_nodes.hpp"
#include "kernels/cuda/step_facts.hpp"

namespace onda::cuda {

/// Copies planes of p and rho into shared memory: pieces of 16 bytes by all threads.
template <typename Tile>
class DensityAsyncCopies {
public:
    using T = typename Tile::T;
    /// Copies of a plane that threads ask for.
    static constexpr int pieces = (Tile::p.elements() + Tile::rho.elements()) / Tile::vector;

    __device__ __forceinline__ DensityAsyncCopies(const DensityTileArguments<T>& a, DensityMarch march)
        : a_(a),
          march_(march),
          thread_(static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x)),
          stages_(reinterpret_cast<T*>(shared_memory())) {
        for (int s = 0; s < Tile::stages - 1; ++s) start(s, s);
    }
    /// The frame of p of the next plane once it has arrived; every thread is done with the plane before.
    __device__ __forceinline__ const T* begin(int step) {
        copies_wait<Tile::stages - 2>();
        __syncthreads();
        start(stage_ == 0 ? Tile::stages - 1 : stage_ - 1, step + Tile::stages - 1);
        const T* const frame = stages_ + stage_ * Tile::stage_size;
        if (++stage_ == Tile::stages) stage_ = 0;
        return frame;
    }
    __device__ __forceinline__ void finish() { copies_wait<0>(); }

private:
    __device__ __forceinline__ void start(int stage, int step) {
        if (step < march_.count) {
            constexpr int size_of_p = Tile::p.size();
            const int z = march_.first + step;
            T* const to = stages_ + stage * Tile::stage_size;
            copy<Tile::p>(to, a_.p + z * a_.plane, a_.pitch, a_.x_halo, a_.y_halo);
            if (z >= march_.rho_begin && z < march_.rho_end)
                copy<Tile::rho>(to + size_of_p, a_.half_rho + z * a_.rho_plane, a_.rho_pitch, a_.rho_x_halo,
                                a_.rho_y_halo);
        }
        copies_commit();
    }
    /// Copies a frame of a plane to shared memory, without its corners, which are not needed.
    template <FrameLayout Frame>
    __device__ __forceinline__ void copy(T* to, const T* plane, std::int64_t pitch, int x_halo, int y_halo) {
        constexpr int pieces_x = Frame.row() / Tile::vector, rows = Frame.rows();
        for (int i = thread_; i < pieces_x * rows; i += Tile::threads) {
            const int dx = i % pieces_x * Tile::vector - Frame.halo_x, dy = i / pieces_x - Frame.halo_y;
            const int x = march_.x + dx, y = march_.y + dy;
            const bool corner = (dx < 0 || dx >= Tile::width) && (dy < 0 || dy >= Tile::height);
            const bool inside = !corner && x >= -x_halo && x < a_.nx + x_halo && y >= -y_halo && y < a_.ny + y_halo;
            copy_async16(to + i * Tile::vector, inside ? plane + y * pitch + x : plane, inside);
        }
    }

    const DensityTileArguments<T>& a_;
    DensityMarch march_;
    int thread_;
    T* stages_;
    int stage_ = 0;
};

/// The fluxes of a plane that lie around the core, shared among the threads of the block.
template <typename Tile>
__device__ __forceinline__ void fluxes_around(const DensityPlane<Tile>& plane, const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int V = Tile::vector, H = Tile::height, R = Tile::radius;
    constexpr int left = Tile::before_x / V, beside = left + Tile::after_x / V;
    constexpr int along_x = beside * H, along_y = (2 * R - 1) * Tile::block_x;
    for (int i = static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x); i < along_x + along_y; i += Tile::threads)
        if (i < along_x) {
            const int y = i / beside, vector = i % beside;
            const int x = vector < left ? vector * V - Tile::before_x : Tile::width + (vector - left) * V;
            flux_along_x(plane, x, y, load_vector(plane.p(x, y)), load_vector(plane.rho(x, y)), w);
        } else {
            const int row = (i - along_x) / Tile::block_x, x = (i - along_x) % Tile::block_x * V;
            const int y = row < R ? row - R : H + row - R;
            const Vec<T> own[1] = {load_vector(plane.p(x, y))}, s[1] = {load_vector(plane.rho(x, y))};
            fluxes_along_y<Tile, 1>(plane, x, y, own, s, true, w);
        }
}

/// p+ = 2p - p- + k div(1/rho grad p) on one tile of a chunk of planes. Block: (block_x, block_y). Grid: tiles along x,
/// tiles along y, chunks along z.
template <typename Tile, template <typename> class Copies, typename Arguments = DensityTileArguments<typename Tile::T>>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) density_march_step(const __grid_constant__ Arguments a) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::rows, behind = Tile::behind;
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = static_cast<int>(threadIdx.x) * Tile::vector, local_y = static_cast<int>(threadIdx.y) * N;
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const int planes = z_end - z_begin + 2 * behind;

    Copies<Tile> copies(a, DensityMarch{tile_x, tile_y, z_begin - behind, planes, z_begin - R, z_end + R});
    T* const shared = reinterpret_cast<T*>(shared_memory());
    DensityColumns<Tile, N> own(shared + Tile::rings_at, local_x, local_y);
    OwnNodes<T, N, Arguments> nodes(a, tile_x + local_x, tile_y + local_y, z_begin);

    Vec<T> p_before[N] = {}, flux_before[N] = {};
    for (int step = 0; step <= planes; ++step) {
        const auto fluxes = [shared](int which) { return shared + Tile::fluxes_at + which % 2 * Tile::flux_size; };
        const auto updates = [planes = planes](int of_step) {  // others only serve fluxes along z
            return of_step >= behind && of_step < planes - behind;
        };
        Vec<T> p[N], s[N];
        if (step < planes) {
            const DensityPlane<Tile> plane{copies.begin(step), fluxes(step)};
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                p[j] = load_vector(plane.p(local_x, local_y + j));
                s[j] = load_vector(plane.rho(local_x, local_y + j));
            }
            if (updates(step)) {
                ONDA_UNROLL
                for (int j = 0; j < N; ++j) flux_along_x(plane, local_x, local_y + j, p[j], s[j], a.stencil);
                fluxes_along_y<Tile, N>(plane, local_x, local_y, p, s, true, a.stencil);
                fluxes_around(plane, a.stencil);
            }
        }
        if (step > 0) {
            const DensityPlane<Tile> plane_before{nullptr, fluxes(step + 1)};
            Vec<T> l[N] = {};
            if (updates(step - 1)) divergence_in_plane(plane_before, local_x, local_y, a.stencil, l);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                const auto [p_of, l_of] = own.complete(j, a.stencil, flux_before[j], p_before[j], l[j]);
                nodes.advance(j, p_of, l_of, step > 2 * behind);
            }
            if (step > 2 * behind) nodes.move();
        }
        if (step < planes) {
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                if (step >= 2 * behind) nodes.ask(j);  // wanted in the next pass of this loop
                flux_before[j] = own.flux(j, a.stencil, p[j], s[j]);
                p_before[j] = p[j];
            }
            own.advance();
        }
    }
    copies.finish();
}

/// What a plane costs: per node three fluxes, those around the core among them, and their divergence, along z in order
/// of arrival; fluxes through shared memory, and two rings of own planes.
template <typename Tile, template <typename> class Copies>
constexpr MarchWork density_march_work() {
    constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector, element = sizeof(typename Tile::T);
    constexpr int y_fluxes = Tile::y_flux_rows * Tile::width, x_fluxes = Tile::x_flux_size;
    // Operations of a flux, and of the divergence and the update of a node.
    constexpr int flux = 2 * R + 6, divergence = 4 * R + 2 * R + 2;
    constexpr int operations = (y_fluxes + x_fluxes) * flux / Tile::threads + N * V * (flux + divergence);
    constexpr int reciprocals = (y_fluxes + x_fluxes) / Tile::threads + N * V;
    constexpr int of_reciprocals = element == 8 ? kLongReciprocal * reciprocals : 0;
    constexpr int beside = (Tile::before_x + Tile::after_x) / V;
    constexpr int of_fluxes = N * (beside + 5) + 2 * R + N;
    constexpr int around = (y_fluxes + x_fluxes - 2 * Tile::core) * (2 * R + 3) / (V * Tile::threads);
    constexpr int of_divergence = N * (1 + beside) + N + 2 * R - 1, rings = 4 * N;
    constexpr int vectors = of_fluxes + around + of_divergence + rings, address_and_loop = 60;
    return {
        .p = {in_sectors(2 * R - 1, element), 2 * R - 1, 2 * R - 1, false},
        .rho = {in_sectors(R, element), R, R, false},
        .shared_bytes = 16 * vectors,
        .instructions = operations + vectors + 5 * N + address_and_loop,
        .operations = operations + of_reciprocals,
        .frame_bytes = Tile::stage_size * element,
        .copied_pieces = Copies<Tile>::pieces,
        .engine_lines = Copies<Tile>::pieces > 0 ? 0. : frame_lines(Tile::p, element) + frame_lines(Tile::rho, element),
        .ahead = Tile::stages - 1,
        .arrays = {.medium = 2},
    };
}

/// Calls add.operator()<Tile>() for the tiles of copies by all threads, the fastest known first; a new one is a line.
/// GPUs that have not the shared memory for them take the direct kernel.
template <typename T, int R, typename Add>
void for_async_density_tiles(const Add& add) {
    add.template operator()<DensityTile<T, R, 16, 16, 1, 2, (R > 4 ? 1 : 2)>>();
    if constexpr (R > 4) add.template operator()<DensityTile<T, R, 16, 8, 1, 2, 1>>();
}

/// Calls add.operator()<Tile>() for the tiles of bulk-tensor copies, the fastest known first: where two rows of sums
/// fit the registers of a thread.
template <typename T, int R, typename Add>
void for_bulk_tensor_density_tiles([[maybe_unused]] const Add& add) {
    if constexpr (R == 1) {
        add.template operator()<DensityTile<T, R, 32, 8, 2, 3, 2>>();
#if !defined(ONDA_CUDA_QUICK)
        add.template operator()<DensityTile<T, R, 16, 16, 2, 3, 2>>();
#endif
    } else if constexpr (R <= 4) {
        add.template operator()<DensityTile<T, R, 16, 8, 2, 2, 2>>();
#if !defined(ONDA_CUDA_QUICK)
        add.template operator()<DensityTile<T, R, 16, 16, 2, 2, 1>>();
#endif
    }
}

}  // namespace onda::cuda
