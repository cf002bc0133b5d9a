/// \file
/// Variable density, marching: a block walks along z, and every flux is computed once a tile.
///
/// Of the plane that has just arrived, tile and halo of p and rho are in shared memory. While its fluxes along x and y
/// are computed into shared memory, those of the plane before are summed up. Along z nothing needs neighbours: a plane
/// completes the flux r planes behind and adds its share to the 2r - 1 fluxes under way; the flux adds its share to the
/// 2r - 1 divergences under way, and that 2r - 1 planes behind is then complete. Sums under way stay in a thread's
/// registers, where each moves on with the addition that it takes anyway. One barrier a plane.
#pragma once

#include "kernels/cuda/chunks.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/march25d/density_tile.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/cuda/vectors.hpp"
#include "kernels/equations/density/staggered.hpp"

namespace onda::cuda {

/// The frames of one plane that has arrived, and the fluxes of it that are computed, at a vector of node (x, y) of the
/// tile.
template <typename Tile>
struct DensityPlane {
    using T = typename Tile::T;
    const T* frame;  ///< of p; that of rho follows
    T* fluxes;       ///< along x; those along y follow

    [[nodiscard]] __device__ __forceinline__ const T* p(int x, int y) const {
        return frame + (y + Tile::p_y) * Tile::p_row + Tile::p_x + x;
    }
    [[nodiscard]] __device__ __forceinline__ const T* rho(int x, int y) const {
        return frame + Tile::p_size + (y + Tile::rho_y) * Tile::rho_row + Tile::rho_x + x;
    }
    /// Between nodes x and x + 1.
    [[nodiscard]] __device__ __forceinline__ T* x_flux(int x, int y) const {
        return fluxes + y * Tile::x_flux_row + Tile::before_x + x;
    }
    /// Between nodes y and y + 1.
    [[nodiscard]] __device__ __forceinline__ T* y_flux(int x, int y) const {
        return fluxes + Tile::x_flux_size + (y + Tile::radius) * Tile::width + x;
    }
};

template <typename T>
__device__ __forceinline__ void store_vector(T* to, Vec<T> a) {
    *reinterpret_cast<Vec<T>*>(to) = a;
}

/// The fluxes along x of one vector. \param own its p; \param s its rho / 2.
template <typename Tile>
__device__ __forceinline__ void flux_along_x(const DensityPlane<Tile>& plane, int x, int y, Vec<typename Tile::T> own,
                                             Vec<typename Tile::T> s, const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector, before = Tile::vectors_for(R - 1), after = Tile::vectors_for(R);
    const T* const p = plane.p(x, y);
    T window[before + V + after];
    ONDA_UNROLL
    for (int m = 0; m < (before + V + after) / V; ++m) {
        const Vec<T> part = m == before / V ? own : load_vector(p - before + m * V);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) window[m * V + v] = part.v[v];
    }
    const T s_next = plane.rho(x, y)[V];
    Vec<T> f;
    ONDA_UNROLL
    for (int v = 0; v < V; ++v)
        f.v[v] = buoyancy(s.v[v], v + 1 < V ? s.v[v + 1 < V ? v + 1 : v] : s_next) *
                 half_step<T, R>(window + before + v, 1, w.axis[0], T(0));
    store_vector(plane.x_flux(x, y), f);
}

/// The fluxes along y of N rows of one vector. \param own their p; \param s their rho / 2.
template <typename Tile, int N>
__device__ __forceinline__ void fluxes_along_y(const DensityPlane<Tile>& plane, int x, int y,
                                               const Vec<typename Tile::T> (&own)[N],
                                               const Vec<typename Tile::T> (&s)[N],
                                               const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector;
    const T* const p = plane.p(x, y);
    Vec<T> low[N], high[N], sum[N];  // rows y + j + 1 - k and y + j + k
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) low[j] = own[j];
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) high[j] = j + 1 < N ? own[j + 1 < N ? j + 1 : j] : load_vector(p + N * Tile::p_row);
    ONDA_UNROLL
    for (int k = 1; k <= R; ++k) {
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            const T pair = high[j].v[v] - low[j].v[v];
            sum[j].v[v] = k == 1 ? w.axis[1][k] * pair : fused(w.axis[1][k], pair, sum[j].v[v]);
        }
        if (k == R) break;
        ONDA_UNROLL
        for (int j = 0; j + 1 < N; ++j) {
            low[N - 1 - j] = low[N - 2 - j];
            high[j] = high[j + 1];
        }
        low[0] = load_vector(p - k * Tile::p_row);
        high[N - 1] = load_vector(p + (N + k) * Tile::p_row);
    }
    const Vec<T> s_next = load_vector(plane.rho(x, y + N));
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) {
        const Vec<T> far = j + 1 < N ? s[j + 1 < N ? j + 1 : j] : s_next;
        Vec<T> f;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) f.v[v] = buoyancy(s[j].v[v], far.v[v]) * sum[j].v[v];
        store_vector(plane.y_flux(x, y + j), f);
    }
}

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
            fluxes_along_y<Tile, 1>(plane, x, y, own, s, w);
        }
}

