/// \file
/// A whole time step of the star in one launch: stencil, images beyond mirrors, perfectly matched layers, sources, and
/// the samples of p[n]. Small grids need it: there a launch costs more than what it computes.
///
/// A thread has one vector along x of N planes (in 2-D rows) along z. Its column of p is in registers; neighbours along
/// x and y come through the L1 cache. A thread that reaches into a strip computes again the r values of g and psi that
/// its nodes share with a neighbour: nothing is exchanged between threads, and nothing waits.
#pragma once

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/shot_operations.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// Layer i of an axis of n layers, or the one it is an image of; `sign` is multiplied by that of the image.
template <typename T>
__device__ __forceinline__ int image_of(const AxisImages& images, int i, int n, T& sign) {
    if (i >= 0 && i < n) return i;
    const int slot = i < 0 ? -1 - i : kMaxRadius + i - n;
    sign *= static_cast<T>(images.sign[slot]);
    return images.from[slot];
}

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
    /// Whether its rows reach across a mirror, or beyond the last halo.
    [[nodiscard]] __device__ __forceinline__ bool needs_images() const {
        const bool across_z = a.images[2].any && (z < R || z + N + R > a.nz);
        const bool across_y = Dims == 3 && a.images[1].any && (y < R || y + R >= a.ny);
        return across_z || across_y || z + N > a.nz;
    }
    /// p of its vector, some rows away; zeros beyond the halo.
    template <bool Images>
    [[nodiscard]] __device__ __forceinline__ Vec<T> load(int dy, int dz) const {
        if constexpr (!Images) {
            return load_vector(a.p + element(dy, dz));
        } else {
            if (z + dz >= a.nz + R) return Vec<T>{};
            T sign = 1;
            const int from_z = image_of(a.images[2], z + dz, a.nz, sign);
            const int from_y = Dims == 3 ? image_of(a.images[1], y + dy, a.ny, sign) : y;
            Vec<T> value = load_vector(a.p + from_z * a.plane + from_y * a.pitch + x);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) value.v[v] = sign * value.v[v];
            return value;
        }
    }
    /// p of one of its rows at any x that a step reads; zero beyond the halo.
    [[nodiscard]] __device__ __forceinline__ T load_at(int at_x, int row) const {
        if (at_x < -R || at_x >= a.nx + R) return T(0);
        T sign = 1;
        const int from = image_of(a.images[0], at_x, a.nx, sign);
        return sign * a.p[element(0, row) - x + from];
    }
    /// p of one of its rows from x - H to x + V + H - 1.
    __device__ __forceinline__ void load_row(int row, Vec<T> centre, T (&p)[V + 2 * H]) const {
        const T* const at = a.p + element(0, row);
        ONDA_UNROLL
        for (int m = 0; m < V + 2 * H; m += V) {
            const Vec<T> part = m == H ? centre : load_vector(at + m - H);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) p[m + v] = part.v[v];
        }
        if (!a.images[0].any || (x >= R && x + V + R <= a.nx)) return;
        ONDA_UNROLL
        for (int i = H - R; i < V + H + R; ++i) p[i] = load_at(x - H + i, row);
    }
    /// p[n+1] of row j without strips. \param column p of rows -R … N - 1 + R.
    template <bool Images>
    __device__ __forceinline__ Vec<T> advance(int j, const Vec<T> (&column)[N + 2 * R], Vec<T> before, Vec<T> k) const {
        const Stencil<T>& s = a.stencil;
        T row[V + 2 * H];
        load_row(j, column[R + j], row);
        Vec<T> l;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            l.v[v] = s.centre * row[H + v];
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l.v[v] = fused(s.axis[0][m], row[H + v - m] + row[H + v + m], l.v[v]);
        }
        if constexpr (Dims == 3) {
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) {
                const Vec<T> below = load<Images>(-m, j), above = load<Images>(m, j);
                ONDA_UNROLL
                for (int v = 0; v < V; ++v) l.v[v] = fused(s.axis[1][m], below.v[v] + above.v[v], l.v[v]);
            }
        }
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) l = add_weighted(s.axis[2][m], column[R + j - m], l);
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) l = add_weighted(s.axis[2][m], column[R + j + m], l);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) l.v[v] = leapfrog(column[R + j].v[v], before.v[v], k.v[v], l.v[v]);
        return l;
    }
    /// p[n+1] of all rows without strips.
    template <bool Images>
    __device__ __forceinline__ void advance_all(const Vec<T> (&k)[N], Vec<T> (&next)[N]) const {
        Vec<T> column[N + 2 * R];
        ONDA_UNROLL
        for (int i = 0; i < N + 2 * R; ++i) column[i] = load<Images>(0, i - R);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) next[j] = load_streaming(static_cast<const T*>(a.q + element(0, j)));
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (!Images || there(j)) next[j] = advance<Images>(j, column, next[j], k[j]);
    }
};

