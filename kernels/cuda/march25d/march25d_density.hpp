/// \file
/// Variable density, marching: a block walks along z, and every flux is computed once a tile.
///
/// Of the plane that has just arrived, tile and halo of p and rho are in shared memory. While its fluxes along x and y
/// are computed into shared memory, those of the plane before are summed up. Along z nothing needs neighbours: a plane
/// completes the flux r planes behind, from a thread's own values of the last 2r planes, and that adds its share to the
/// 2r - 1 divergences under way; the one 2r - 1 planes behind is then complete. One barrier a plane.
///
/// Order 8, float, a point of a 64 x 16 tile: 27 bytes from the L2 cache, 33 values through shared memory, 100
/// operations and three reciprocals; the twin moves 20 bytes.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/cuda/vectors.hpp"
#include "kernels/equations/density/staggered.hpp"

namespace onda::cuda {

/// \tparam BX, BY threads; each computes Rows rows of one 16-byte vector. \tparam Stages planes in shared memory.
/// \tparam Blocks that must fit a multiprocessor: bounds the registers.
template <typename T_, int R, int BX, int BY, int Rows, int Stages, int Blocks>
struct DensityTile {
    using T = T_;
    static constexpr int radius = R, block_x = BX, block_y = BY, rows = Rows, stages = Stages, blocks = Blocks;
    static constexpr int vector = Vec<T>::size, threads = BX * BY, width = BX * vector, height = BY * Rows;
    static constexpr int vectors_for(int n) { return (n + vector - 1) / vector * vector; }

    // Fluxes along x reach R nodes to either side of the core, in whole vectors; rho serves them, and p twice as far.
    static constexpr int rho_x = vectors_for(R), rho_y = R, rho_row = width + 2 * rho_x;
    static constexpr int p_x = 2 * rho_x, p_y = 2 * R - 1, p_row = width + 2 * p_x;
    static constexpr int p_size = p_row * (height + 2 * p_y), rho_size = rho_row * (height + 2 * rho_y);
    static constexpr int x_flux_size = rho_row * height, y_flux_size = width * (height + 2 * R - 1);
    static constexpr int stage_size = p_size + rho_size, flux_size = x_flux_size + y_flux_size;
    /// A thread's own values of p in the last 2R - 1 planes, and of rho in the last R - 1.
    static constexpr int core = width * height, ring_size = (2 * R - 1 + R - 1) * core;
    static constexpr int shared_bytes = (stages * stage_size + 2 * flux_size + ring_size) * static_cast<int>(sizeof(T));
    static_assert(shared_bytes <= 227 * 1024);
};

/// Copies a plane of p and rho, tile and halo, into shared memory: pieces of 16 bytes by all threads.
template <typename Tile>
class DensityCopies {
public:
    using T = typename Tile::T;
    /// \param first the plane of step 0; \param count steps; rho is fetched on planes [rho_begin, rho_end) only.
    __device__ __forceinline__ DensityCopies(const DensityArguments<T>& a, int tile_x, int tile_y, int first, int count,
                                             int rho_begin, int rho_end)
        : a_(a),
          x_(tile_x),
          y_(tile_y),
          first_(first),
          count_(count),
          rho_begin_(rho_begin),
          rho_end_(rho_end),
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
        if (step < count_) {
            const int z = first_ + step;
            T* const to = stages_ + stage * Tile::stage_size;
            copy<Tile::p_x, Tile::p_y>(to, a_.p + z * a_.plane, a_.pitch, a_.x_halo, a_.y_halo);
            if (z >= rho_begin_ && z < rho_end_)
                copy<Tile::rho_x, Tile::rho_y>(to + Tile::p_size, a_.half_rho + z * a_.rho_plane, a_.rho_pitch,
                                               a_.rho_x_halo, a_.rho_y_halo);
        }
        copies_commit();
    }
    /// A frame with FX and FY nodes of halo; its corners are not needed.
    template <int FX, int FY>
    __device__ __forceinline__ void copy(T* to, const T* plane, std::int64_t pitch, int x_halo, int y_halo) {
        constexpr int pieces = (Tile::width + 2 * FX) / Tile::vector, rows = Tile::height + 2 * FY;
        for (int i = thread_; i < pieces * rows; i += Tile::threads) {
            const int dx = i % pieces * Tile::vector - FX, dy = i / pieces - FY, x = x_ + dx, y = y_ + dy;
            const bool corner = (dx < 0 || dx >= Tile::width) && (dy < 0 || dy >= Tile::height);
            const bool inside = !corner && x >= -x_halo && x < a_.nx + x_halo && y >= -y_halo && y < a_.ny + y_halo;
            copy_async16(to + i * Tile::vector, inside ? plane + y * pitch + x : plane, inside);
        }
    }

