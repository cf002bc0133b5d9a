/// \file
/// What the kernels of variable density that march do with a plane that has arrived: the fluxes along x and y from the
/// frames of p and rho, the part of the divergence that they make, and along z the sums under way.
///
/// Along z nothing needs neighbours: a plane completes the flux r planes behind and adds its share to the 2r - 1 fluxes
/// under way; the flux adds its share to the 2r - 1 divergences under way, and that 2r - 1 planes behind is then
/// complete. Sums under way stay in registers, where each moves on with the addition that it takes anyway.
#pragma once

#include "kernels/cuda/march25d/density_tile.hpp"
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
        constexpr FrameLayout layout = Tile::p;
        return frame + (y + layout.halo_y) * layout.row() + layout.halo_x + x;
    }
    [[nodiscard]] __device__ __forceinline__ const T* rho(int x, int y) const {
        constexpr FrameLayout layout = Tile::rho;
        constexpr int after_p = Tile::p.size();
        return frame + after_p + (y + layout.halo_y) * layout.row() + layout.halo_x + x;
    }
    /// The flux between nodes x and x + 1.
    [[nodiscard]] __device__ __forceinline__ T* x_flux(int x, int y) const {
        return fluxes + y * Tile::x_flux_row + Tile::before_x + x;
    }
    /// The flux between nodes y and y + 1.
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
    constexpr int end = Tile::width + Tile::rho.halo_x;
    const T s_next = *plane.rho(x + V < end ? x + V : x, y);  // beyond, nothing is needed
    Vec<T> f;
    ONDA_UNROLL
    for (int v = 0; v < V; ++v)
        f.v[v] = buoyancy(s.v[v], v + 1 < V ? s.v[v + 1 < V ? v + 1 : v] : s_next) *
                 half_step<T, R>(window + before + v, 1, w.axis[0], T(0));
    store_vector(plane.x_flux(x, y), f);
}

/// The fluxes along y of N rows of one vector. \param own their p; \param s their rho / 2. \param all whether the last
/// of them is needed: what it alone would read may lie beyond the frames.
template <typename Tile, int N>
__device__ __forceinline__ void fluxes_along_y(const DensityPlane<Tile>& plane, int x, int y,
                                               const Vec<typename Tile::T> (&own)[N],
                                               const Vec<typename Tile::T> (&s)[N], bool all,
                                               const Stencil<typename Tile::T>& w) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector, row = Tile::p.row();
    const T* const p = plane.p(x, y);
    Vec<T> low[N], high[N], sum[N];  // rows y + j + 1 - k and y + j + k
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) low[j] = own[j];
    ONDA_UNROLL
    for (int j = 0; j + 1 < N; ++j) high[j] = own[j + 1];
    high[N - 1] = R > 1 || all ? load_vector(p + N * row) : own[N - 1];
    ONDA_UNROLL
    for (int k = 1; k <= R; ++k) {
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            const T pair = high[j].v[v] - low[j].v[v];
            sum[j].v[v] = k == 1 ? w.axis[1][k] * pair : fused(w.axis[1][k], pair, sum[j].v[v]);
        }
        if (k < R) {
            ONDA_UNROLL
            for (int j = 0; j + 1 < N; ++j) {
                low[N - 1 - j] = low[N - 2 - j];
                high[j] = high[j + 1];
            }
            low[0] = load_vector(p - k * row);
            if (k + 1 < R || all) high[N - 1] = load_vector(p + (N + k) * row);
        }
    }
    const Vec<T> s_next = all ? load_vector(plane.rho(x, y + N)) : s[N - 1];
    ONDA_UNROLL
    for (int j = 0; j < N; ++j) {
        const Vec<T> far = j + 1 < N ? s[j + 1 < N ? j + 1 : j] : s_next;
        Vec<T> f;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) f.v[v] = buoyancy(s[j].v[v], far.v[v]) * sum[j].v[v];
        store_vector(plane.y_flux(x, y + j), f);
    }
}

