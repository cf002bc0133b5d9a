/// \file
/// A whole time step of the star in one launch: stencil, images beyond mirrors across z, perfectly matched layers,
/// sources, and the samples of p[n]. Small grids need it: there a launch costs more than what it computes.
///
/// A thread has one vector along x of N planes (in 2-D rows) along z. Its column of p is in registers; neighbours along
/// x and y come through the L1 cache. A thread that reaches into a strip computes again the r values of g and psi that
/// its nodes share with its neighbours: nothing is exchanged between threads, and nothing waits.
#pragma once

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/shot_operations.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// Of two values, never of two places: arrays in registers have no address.
template <typename T>
__device__ __forceinline__ T either(bool first, T a, T b) {
    return first ? a : b;
}

/// L neighbouring nodes on a line across a face, t = t0 … t0 + L - 1, of `Lanes` lines side by side along x: what its
/// strip adds to them. Nodes that are not in the strip are left alone.
template <typename T, int R, int L, int Lanes>
struct FusedLine {
    const FusedSide<T>& s;
    int t0;
    std::int64_t step, memory;  ///< of psi and zeta: from t to t + 1, and t = 0
    T psi[L + R][Lanes];        ///< values t0 - R …: of the step before, then of this one
    T zeta[L][Lanes];

    __device__ __forceinline__ FusedLine(const FusedSide<T>& side, int first, std::int64_t to_next, std::int64_t at)
        : s(side), t0(first), step(to_next), memory(at) {}

    [[nodiscard]] __device__ __forceinline__ bool has_psi(int t) const { return t >= 0 && t < s.width; }

    static __device__ __forceinline__ void read(bool wanted, const T* from, T (&to)[Lanes]) {
        if constexpr (Lanes == 1) {
            to[0] = wanted ? *from : T(0);
        } else {
            const Vec<T> values = wanted ? load_vector(from) : Vec<T>{};
            ONDA_UNROLL
            for (int v = 0; v < Lanes; ++v) to[v] = values.v[v];
        }
    }
    static __device__ __forceinline__ void write(T* to, const T (&from)[Lanes]) {
        if constexpr (Lanes == 1) {
            *to = from[0];
        } else {
            Vec<T> values;
            ONDA_UNROLL
            for (int v = 0; v < Lanes; ++v) values.v[v] = from[v];
            *reinterpret_cast<Vec<T>*>(to) = values;
        }
    }
    /// Asks for all that the strip remembers.
    __device__ __forceinline__ void load() {
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            const int t = t0 - R + i;
            read(has_psi(t), s.psi + memory + t * step, psi[i]);
        }
        ONDA_UNROLL
        for (int u = 0; u < L; ++u)
            read(t0 + u > 0 && t0 + u <= s.width, s.zeta + memory + (t0 + u - 1) * step, zeta[u]);
    }
    /// \param p(i, v) at node t0 - R + i; \param next(u, v) p[n+1] of node t0 + u, which it completes, and k(u, v).
    template <typename P, typename K, typename Next>
    __device__ __forceinline__ void update(const T* h, const P& p, const K& k, const Next& next) {
        T g[L + R][Lanes];
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            const int t = t0 - R + i, u = i - R;
            const FusedProfile<T> profile = t >= 0 && t <= s.width ? s.profile[t] : FusedProfile<T>{};
            ONDA_UNROLL
            for (int v = 0; v < Lanes; ++v) {
                g[i][v] = weighted_sum<T, R + 1>(h, [&](auto j) { return p(i + decltype(j)::value, v); });
                const T updated = remember(profile.a_psi, profile.b_psi, psi[i][v], g[i][v]);
                psi[i][v] = has_psi(t) ? updated : T(0);
            }
            if (u < 0) continue;
            ONDA_UNROLL
            for (int v = 0; v < Lanes; ++v) {
                const T of_psi = weighted_sum<T, R + 1>(h, [&](auto j) { return psi[i - decltype(j)::value][v]; });
                const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[i - decltype(j)::value][v]; });
                zeta[u][v] = remember(profile.a_zeta, profile.b_zeta, zeta[u][v], of_g + of_psi);
                const T share = t > 0 ? of_psi + zeta[u][v] : of_psi;
                if (t >= 0 && t <= s.width) next(u, v) = with_strip(k(u, v), share, next(u, v));
            }
        }
    }
    /// Writes psi and zeta of its nodes. \param mine(u) whether node u is this thread's.
    template <typename Mine>
    __device__ __forceinline__ void store(const Mine& mine) const {
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const int t = t0 + u;
            if (!mine(u)) continue;
            if (has_psi(t)) write(s.psi_next + memory + t * step, psi[u + R]);
            if (t > 0 && t <= s.width) write(s.zeta + memory + (t - 1) * step, zeta[u]);
        }
    }
};