    const DensityArguments<T>& a_;
    int x_, y_, first_, count_, rho_begin_, rho_end_, thread_;
    T* stages_;
    int stage_ = 0;
};

/// The fluxes of one vector along x, between nodes x + v and x + v + 1 of row y of the tile.
template <typename Tile>
__device__ __forceinline__ void flux_along_x(const typename Tile::T* p_frame, typename Tile::T* fluxes, int x, int y,
                                             const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector, before = Tile::vectors_for(R - 1), after = Tile::vectors_for(R);
    constexpr int vectors = (before + V + after) / V;
    const T* const p = p_frame + (y + Tile::p_y) * Tile::p_row + Tile::p_x + x;
    const T* const row = p_frame + Tile::p_size + (y + Tile::rho_y) * Tile::rho_row + Tile::rho_x;
    T window[vectors * V];
    ONDA_UNROLL
    for (int m = 0; m < vectors; ++m) {
        const Vec<T> part = load_vector(p - before + m * V);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) window[m * V + v] = part.v[v];
    }
    const Vec<T> s = load_vector(row + x);
    const T last = row[x + V < Tile::width + Tile::rho_x ? x + V : x];  // beyond it nothing is needed
    Vec<T> f;
    ONDA_UNROLL
    for (int v = 0; v < V; ++v)
        f.v[v] = buoyancy(s.v[v], v + 1 < V ? s.v[v + 1 < V ? v + 1 : v] : last) *
                 half_step<T, R>(window + before + v, 1, w.axis[0], T(0));
    *reinterpret_cast<Vec<T>*>(fluxes + y * Tile::rho_row + Tile::rho_x + x) = f;
}

/// The fluxes along y of two rows of one vector, between rows y and y + 1, y + 1 and y + 2.
template <typename Tile>
__device__ __forceinline__ void fluxes_along_y(const typename Tile::T* p_frame, typename Tile::T* fluxes, int x, int y,
                                               const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector;
    const T* const p = p_frame + (y + Tile::p_y) * Tile::p_row + Tile::p_x + x;
    const T* const s = p_frame + Tile::p_size + (y + Tile::rho_y) * Tile::rho_row + Tile::rho_x + x;
    const auto row = [p](int j) { return load_vector(p + j * Tile::p_row); };
    const bool second = y + 1 < Tile::height + R - 1;
    Vec<T> sum[2] = {};
    Vec<T> low = row(0), high = row(1), second_low = high;  // rows y + 1 - k, y + k and y + 2 - k
    ONDA_UNROLL
    for (int k = 1; k <= R; ++k) {
        const Vec<T> next = k < R || second ? row(k + 1) : high;
        const Vec<T> below = k < R ? row(-k) : low;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            const T pair = high.v[v] - low.v[v], pair_above = next.v[v] - second_low.v[v];
            sum[0].v[v] = k == 1 ? w.axis[1][k] * pair : fused(w.axis[1][k], pair, sum[0].v[v]);
            sum[1].v[v] = k == 1 ? w.axis[1][k] * pair_above : fused(w.axis[1][k], pair_above, sum[1].v[v]);
        }
        high = next;
        second_low = low;
        low = below;
    }
    ONDA_UNROLL
    for (int i = 0; i < 2; ++i) {
        if (i == 1 && !second) return;
        const Vec<T> near = load_vector(s + i * Tile::rho_row), far = load_vector(s + (i + 1) * Tile::rho_row);
        Vec<T> f;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) f.v[v] = buoyancy(near.v[v], far.v[v]) * sum[i].v[v];
        *reinterpret_cast<Vec<T>*>(fluxes + Tile::x_flux_size + (y + i + R) * Tile::width + x) = f;
    }
}