/// L neighbouring nodes of a strip on a line across the face, t = t0 … t0 + L - 1, `Lanes` lines side by side along x.
template <typename T, int R, int L, int Lanes>
struct FusedLine {
    const FusedSide<T>& s;
    int t0;
    std::int64_t step;    ///< of psi and zeta from t to t + 1
    std::int64_t memory;  ///< of t = 0
    T psi[L + R][Lanes];  ///< values t0 - R …, of the step before, then of this one
    T zeta[L][Lanes];

    __device__ __forceinline__ FusedLine(const FusedSide<T>& side, int first, std::int64_t to_next, std::int64_t at)
        : s(side), t0(first), step(to_next), memory(at) {}
    [[nodiscard]] __device__ __forceinline__ bool has_psi(int t) const { return t >= 0 && t < s.width; }
    [[nodiscard]] __device__ __forceinline__ bool has_node(int t) const { return t >= s.first_node && t <= s.width; }

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
    __device__ __forceinline__ void load() {
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) read(has_psi(t0 - R + i), s.psi + memory + (t0 - R + i) * step, psi[i]);
        ONDA_UNROLL
        for (int u = 0; u < L; ++u)
            read(t0 + u > 0 && t0 + u <= s.width, s.zeta + memory + (t0 + u - 1) * step, zeta[u]);
    }
    /// \param p at nodes t0 - R … t0 + L - 1 + R; \param next p[n+1] of the nodes, which it completes.
    __device__ __forceinline__ void update(const T* h, const T (&p)[L + 2 * R][Lanes], const T (&k)[L][Lanes],
                                           T (&next)[L][Lanes]) {
        T g[L + R][Lanes];
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            const int t = t0 - R + i;
            const T a = has_psi(t) ? s.profile[t] : T(0), b = has_psi(t) ? s.profile[s.width + t] : T(0);
            ONDA_UNROLL
            for (int v = 0; v < Lanes; ++v) {
                g[i][v] = weighted_sum<T, R + 1>(h, [&](auto j) { return p[i + decltype(j)::value][v]; });
                psi[i][v] = has_psi(t) ? remember(a, b, psi[i][v], g[i][v]) : T(0);
            }
            if (i < R || !has_node(t)) continue;
            const T za = t > 0 ? s.profile[2 * s.width + t - 1] : T(0);
            const T zb = t > 0 ? s.profile[3 * s.width + t - 1] : T(0);
            const int u = i - R;
            ONDA_UNROLL
            for (int v = 0; v < Lanes; ++v) {
                const T of_psi = weighted_sum<T, R + 1>(h, [&](auto j) { return psi[i - decltype(j)::value][v]; });
                const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[i - decltype(j)::value][v]; });
                const T z = remember(za, zb, zeta[u][v], of_g + of_psi);
                next[u][v] = with_strip(k[u][v], t > 0 ? of_psi + z : of_psi, next[u][v]);
                zeta[u][v] = z;
            }
        }
    }
    /// Writes what belongs to its nodes: psi at t, zeta, and where the strip fills its axis psi at 0 to node 1.
    /// \param mine(u) whether node u is this thread's.
    template <typename Mine>
    __device__ __forceinline__ void store(const Mine& mine) const {
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const int t = t0 + u;
            if (!has_node(t) || !mine(u)) continue;
            if (t < s.width) write(s.psi_next + memory + t * step, psi[u + R]);
            if (t > 0) write(s.zeta + memory + (t - 1) * step, zeta[u]);
            if (t == 1 && s.first_node == 1) write(s.psi_next + memory, psi[u + R - 1]);
        }
    }
};