/// The part of the divergence that one plane holds, of the rows from (x, y) of the tile on.
template <typename Tile>
__device__ __forceinline__ void divergence_in_plane(const DensityPlane<Tile>& plane, int x, int y,
                                                    const Stencil<typename Tile::T>& w,
                                                    Vec<typename Tile::T> (&l)[Tile::rows]) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector, N = Tile::rows;
    constexpr int before = Tile::vectors_for(R), vectors = (before + V + Tile::vectors_for(R - 1)) / V;
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) {
        const T* const f = plane.x_flux(x, y + j);
        T window[vectors * V];
        ONDA_UNROLL
        for (int m = 0; m < vectors; ++m) {
            const Vec<T> part = load_vector(f - before + m * V);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) window[m * V + v] = part.v[v];
        }
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            l[j].v[v] = w.axis[0][1] * (window[before + v] - window[before + v - 1]);
            ONDA_UNROLL
            for (int k = 2; k <= R; ++k)
                l[j].v[v] = fused(w.axis[0][k], window[before + v + k - 1] - window[before + v - k], l[j].v[v]);
        }
    }
    Vec<T> row[N + 2 * R - 1];  // fluxes above rows y - R … y + N + R - 2; few of them are alive at a time
    const T* const f = plane.y_flux(x, y);
    ONDA_UNROLL
    for (int j = 0; j < N - 1; ++j) row[R + j] = load_vector(f + j * Tile::width);
    ONDA_UNROLL
    for (int k = 1; k <= R; ++k) {
        row[R - k] = load_vector(f - k * Tile::width);
        row[R + N - 2 + k] = load_vector(f + (N - 2 + k) * Tile::width);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) ONDA_UNROLL
        for (int v = 0; v < V; ++v)
            l[j].v[v] = fused(w.axis[1][k], row[R + j + k - 1].v[v] - row[R + j - k].v[v], l[j].v[v]);
    }
}

/// A thread's own values in the last `Count` planes, in shared memory.
template <typename Tile, int Count>
class OwnPlanes {
public:
    using T = typename Tile::T;
    __device__ __forceinline__ explicit OwnPlanes(T* shared)
        : mine_(shared + (threadIdx.y * Tile::rows * Tile::block_x + threadIdx.x) * Tile::vector) {}
    [[nodiscard]] __device__ __forceinline__ Vec<T> oldest(int row) const { return load_vector(place(row)); }
    __device__ __forceinline__ void replace_oldest(int row, Vec<T> newest) { store_vector(place(row), newest); }
    __device__ __forceinline__ void advance() {
        if (++slot_ >= Count) slot_ = 0;
    }

private:
    [[nodiscard]] __device__ __forceinline__ T* place(int row) const {
        return mine_ + slot_ * Tile::core + row * Tile::width;
    }
    T* mine_;
    int slot_ = 0;
};

/// Sums under way along z, the youngest first: add() takes the value that has arrived and returns the complete sum.
template <typename T, int R>
class Arrivals {
public:
    /// \param youngest the youngest sum, with the value that has arrived.
    __device__ __forceinline__ Vec<T> add(const T* d, Vec<T> arrived, Vec<T> youngest) {
        const Vec<T> complete = add_weighted(d[R], arrived, sum_[2 * R - 2]);
        ONDA_UNROLL
        for (int j = 2 * R - 2; j > 0; --j) sum_[j] = add_weighted(arrival_weight(d, R, j), arrived, sum_[j - 1]);
        sum_[0] = youngest;
        return complete;
    }

private:
    Vec<T> sum_[2 * R - 1] = {};
};

/// A thread's own nodes while its block marches: the sums under way along z, and the values of planes before that they
/// wait for.
template <typename Tile>
class DensityColumns {
public:
    using T = typename Tile::T;
    static constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector;
    /// Planes between the one that has arrived and the one that it completes.
    static constexpr int behind = 2 * R - 1;