/// All fluxes of a plane along x and y, shared among the threads of the block.
template <typename Tile>
__device__ __forceinline__ void fluxes_of_plane(const typename Tile::T* p_frame, typename Tile::T* fluxes,
                                                const Stencil<typename Tile::T>& w) {
    constexpr int R = Tile::radius, V = Tile::vector, x_vectors = Tile::rho_row / V;
    constexpr int along_y = (Tile::height + 2 * R) / 2 * Tile::block_x, along_x = Tile::height * x_vectors;
    for (int i = static_cast<int>(threadIdx.y * Tile::block_x + threadIdx.x); i < along_y + along_x; i += Tile::threads)
        if (i < along_y)
            fluxes_along_y<Tile>(p_frame, fluxes, i % Tile::block_x * V, i / Tile::block_x * 2 - R, w);
        else
            flux_along_x<Tile>(p_frame, fluxes, (i - along_y) % x_vectors * V - Tile::rho_x, (i - along_y) / x_vectors,
                               w);
}

/// The part of the divergence that one plane holds, of the rows from (x, y) of the tile on.
template <typename Tile>
__device__ __forceinline__ void divergence_in_plane(const typename Tile::T* fluxes, int x, int y,
                                                    const Stencil<typename Tile::T>& w,
                                                    Vec<typename Tile::T> (&l)[Tile::rows]) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector, N = Tile::rows;
    constexpr int before = Tile::vectors_for(R), vectors = (before + V + Tile::vectors_for(R - 1)) / V;
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) {
        const T* const f = fluxes + (y + j) * Tile::rho_row + Tile::rho_x + x;
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
    const T* const f = fluxes + Tile::x_flux_size + (y + R) * Tile::width + x;
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

/// A thread's own values in the last `Count` planes, in shared memory: exchange() returns the oldest for the newest.
template <typename Tile, int Count>
class OwnPlanes {
public:
    using T = typename Tile::T;
    __device__ __forceinline__ explicit OwnPlanes(T* shared)
        : mine_(shared + (threadIdx.y * Tile::rows * Tile::block_x + threadIdx.x) * Tile::vector) {}
    __device__ __forceinline__ Vec<T> exchange(int row, Vec<T> newest) {
        if constexpr (Count == 0) return newest;
        auto* const at = reinterpret_cast<Vec<T>*>(mine_ + slot_ * Tile::core + row * Tile::width);
        const Vec<T> oldest = *at;
        *at = newest;
        return oldest;
    }
    /// The half step over these planes and the newest, in order of arrival: the sum of flux_in_order().
    __device__ __forceinline__ Vec<T> half_step(int row, const T* d, Vec<T> newest) const {
        constexpr int R = (Count + 1) / 2;
        Vec<T> sum;
        ONDA_UNROLL
        for (int i = 0; i < Count; ++i) {
            const int slot = slot_ + i < Count ? slot_ + i : slot_ + i - Count;
            const Vec<T> value = load_vector(static_cast<const T*>(mine_ + slot * Tile::core + row * Tile::width));
            const T w = arrival_weight(d, R, i);
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v) sum.v[v] = i == 0 ? w * value.v[v] : fused(w, value.v[v], sum.v[v]);
        }
        return add_weighted(d[R], newest, sum);
    }
    __device__ __forceinline__ void advance() {
        if (++slot_ >= Count) slot_ = 0;
    }

private:
    T* mine_;
    int slot_ = 0;
};

/// Sums under way along z, the youngest first: add() takes the value that has arrived and returns the complete sum.
template <typename T, int R>
class Arrivals {
public:
    /// \param start what the youngest sum begins with.
    __device__ __forceinline__ Vec<T> add(const T* d, Vec<T> arrived, Vec<T> start) {
        const Vec<T> complete = add_weighted(d[R], arrived, sum_[2 * R - 2]);
        shift(d, arrived);
        sum_[0] = add_weighted(-d[R], arrived, start);
        return complete;
    }

private:
    __device__ __forceinline__ void shift(const T* d, Vec<T> arrived) {
        ONDA_UNROLL
        for (int j = 2 * R - 2; j > 0; --j) sum_[j] = add_weighted(arrival_weight(d, R, j), arrived, sum_[j - 1]);
    }
    Vec<T> sum_[2 * R - 1] = {};
};