/// The strip of an axis that a thread's L nodes from `begin` on reach: at most one (fused_fits()).
template <typename T, int L>
struct FusedReach {
    bool reached, forward;  ///< whether t grows along the axis
    const FusedSide<T>& s;
    int t0;  ///< of node u = 0: the last but for `forward`

    __device__ __forceinline__ FusedReach(const FusedArguments<T>& a, int axis, int begin)
        : reached(begin < a.low_reach[axis] || begin + L > a.high_reach[axis]),
          forward(begin + L > a.high_reach[axis]),
          s(a.side[2 * axis + (forward ? 1 : 0)]),
          t0(forward ? begin - s.edge : s.edge - (begin + L - 1)) {}
    /// Node u as counted along the axis.
    [[nodiscard]] __device__ __forceinline__ int place(int u) const { return forward ? u : L - 1 - u; }
};

/// A thread's nodes: (x … x + V - 1, y, z … z + N - 1), those that lie in its box.
template <typename T, int Dims, int R, int N>
struct FusedThread {
    static constexpr int V = Vec<T>::size, H = (R + V - 1) / V * V;
    const FusedArguments<T>& a;
    int x, y, z, z_end;

    [[nodiscard]] __device__ __forceinline__ bool there(int row) const { return z + row < z_end; }
    [[nodiscard]] __device__ __forceinline__ std::int64_t element(int dy, int dz) const {
        return (z + dz) * a.plane + (y + dy) * a.pitch + x;
    }
    /// p of row dz of its column: of the row that it is an image of, and zeros beyond the halo.
    [[nodiscard]] __device__ __forceinline__ Vec<T> load_image(int dz) const {
        const int at = z + dz;
        if (at >= a.nz + R) return Vec<T>{};
        if (at >= 0 && at < a.nz) return load_vector(a.p + element(0, dz));
        const int slot = at < 0 ? -1 - at : kMaxRadius + at - a.nz;
        const T sign = static_cast<T>(a.images.sign[slot]);
        Vec<T> value = load_vector(a.p + a.images.from[slot] * a.plane + y * a.pitch + x);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) value.v[v] = sign * value.v[v];
        return value;
    }
    __device__ __forceinline__ void load_column(Vec<T> (&column)[N + 2 * R]) const {
        if (z >= R && z + N + R <= a.nz) {
            ONDA_UNROLL
            for (int i = 0; i < N + 2 * R; ++i) column[i] = load_vector(a.p + element(0, i - R));
        } else {
            ONDA_UNROLL
            for (int i = 0; i < N + 2 * R; ++i) column[i] = load_image(i - R);
        }
    }
    /// p of row j from x - H to x + V + H - 1.
    __device__ __forceinline__ void load_row(int j, Vec<T> centre, T (&p)[V + 2 * H]) const {
        const T* const at = a.p + element(0, j);
        ONDA_UNROLL
        for (int m = 0; m < V + 2 * H; m += V) {
            const Vec<T> part = m == H ? centre : load_vector(at + m - H);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) p[m + v] = part.v[v];
        }
    }
    /// Adds the y pairs of row j.
    __device__ __forceinline__ void add_y_pairs(int j, Vec<T>& l) const {
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) {
            const Vec<T> below = load_vector(a.p + element(-m, j)), above = load_vector(a.p + element(m, j));
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) l.v[v] = fused(a.stencil.axis[1][m], below.v[v] + above.v[v], l.v[v]);
        }
    }
    /// p[n+1] of row j, layers included. \param column p of rows -R … N - 1 + R; \param before p[n-1].
    __device__ __forceinline__ Vec<T> advance(int j, const Vec<T> (&column)[N + 2 * R], Vec<T> before, Vec<T> k) const {
        const Stencil<T>& s = a.stencil;
        const FusedReach<T, V> reach_x(a, 0, x);
        const FusedReach<T, 1> reach_y(a, 1, y), reach_z(a, 2, z + j);
        FusedLine<T, R, V, 1> line_x(reach_x.s, reach_x.t0, reach_x.s.stride[0],
                                     y * reach_x.s.stride[1] + (z + j) * reach_x.s.stride[2]);
        FusedLine<T, R, 1, V> line_z(reach_z.s, reach_z.t0, reach_z.s.stride[2], x + y * reach_z.s.stride[1]);
        if (reach_x.reached) line_x.load();
        if (reach_z.reached) line_z.load();
        T row[V + 2 * H];
        load_row(j, column[R + j], row);
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            next.v[v] = s.centre * row[H + v];
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) next.v[v] = fused(s.axis[0][m], row[H + v - m] + row[H + v + m], next.v[v]);
        }
        if constexpr (Dims == 3) add_y_pairs(j, next);
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) next = add_weighted(s.axis[2][m], column[R + j - m], next);
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) next = add_weighted(s.axis[2][m], column[R + j + m], next);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) next.v[v] = leapfrog(column[R + j].v[v], before.v[v], k.v[v], next.v[v]);
        if (reach_x.reached) {
            const bool forward = reach_x.forward;
            T k_of[V], next_of[V];
            ONDA_UNROLL
            for (int u = 0; u < V; ++u) {
                k_of[u] = either(forward, k.v[u], k.v[V - 1 - u]);
                next_of[u] = either(forward, next.v[u], next.v[V - 1 - u]);
            }
            line_x.update(
                a.h[0], [&](int i, int) { return either(forward, row[H - R + i], row[V + H + R - 1 - i]); },
                [&](int u, int) { return k_of[u]; }, [&](int u, int) -> T& { return next_of[u]; });
            ONDA_UNROLL
            for (int u = 0; u < V; ++u) next.v[u] = either(forward, next_of[u], next_of[V - 1 - u]);
            line_x.store([&](int u) { return x + reach_x.place(u) < a.nx; });
        }
        if constexpr (Dims == 3)
            if (reach_y.reached) add_y_strip(j, reach_y, k, next);
        if (reach_z.reached) {
            const bool forward = reach_z.forward;
            line_z.update(
                a.h[2], [&](int i, int v) { return either(forward, column[j + i].v[v], column[j + 2 * R - i].v[v]); },
                [&](int, int v) { return k.v[v]; }, [&](int, int v) -> T& { return next.v[v]; });
            line_z.store([](int) { return true; });
        }
        return next;
    }
    __device__ __forceinline__ void add_y_strip(int j, const FusedReach<T, 1>& reach, Vec<T> k, Vec<T>& next) const {
        FusedLine<T, R, 1, V> line(reach.s, reach.t0, reach.s.stride[1], x + (z + j) * reach.s.stride[2]);
        line.load();
        Vec<T> p[1 + 2 * R];
        const std::int64_t along = reach.forward ? a.pitch : -a.pitch;
        ONDA_UNROLL
        for (int i = 0; i < 1 + 2 * R; ++i) p[i] = load_vector(a.p + element(0, j) + (i - R) * along);
        line.update(
            a.h[1], [&](int i, int v) { return p[i].v[v]; }, [&](int, int v) { return k.v[v]; },
            [&](int, int v) -> T& { return next.v[v]; });
        line.store([](int) { return true; });
    }
    /// All its nodes.
    __device__ __forceinline__ void update() const {
        Vec<T> k[N] = {}, before[N] = {}, column[N + 2 * R];
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) k[j] = load_vector(a.k + (z + j) * a.k_plane + y * a.k_pitch + x);
        wait_for_launch_before();  // k is nobody's
        load_column(column);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) before[j] = load_streaming(static_cast<const T*>(a.q + element(0, j)));
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) store_inside(a.q + element(0, j), advance(j, column, before[j], k[j]), a.nx - x);
    }
};