/// The part of the divergence that one plane holds, of N rows of one vector.
template <typename Tile, int N>
__device__ __forceinline__ void divergence_in_plane(const DensityPlane<Tile>& plane, int x, int y,
                                                    const Stencil<typename Tile::T>& w, Vec<typename Tile::T> (&l)[N]) {
    using T = typename Tile::T;
    constexpr int R = Tile::radius, V = Tile::vector;
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

/// A thread's own values in the last `Count` planes, in shared memory: exchange() returns the oldest for the newest.
/// \tparam Step elements from one plane to the next.
template <typename T, int Count, int Step>
class OwnPlanes {
public:
    /// \param mine the thread's own vector in the first plane.
    __device__ __forceinline__ explicit OwnPlanes(T* mine) : mine_(mine) {}
    /// \param at elements from the thread's own vector on.
    __device__ __forceinline__ Vec<T> exchange(int at, Vec<T> newest) {
        if constexpr (Count == 0) return newest;
        T* const place = mine_ + slot_ * Step + at;
        const Vec<T> oldest = load_vector(static_cast<const T*>(place));
        store_vector(place, newest);
        return oldest;
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
    /// \param youngest the youngest sum, with the value that has arrived.
    __device__ __forceinline__ Vec<T> add(const T* d, Vec<T> arrived, Vec<T> youngest) {
        const Vec<T> complete = add_weighted(d[R], arrived, sum_[2 * R - 2]);
        ONDA_UNROLL
        for (int j = 2 * R - 2; j > 0; --j) {
            const T w = arrival_weight(d, R, j);
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v) sum_[j].v[v] = fused(w, arrived.v[v], sum_[j - 1].v[v]);
        }
        sum_[0] = youngest;
        return complete;
    }

private:
    Vec<T> sum_[2 * R - 1] = {};
};

/// The own nodes of a thread while its block marches, Rows rows of one vector: the sums under way along z, and the
/// values of planes before that they wait for.
template <typename Tile, int Rows>
class DensityColumns {
public:
    using T = typename Tile::T;
    static constexpr int R = Tile::radius, V = Tile::vector, W = Tile::width;

    /// \param rings of the block in shared memory; \param x, y first own node in the tile.
    __device__ __forceinline__ DensityColumns(T* rings, int x, int y)
        : p_planes_(rings + y * W + x), rho_planes_(rings + Tile::behind * Tile::core + y * W + x) {}
    /// The flux of row j that p and rho of the plane that has arrived complete.
    __device__ __forceinline__ Vec<T> flux(int j, const Stencil<T>& w, Vec<T> p, Vec<T> rho) {
        const T* const d = w.axis[2];
        const Vec<T> rho_next = rho_planes_.exchange(j * W, rho);
        Vec<T> youngest;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) youngest.v[v] = arrival_weight(d, R, 0) * p.v[v];
        Vec<T> f = fluxes_[j].add(d, p, youngest);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) f.v[v] = buoyancy(rho_before_[j].v[v], rho_next.v[v]) * f.v[v];
        rho_before_[j] = rho_next;
        return f;
    }
    /// p and the divergence of row j of the plane that this completes.
    struct Completed {
        Vec<T> p, l;
    };
    /// \param p, l of the plane that has arrived: l is what it adds to the divergence along x and y.
    __device__ __forceinline__ Completed complete(int j, const Stencil<T>& w, Vec<T> flux, Vec<T> p, Vec<T> l) {
        const T* const d = w.axis[2];
        const Vec<T> complete = divergences_[j].add(d, flux, add_weighted(arrival_weight(d, R, 0), flux, l));
        return {p_planes_.exchange(j * W, p), complete};
    }
    /// All rows are updated: the next plane may arrive.
    __device__ __forceinline__ void advance() {
        p_planes_.advance();
        rho_planes_.advance();
    }

private:
    OwnPlanes<T, Tile::behind, Tile::core> p_planes_;
    OwnPlanes<T, R - 1, Tile::core> rho_planes_;
    Arrivals<T, R> fluxes_[Rows], divergences_[Rows];
    Vec<T> rho_before_[Rows] = {};
};

}  // namespace onda::cuda