    /// \param shared memory of the block for Tile::ring_size values.
    __device__ __forceinline__ explicit DensityColumns(T* shared)
        : p_planes_(shared), rho_planes_(shared + 2 * R * Tile::core) {}
    /// p+ of row j of the plane that the one before has completed. \param l what that adds along x and y.
    __device__ __forceinline__ Vec<T> update(int j, const Stencil<T>& w, Vec<T> l) {
        const Vec<T> complete = divergences_[j].add(w.axis[2], flux_[j], add_weighted(-w.axis[2][R], flux_[j], l));
        const Vec<T> p = p_planes_.oldest(j);
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) next.v[v] = leapfrog(p.v[v], q_[j].v[v], k_[j].v[v], complete.v[v]);
        return next;
    }
    /// Takes p and rho of row j of the plane that has arrived, which complete a flux.
    __device__ __forceinline__ void take(int j, const Stencil<T>& w, Vec<T> p, Vec<T> rho) {
        const T* const d = w.axis[2];
        p_planes_.replace_oldest(j, p);
        Vec<T> rho_next = rho, youngest;
        if constexpr (R > 1) {
            rho_next = rho_planes_.oldest(j);
            rho_planes_.replace_oldest(j, rho);
        }
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) youngest.v[v] = -d[R] * p.v[v];
        flux_[j] = fluxes_[j].add(d, p, youngest);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) flux_[j].v[v] = buoyancy(rho_before_[j].v[v], rho_next.v[v]) * flux_[j].v[v];
        rho_before_[j] = rho_next;
    }
    /// Asks for p[n-1] and k of the plane that update() computes next.
    __device__ __forceinline__ void ask(int j, const T* q, const T* k) {
        q_[j] = load_streaming(q);
        k_[j] = load_streaming(k);
    }
    /// All rows are taken: the next plane may arrive.
    __device__ __forceinline__ void advance() {
        p_planes_.advance();
        rho_planes_.advance();
    }

private:
    OwnPlanes<Tile, 2 * R> p_planes_;
    OwnPlanes<Tile, R - 1> rho_planes_;
    Arrivals<T, R> fluxes_[N], divergences_[N];
    Vec<T> flux_[N] = {}, rho_before_[N] = {}, q_[N] = {}, k_[N] = {};
};

/// p+ = 2p - p- + k div(1/rho grad p) on one tile of a chunk of planes. Block: (block_x, block_y). Grid: tiles along x,
/// tiles along y, chunks along z.
template <typename Tile, template <typename> class Copies>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    march25d_density_step(const __grid_constant__ DensityTileArguments<typename Tile::T> a) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::rows, behind = DensityColumns<Tile>::behind;
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = static_cast<int>(threadIdx.x) * Tile::vector, local_y = static_cast<int>(threadIdx.y) * N;
    const int x = tile_x + local_x, y = tile_y + local_y;
    const auto [z_begin, z_end] = chunk_of_block(a.chunks, 0, a.nz);
    const int first = z_begin - behind, planes = z_end - z_begin + 2 * behind;

    Copies<Tile> copies(a, DensityMarch{tile_x, tile_y, first, planes, z_begin - R, z_end + R});
    T* const shared = reinterpret_cast<T*>(shared_memory());
    DensityColumns<Tile> own(shared + Tile::rings_at);
    T* q = a.q + z_begin * a.plane + y * a.pitch + x;
    const T* k = a.k + z_begin * a.k_plane + y * a.k_pitch + x;

    for (int step = 0; step <= planes; ++step) {
        DensityPlane<Tile> plane{nullptr, shared + Tile::fluxes_at + step % 2 * Tile::flux_size};
        DensityPlane<Tile> plane_before{nullptr, shared + Tile::fluxes_at + (step + 1) % 2 * Tile::flux_size};
        const int z = first + step;  // the plane that has arrived; sums take the one before
        Vec<T> p[N], rho[N];
        if (step < planes) {
            plane.frame = copies.begin(step);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                p[j] = load_vector(plane.p(local_x, local_y + j));
                rho[j] = load_vector(plane.rho(local_x, local_y + j));
            }
            if (z >= z_begin && z < z_end) {
                ONDA_UNROLL
                for (int j = 0; j < N; ++j) flux_along_x(plane, local_x, local_y + j, p[j], rho[j], a.stencil);
                fluxes_along_y<Tile, N>(plane, local_x, local_y, p, rho, a.stencil);
                fluxes_around(plane, a.stencil);
            }
        }
        if (step > 0) {
            Vec<T> l[N] = {};
            if (z > z_begin && z <= z_end) divergence_in_plane(plane_before, local_x, local_y, a.stencil, l);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                const Vec<T> next = own.update(j, a.stencil, l[j]);
                if (step > 2 * behind && y + j < a.ny) store_inside(q + j * a.pitch, next, a.nx - x);
            }
            if (step > 2 * behind) {
                q += a.plane;
                k += a.k_plane;
            }
        }
        if (step < planes) {
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                if (step >= 2 * behind && x < a.nx && y + j < a.ny)  // wanted in the next pass of this loop
                    own.ask(j, q + j * a.pitch, k + j * a.k_pitch);
                own.take(j, a.stencil, p[j], rho[j]);
            }
            own.advance();
        }
    }
    copies.finish();
}