/// What the strips of both faces of an axis add to a thread's nodes. \tparam L, Lanes of FusedLine.
template <typename T, int Dims, int R, int N, int L, int Lanes>
struct FusedStrips {
    using Thread = FusedThread<T, Dims, R, N>;
    using Line = FusedLine<T, R, L, Lanes>;

    const Thread& thread;
    const FusedSide<T>& s;
    int direction;  ///< of t along the axis: 1 or -1
    int begin;      ///< coordinate of node u = 0

    __device__ __forceinline__ FusedStrips(const Thread& of, int face, int coordinate)
        : thread(of),
          s(of.a.side[face]),
          direction(face % 2 == 1 ? 1 : -1),
          begin(face % 2 == 1 ? coordinate : coordinate + L - 1) {}

    [[nodiscard]] __device__ __forceinline__ int t0() const { return direction * (begin - s.edge); }
    /// Whether any of its nodes belongs to the strip.
    [[nodiscard]] __device__ __forceinline__ bool reached() const { return s.width > 0 && t0() + L > 0; }
    /// Node u as counted along the axis.
    [[nodiscard]] __device__ __forceinline__ int place(int u) const { return direction > 0 ? u : L - 1 - u; }
    /// Of the node that is i - R nodes beyond u = 0.
    [[nodiscard]] __device__ __forceinline__ int coordinate(int i) const { return begin + direction * (i - R); }
};

template <typename T, int Dims, int R, int N>
__device__ __forceinline__ void add_x_strips(const FusedThread<T, Dims, R, N>& thread, const Vec<T> (&k)[N],
                                             Vec<T> (&next)[N]) {
    constexpr int V = Vec<T>::size;
    ONDA_UNROLL_BY(1)
    for (int face = 0; face < 2; ++face) {
        const FusedStrips<T, Dims, R, N, V, 1> strips(thread, face, thread.x);
        if (!strips.reached()) continue;
        const FusedSide<T>& s = strips.s;
        const bool forward = strips.direction > 0;
        using Line = FusedLine<T, R, V, 1>;
        const auto line_of = [&](int j) {
            return Line(s, strips.t0(), s.stride[0], thread.y * s.stride[1] + (thread.z + j) * s.stride[2]);
        };
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!thread.there(j)) continue;
            Line line = line_of(j);
            line.load();
            T p[V + 2 * R][1], k_of[V][1], next_of[V][1];
            ONDA_UNROLL
            for (int i = 0; i < V + 2 * R; ++i) p[i][0] = thread.load_at(strips.coordinate(i), j);
            ONDA_UNROLL
            for (int u = 0; u < V; ++u) {
                k_of[u][0] = forward ? k[j].v[u] : k[j].v[V - 1 - u];
                next_of[u][0] = forward ? next[j].v[u] : next[j].v[V - 1 - u];
            }
            line.update(thread.a.h[0], p, k_of, next_of);
            ONDA_UNROLL
            for (int u = 0; u < V; ++u) next[j].v[u] = forward ? next_of[u][0] : next_of[V - 1 - u][0];
            line.store([&](int u) { return thread.x + strips.place(u) < thread.a.nx; });
        }
    }
}