/// A thread's own nodes while its block marches: their values in the plane that has arrived, those of planes before,
/// and the divergences under way.
template <typename Tile>
class DensityColumns {
public:
    using T = typename Tile::T;
    static constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector;
    /// Planes between the one that has arrived and the one that it completes.
    static constexpr int behind = 2 * R - 1;

    /// \param shared memory of the block for Tile::ring_size values.
    __device__ __forceinline__ explicit DensityColumns(T* shared)
        : p_planes_(shared), rho_planes_(shared + behind * Tile::core) {}
    /// Takes the plane that has arrived: p and rho from its frame, of the rows from (x, y) of the tile on.
    __device__ __forceinline__ void read(int j, const T* frame, int x, int y) {
        p_[j] = load_vector(frame + (y + j + Tile::p_y) * Tile::p_row + Tile::p_x + x);
        rho_[j] = load_vector(frame + Tile::p_size + (y + j + Tile::rho_y) * Tile::rho_row + Tile::rho_x + x);
    }
    /// Asks for p[n-1] and k of the plane that the one just read completes.
    __device__ __forceinline__ void ask(int j, const T* q, const T* k) {
        q_[j] = load_streaming(q);
        k_[j] = load_streaming(k);
    }
    /// p+ of row j of the plane that is complete now. \param l what the plane read last adds along x and y.
    __device__ __forceinline__ Vec<T> update(int j, const Stencil<T>& w, Vec<T> l) {
        Vec<T> flux = p_planes_.half_step(j, w.axis[2], p_[j]);
        const Vec<T> rho_next = rho_planes_.exchange(j, rho_[j]), p = p_planes_.exchange(j, p_[j]);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) flux.v[v] = buoyancy(rho_before_[j].v[v], rho_next.v[v]) * flux.v[v];
        rho_before_[j] = rho_next;
        const Vec<T> complete = divergences_[j].add(w.axis[2], flux, l);
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) next.v[v] = leapfrog(p.v[v], q_[j].v[v], k_[j].v[v], complete.v[v]);
        return next;
    }
    /// All rows are updated: the next plane may be read.
    __device__ __forceinline__ void advance() {
        p_planes_.advance();
        rho_planes_.advance();
    }

private:
    OwnPlanes<Tile, behind> p_planes_;
    OwnPlanes<Tile, R - 1> rho_planes_;
    Arrivals<T, R> divergences_[N];
    Vec<T> p_[N] = {}, rho_[N] = {}, rho_before_[N] = {}, q_[N] = {}, k_[N] = {};
};

