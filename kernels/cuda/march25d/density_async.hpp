/// \file
/// Variable density, marching, on every GPU: all threads of a block copy tile and halo of p and rho, compute every flux
/// of the plane once a tile, add them up, and carry the sums under way along z of their own nodes.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/march25d/density_parts.hpp"
#include "kernels/cuda/step_facts.hpp"

namespace onda::cuda {

/// The planes a block copies: tile and halo of p on planes first, first + 1, …, of rho on [rho_begin, rho_end) of them.
struct DensityMarch {
    int x, y;          ///< node of the tile's corner
    int first, count;  ///< planes
    int rho_begin, rho_end;
};

/// Copies planes of p and rho into shared memory: pieces of 16 bytes by all threads.
template <typename Tile>
class DensityCopies {
public:
    using T = typename Tile::T;
    __device__ __forceinline__ DensityCopies(const DensityArguments<T>& a, DensityMarch march)
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
            const int z = march_.first + step;
            T* const to = stages_ + stage * Tile::stage_size;
            copy<Tile::p_x, Tile::p_y>(to, a_.p + z * a_.plane, a_.pitch, a_.x_halo, a_.y_halo);
            if (z >= march_.rho_begin && z < march_.rho_end)
                copy<Tile::rho_x, Tile::rho_y>(to + Tile::p_size, a_.half_rho + z * a_.rho_plane, a_.rho_pitch,
                                               a_.rho_x_halo, a_.rho_y_halo);
        }
        copies_commit();
    }
    /// A frame with FX and FY nodes of halo; its corners are not needed.
    template <int FX, int FY>
    __device__ __forceinline__ void copy(T* to, const T* plane, std::int64_t pitch, int x_halo, int y_halo) {
        constexpr int pieces_x = (Tile::width + 2 * FX) / Tile::vector, rows = Tile::height + 2 * FY;
        for (int i = thread_; i < pieces_x * rows; i += Tile::threads) {
            const int dx = i % pieces_x * Tile::vector - FX, dy = i / pieces_x - FY;
            const int x = march_.x + dx, y = march_.y + dy;
            const bool corner = (dx < 0 || dx >= Tile::width) && (dy < 0 || dy >= Tile::height);
            const bool inside = !corner && x >= -x_halo && x < a_.nx + x_halo && y >= -y_halo && y < a_.ny + y_halo;
            copy_async16(to + i * Tile::vector, inside ? plane + y * pitch + x : plane, inside);
        }
    }

    const DensityArguments<T>& a_;
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
template <typename Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    density_async_step(const __grid_constant__ DensityArguments<typename Tile::T> a) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, behind = Tile::behind;
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = static_cast<int>(threadIdx.x) * Tile::vector, local_y = static_cast<int>(threadIdx.y);
    const int x = tile_x + local_x, y = tile_y + local_y;
    const bool inside = x < a.nx && y < a.ny;
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const int first = z_begin - behind, planes = z_end - z_begin + 2 * behind;

    DensityCopies<Tile> copies(a, DensityMarch{tile_x, tile_y, first, planes, z_begin - R, z_end + R});
    T* const shared = reinterpret_cast<T*>(shared_memory());
    DensityColumns<Tile, 1> own(shared + Tile::rings_at, local_x, local_y);
    T* q = a.q + z_begin * a.plane + y * a.pitch + x;
    const T* k = a.k + z_begin * a.k_plane + y * a.k_pitch + x;

    for (int step = 0; step < planes; ++step) {
        const DensityPlane<Tile> plane{copies.begin(step), shared + Tile::fluxes_at};
        const Vec<T> p[1] = {load_vector(plane.p(local_x, local_y))}, s[1] = {load_vector(plane.rho(local_x, local_y))};
        Vec<T> l[1] = {};
        const bool updates = step >= behind && step < planes - behind;
        if (updates) {
            flux_along_x(plane, local_x, local_y, p[0], s[0], a.stencil);
            fluxes_along_y<Tile, 1>(plane, local_x, local_y, p, s, true, a.stencil);
            fluxes_around(plane, a.stencil);
        }
        const Vec<T> flux = own.flux(0, a.stencil, p[0], s[0]);
        if (updates) {
            __syncthreads();
            divergence_in_plane(plane, local_x, local_y, a.stencil, l);
        }
        const Vec<T> next = own.update(0, a.stencil, flux, p[0], l[0]);
        if (step >= 2 * behind) {
            if (y < a.ny) store_inside(q, next, a.nx - x);
            q += a.plane;
            k += a.k_plane;
        }
        if (step >= 2 * behind - 1 && step < planes - 1 && inside) own.ask(0, q, k);  // wanted in the next pass
        own.advance();
    }
    copies.finish();
}

/// What a plane costs: per node three fluxes, those around the core among them, and their divergence, along z in order of
/// arrival; frames of p and rho by pieces of 16 bytes; fluxes through shared memory, and two rings of own planes.
template <typename Tile>
constexpr MarchWork density_work() {
    constexpr int R = Tile::radius, V = Tile::vector, element = sizeof(typename Tile::T);
    constexpr int y_fluxes = Tile::y_flux_rows * Tile::width, x_fluxes = Tile::x_flux_size;
    // Of a flux, and of the divergence and the update of a node.
    constexpr int flux = 2 * R + 6, divergence = 4 * R + 2 * R + 2;
    constexpr int operations = (y_fluxes + x_fluxes) * flux / Tile::threads + V * (flux + divergence);
    constexpr int reciprocals = (y_fluxes + x_fluxes) / Tile::threads + V;
    constexpr int of_reciprocals = element == 8 ? kLongReciprocal * reciprocals : 0;
    constexpr int loads = (y_fluxes * (2 * R + 3) + x_fluxes * 6) / (V * Tile::threads);
    constexpr int own = 2 * R + 3 + 4 + 4, address = 30;
    return {
        .p = {in_sectors(2 * R - 1, element), 2 * R - 1, 2 * R - 1, false},
        .rho = {in_sectors(R, element), R, R, false},
        .shared_bytes = 16 * (loads + own),
        .instructions = operations + loads + own + address,
        .operations = operations + of_reciprocals,
        .frame_bytes = Tile::stage_size * element,
        .copied_pieces = Tile::stage_size / V,
        .ahead = Tile::stages - 1,
        .medium_arrays = 2,
    };
}

/// Calls add.operator()<Tile>() for the tiles that are compiled, the fastest known first; a new one is a line. GPUs that
/// have not the shared memory for them take the direct kernel.
template <typename T, int R, typename Add>
void for_async_density_tiles(const Add& add) {
    add.template operator()<DensityTile<T, R, 16, 16, 2, (R > 4 ? 1 : 2)>>();
    add.template operator()<DensityTile<T, R, 16, 8, 2, 1>>();
}

}  // namespace onda::cuda