template <typename T, int Dims, int R, int N>
__device__ __forceinline__ void add_y_strips(const FusedThread<T, Dims, R, N>& thread, const Vec<T> (&k)[N],
                                             Vec<T> (&next)[N]) {
    constexpr int V = Vec<T>::size;
    ONDA_UNROLL_BY(1)
    for (int face = 2; face < 4; ++face) {
        const FusedStrips<T, Dims, R, N, 1, V> strips(thread, face, thread.y);
        if (!strips.reached()) continue;
        const FusedSide<T>& s = strips.s;
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!thread.there(j)) continue;
            FusedLine<T, R, 1, V> line(s, strips.t0(), s.stride[1], thread.x + (thread.z + j) * s.stride[2]);
            line.load();
            T p[1 + 2 * R][V], k_of[1][V], next_of[1][V];
            ONDA_UNROLL
            for (int i = 0; i < 1 + 2 * R; ++i) {
                const Vec<T> value = thread.template load<true>(strips.coordinate(i) - thread.y, j);
                ONDA_UNROLL
                for (int v = 0; v < V; ++v) p[i][v] = value.v[v];
            }
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) {
                k_of[0][v] = k[j].v[v];
                next_of[0][v] = next[j].v[v];
            }
            line.update(thread.a.h[1], p, k_of, next_of);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) next[j].v[v] = next_of[0][v];
            line.store([](int) { return true; });
        }
    }
}

template <typename T, int Dims, int R, int N>
__device__ __forceinline__ void add_z_strips(const FusedThread<T, Dims, R, N>& thread, const Vec<T> (&k)[N],
                                             Vec<T> (&next)[N]) {
    constexpr int V = Vec<T>::size;
    ONDA_UNROLL_BY(1)
    for (int face = 4; face < 6; ++face) {
        const FusedStrips<T, Dims, R, N, N, V> strips(thread, face, thread.z);
        if (!strips.reached()) continue;
        const FusedSide<T>& s = strips.s;
        const bool forward = strips.direction > 0;
        FusedLine<T, R, N, V> line(s, strips.t0(), s.stride[2], thread.x + thread.y * s.stride[1]);
        line.load();
        T p[N + 2 * R][V], k_of[N][V], next_of[N][V];
        ONDA_UNROLL
        for (int i = 0; i < N + 2 * R; ++i) {
            const Vec<T> value = thread.template load<true>(0, strips.coordinate(i) - thread.z);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) p[i][v] = value.v[v];
        }
        ONDA_UNROLL
        for (int u = 0; u < N; ++u) ONDA_UNROLL
        for (int v = 0; v < V; ++v) {
            k_of[u][v] = forward ? k[u].v[v] : k[N - 1 - u].v[v];
            next_of[u][v] = forward ? next[u].v[v] : next[N - 1 - u].v[v];
        }
        line.update(thread.a.h[2], p, k_of, next_of);
        ONDA_UNROLL
        for (int u = 0; u < N; ++u) ONDA_UNROLL
        for (int v = 0; v < V; ++v) next[u].v[v] = forward ? next_of[u][v] : next_of[N - 1 - u][v];
        line.store([&](int u) { return thread.there(strips.place(u)); });
    }
}

/// The nodes of one thread. What the launch before writes may be read from wait_for_launch_before() on.
template <typename T, int Dims, int R, int N>
__device__ __forceinline__ void update_nodes(const FusedThread<T, Dims, R, N>& thread) {
    const FusedArguments<T>& a = thread.a;
    Vec<T> k[N] = {}, next[N] = {};
    ONDA_UNROLL
    for (int j = 0; j < N; ++j)
        if (thread.there(j)) k[j] = load_vector(a.k + (thread.z + j) * a.k_plane + thread.y * a.k_pitch + thread.x);
    wait_for_launch_before();
    if (thread.needs_images())
        thread.template advance_all<true>(k, next);
    else
        thread.template advance_all<false>(k, next);
    add_x_strips(thread, k, next);
    if constexpr (Dims == 3) add_y_strips(thread, k, next);
    add_z_strips(thread, k, next);
    ONDA_UNROLL
    for (int j = 0; j < N; ++j)
        if (thread.there(j)) store_inside(a.q + thread.element(0, j), next[j], a.nx - thread.x);
}

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
        update_nodes(thread);
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