/// One step of all boxes. Grid: record_blocks, then the blocks of the boxes.
template <typename T, int Dims, int R, int N>
__global__ void __launch_bounds__(256) fused_step(const __grid_constant__ FusedArguments<T> a) {
    constexpr int V = Vec<T>::size;
    let_next_launch_begin();
    const int lane = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    if (blockIdx.x < a.record_blocks) {
        wait_for_launch_before();
        const std::int64_t r = blockIdx.x * static_cast<std::int64_t>(threads) + lane;
        if (r < a.receivers.receivers) sample_receiver(a.p, a.receivers, r, *a.base + a.offset);
        return;
    }
    const unsigned block = blockIdx.x - a.record_blocks;
    int b = 0;
    while (block >= a.boxes.first[b + 1]) ++b;
    const FusedBox& box = a.boxes.box[b];
    const unsigned tile = block - a.boxes.first[b], line = tile / box.tiles_x;
    const auto coordinate = [&box](int axis, unsigned of_tile, int of_thread, int nodes) {
        const int first = static_cast<int>(of_tile << box.log_threads[axis]);
        return box.begin[axis] + (first + (of_thread & ((1 << box.log_threads[axis]) - 1))) * nodes;
    };
    const FusedThread<T, Dims, R, N> thread{
        a, coordinate(0, tile % box.tiles_x, lane, V), coordinate(1, line % box.tiles_y, lane >> box.log_threads[0], 1),
        coordinate(2, line / box.tiles_y, lane >> (box.log_threads[0] + box.log_threads[1]), N), box.end[2]};
    if (thread.x < box.end[0] && thread.y < box.end[1] && thread.z < box.end[2])
        thread.update();
    else
        wait_for_launch_before();
    if (a.sources_of == nullptr) return;
    const int end = a.sources_of[block + 1];
    int i = a.sources_of[block];
    if (i == end) return;
    __syncthreads();  // the nodes of the sources are this block's
    for (i += lane; i < end; i += threads) add_source(a.q, a.sources, i, *a.base + a.offset);
}

}  // namespace onda::cuda