/// p+ = 2p - p- + k div(1/rho grad p) on one tile of the planes [blockIdx.z chunk, …). Block: (block_x, block_y). Grid:
/// tiles along x, tiles along y, chunks along z.
template <typename Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    march25d_density_step(const __grid_constant__ DensityArguments<typename Tile::T> a) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, N = Tile::rows, behind = DensityColumns<Tile>::behind;
    const int tile_x = static_cast<int>(blockIdx.x) * Tile::width, tile_y = static_cast<int>(blockIdx.y) * Tile::height;
    const int local_x = static_cast<int>(threadIdx.x) * Tile::vector, local_y = static_cast<int>(threadIdx.y) * N;
    const int x = tile_x + local_x, y = tile_y + local_y;
    const int z_begin = static_cast<int>(blockIdx.z) * a.chunk;
    const int z_end = z_begin + a.chunk < a.nz ? z_begin + a.chunk : a.nz;
    const int first = z_begin - behind, planes = z_end - z_begin + 2 * behind;

    DensityCopies<Tile> copies(a, tile_x, tile_y, first, planes, z_begin - R, z_end + R);
    T* const fluxes = reinterpret_cast<T*>(shared_memory()) + Tile::stages * Tile::stage_size;
    DensityColumns<Tile> own(fluxes + 2 * Tile::flux_size);
    T* q = a.q + z_begin * a.plane + y * a.pitch + x;
    const T* k = a.k + z_begin * a.k_plane + y * a.k_pitch + x;

    for (int step = 0; step <= planes; ++step) {
        const T* frame = nullptr;
        if (step < planes) frame = copies.begin(step);
        const int z = first + step;  // the plane that has arrived; sums take the one before
        if (z >= z_begin && z < z_end) fluxes_of_plane<Tile>(frame, fluxes + step % 2 * Tile::flux_size, a.stencil);
        if (step > 0) {
            Vec<T> l[N] = {};
            if (z > z_begin && z <= z_end)
                divergence_in_plane<Tile>(fluxes + (step + 1) % 2 * Tile::flux_size, local_x, local_y, a.stencil, l);
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                const Vec<T> next = own.update(j, a.stencil, l[j]);
                if (step > 2 * behind && y + j < a.ny) store_inside(q + j * a.pitch, next, a.nx - x);
            }
            own.advance();
            if (step > 2 * behind) {
                q += a.plane;
                k += a.k_plane;
            }
        }
        if (step < planes) {
            ONDA_UNROLL
            for (int j = 0; j < N; ++j) {
                own.read(j, frame, local_x, local_y);
                if (step >= 2 * behind && x < a.nx && y + j < a.ny)  // wanted in the next pass of this loop
                    own.ask(j, q + j * a.pitch, k + j * a.k_pitch);
            }
        }
    }
    copies.finish();
}

/// What a plane costs: per node three fluxes, those of the halo among them, and their divergence, along z in order of
/// arrival; frames of p and rho by pieces of 16 bytes; fluxes through shared memory, and two rings of own planes.
template <typename Tile>
constexpr MarchWork density_work() {
    constexpr int R = Tile::radius, N = Tile::rows, V = Tile::vector, element = sizeof(typename Tile::T);
    constexpr int y_fluxes = (Tile::height + 2 * R - 1) * Tile::width, x_fluxes = Tile::rho_row * Tile::height;
    // Of a flux, and of the divergence and the update of a node.
    constexpr int flux = 2 * R + 6, divergence = 4 * R + 2 * R + 2;
    constexpr int operations = (y_fluxes + x_fluxes) * flux / Tile::threads + N * V * (flux + divergence);
    constexpr int reciprocals = (y_fluxes + x_fluxes) / Tile::threads + N * V;
    constexpr int of_reciprocals = element == 8 ? kLongReciprocal * reciprocals : 0;
    constexpr int loads = (y_fluxes * (R + 4) + x_fluxes * 4) / (V * Tile::threads);
    constexpr int own = N * (2 * R + 2 * R + 2 + (2 * R + 2) + 4), address = 30;
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

/// Calls add.operator()<Tile>() for the tiles that are compiled, the fastest known first; a new one is a line. The last
/// one takes the least shared memory: up to 100 KiB, but 104 at order 16 in float and 105 to 118 at orders 14 and 16 in
/// double. GPUs with less take the direct kernel. What a plane needs grows with the order: above 8 there is room for
/// one row a thread.
template <typename T, int R, typename Add>
void for_density_tiles(const Add& add) {
    if constexpr (sizeof(T) == 4 && R <= 4) {
        add.template operator()<DensityTile<T, R, 16, 16, 1, 2, 2>>();
#if !defined(ONDA_CUDA_QUICK)
        add.template operator()<DensityTile<T, R, 8, 32, 1, 2, 2>>();
        add.template operator()<DensityTile<T, R, 16, 16, 2, 3, 1>>();
#endif
    } else {
        add.template operator()<DensityTile<T, R, 32, 8, 1, 2, 1>>();
#if !defined(ONDA_CUDA_QUICK)
        if constexpr (sizeof(T) == 4) add.template operator()<DensityTile<T, R, 16, 16, 1, 2, 1>>();
#endif
    }
    add.template operator()<DensityTile<T, R, (R > 4 ? 16 : 32), (R > 4 ? 8 : 4), 1, 2, 1>>();
}

}  // namespace onda::cuda