/// What a plane costs: per node three fluxes, those around the core among them, and their divergence, along z in order of
/// arrival; fluxes through shared memory, and rings of own planes.
template <typename Tile, template <typename> class Copies>
constexpr MarchWork density_work() {
    constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector, element = sizeof(typename Tile::T);
    constexpr int y_fluxes = (Tile::height + 2 * R - 1) * Tile::width, x_fluxes = Tile::x_flux_row * Tile::height;
    // Of a flux, and of the divergence and the update of a node.
    constexpr int flux = 2 * R + 6, divergence = 4 * R + 2 * R + 2;
    constexpr int operations = (y_fluxes + x_fluxes) * flux / Tile::threads + N * V * (flux + divergence);
    constexpr int reciprocals = (y_fluxes + x_fluxes) / Tile::threads + N * V;
    constexpr int of_reciprocals = element == 8 ? kLongReciprocal * reciprocals : 0;
    // Vectors: of the core's fluxes, of those around it, of the divergence, and of the rings.
    constexpr int of_fluxes = N * (2 + (2 * R - 1) / V + 2 + 1) + 2 * R + N;
    constexpr int around = (y_fluxes + x_fluxes - 2 * Tile::core) * (2 * R + 3) / (V * Tile::threads);
    constexpr int of_divergence = N * (1 + (2 * R - 1 + V) / V) + N + 2 * R - 1, rings = 4 * N;
    constexpr int vectors = of_fluxes + around + of_divergence + rings, address_and_loop = 60;
    return {
        .p = {in_sectors(2 * R - 1, element), 2 * R - 1, 2 * R - 1, false},
        .rho = {in_sectors(R, element), R, R, false},
        .shared_bytes = 16 * vectors,
        .instructions = operations + vectors + 5 * N + address_and_loop,
        .operations = operations + of_reciprocals,
        .frame_bytes = Tile::stage_size * element,
        .copied_pieces = Copies<Tile>::pieces,
        .ahead = Tile::stages - 1,
        .medium_arrays = 2,
    };
}

/// Calls add.operator()<Tile>() for tiles of one radius.
template <typename T, int R>
struct DensityTileList {
    template <int BX, int BY, int Rows, int Stages, int Blocks, typename Add>
    static void one(const Add& add) {
        add.template operator()<DensityTile<T, R, BX, BY, Rows, Stages, Blocks>>();
    }
};

/// Calls add.operator()<Tile>() for the tiles of bulk-tensor copies, the fastest known first; a new one is a line.
template <typename T, int R, typename Add>
void for_bulk_tensor_density_tiles(const Add& add) {
    using List = DensityTileList<T, R>;
    if constexpr (R == 1) {
        List::template one<32, 8, 2, 3, 2>(add);
        List::template one<16, 16, 2, 3, 2>(add);
        List::template one<32, 8, 4, 2, 1>(add);
        List::template one<64, 4, 4, 2, 1>(add);
        List::template one<16, 16, 1, 3, 3>(add);
        List::template one<32, 8, 1, 3, 3>(add);
        List::template one<32, 16, 2, 2, 1>(add);
    } else if constexpr (R == 2) {
        List::template one<16, 16, 2, 3, 1>(add);
        List::template one<32, 8, 2, 3, 1>(add);
        List::template one<16, 16, 1, 2, 2>(add);
        List::template one<16, 8, 2, 2, 2>(add);
        List::template one<32, 8, 1, 2, 2>(add);
        List::template one<32, 16, 1, 2, 1>(add);
        List::template one<16, 16, 3, 2, 1>(add);
    } else if constexpr (R <= 4) {
        List::template one<16, 16, 2, 3 - R / 4, 1>(add);
        List::template one<32, 8, 2, 2, 1>(add);
        List::template one<16, 8, 2, 2, 2>(add);
        List::template one<16, 16, 1, 2, 2>(add);
        List::template one<16, 32, 1, 2, 1>(add);
        List::template one<8, 32, 2, 2, 1>(add);
        List::template one<32, 16, 1, 2, 1>(add);
    } else if constexpr (R <= 6) {
        List::template one<16, 16, 1, 2, 1>(add);
        List::template one<16, 20, 1, 2, 1>(add);
        List::template one<16, 24, 1, 2, 1>(add);
        List::template one<16, 8, 2, 2, 1>(add);
    } else {
        List::template one<16, 16, 1, 2, 1>(add);
        if constexpr (sizeof(T) == 4) List::template one<16, 20, 1, 2, 1>(add);
        List::template one<16, 8, 1, 2, 1>(add);
    }
}

/// Calls add.operator()<Tile>() for the tiles of copies by all threads, the fastest known first. GPUs that have not the
/// shared memory for them take the direct kernel.
template <typename T, int R, typename Add>
void for_async_density_tiles(const Add& add) {
    using List = DensityTileList<T, R>;
    List::template one<16, 16, 1, 2, 1>(add);
    List::template one<16, 8, 1, 2, 1>(add);
}

}  // namespace onda::cuda
