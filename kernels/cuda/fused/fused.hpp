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

/// A thread's nodes: (x … x + V - 1, y, z … z + N - 1), those that lie in the grid.
template <typename T, int Dims, int R, int N>
struct FusedThread {
    static constexpr int V = Vec<T>::size, H = (R + V - 1) / V * V;
    const FusedArguments<T>& a;
    int x, y, z;
    int pitch, plane;    ///< of p: of a few rows or planes, 32 bits are enough
    const T* p;          ///< p[n] at (x, y, z)
    std::int64_t place;  ///< of (x, y, z) in p

    __device__ __forceinline__ FusedThread(const FusedArguments<T>& arguments, int node_x, int node_y, int node_z)
        : a(arguments),
          x(node_x),
          y(node_y),
          z(node_z),
          pitch(static_cast<int>(a.pitch)),
          plane(static_cast<int>(a.plane)),
          p(a.p + (z * a.plane + y * a.pitch + x)),
          place(z * a.plane + y * a.pitch + x) {}

    [[nodiscard]] __device__ __forceinline__ bool inside() const { return x < a.nx && y < a.ny && z < a.nz; }
    [[nodiscard]] __device__ __forceinline__ bool there(int row) const { return z + row < a.nz; }
    [[nodiscard]] __device__ __forceinline__ T* q(int row) const { return a.q + place + row * plane; }
    [[nodiscard]] __device__ __forceinline__ const T* k(int row) const {
        return a.k + ((z + row) * a.k_plane + y * a.k_pitch + x);
    }
    /// Whether any of its nodes belongs to a strip.
    [[nodiscard]] __device__ __forceinline__ bool reaches_strips() const {
        const auto reaches = [this](int axis, int begin, int count) {
            return begin < a.low_reach[axis] || begin + count > a.high_reach[axis];
        };
        return reaches(0, x, V) || (Dims == 3 && reaches(1, y, 1)) || reaches(2, z, N);
    }
    /// p of row dz of its column: of the row that it is an image of, and zeros beyond the halo.
    [[nodiscard]] __device__ __forceinline__ Vec<T> load_image(int dz) const {
        const int at = z + dz;
        if (at >= a.nz + R) return Vec<T>{};
        if (at >= 0 && at < a.nz) return load_vector(p + dz * plane);
        const int slot = at < 0 ? -1 - at : kMaxRadius + at - a.nz;
        const T sign = static_cast<T>(a.images.sign[slot]);
        Vec<T> value = load_vector(p + (a.images.from[slot] - z) * a.plane);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) value.v[v] = sign * value.v[v];
        return value;
    }
    /// p of `Rows` rows from row j on, and of R on either side.
    template <int Rows>
    __device__ __forceinline__ void load_column(int j, Vec<T> (&column)[Rows + 2 * R]) const {
        if (z + j >= R && z + j + Rows + R <= a.nz) {
            ONDA_UNROLL
            for (int i = 0; i < Rows + 2 * R; ++i) column[i] = load_vector(p + (j + i - R) * plane);
        } else {
            ONDA_UNROLL
            for (int i = 0; i < Rows + 2 * R; ++i) column[i] = load_image(j + i - R);
        }
    }
    /// p of row j from x - H to x + V + H - 1.
    __device__ __forceinline__ void load_row(int j, Vec<T> centre, T (&row)[V + 2 * H]) const {
        const T* const at = p + j * plane;
        ONDA_UNROLL
        for (int m = 0; m < V + 2 * H; m += V) {
            const Vec<T> part = m == H ? centre : load_vector(at + m - H);
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) row[m + v] = part.v[v];
        }
    }
    /// p[n+1] of row j without layers. \param column p of rows j - R … j + R; \param row of load_row();
    /// \param before p[n-1].
    [[nodiscard]] __device__ __forceinline__ Vec<T> advance(int j, const Vec<T>* column, const T (&row)[V + 2 * H],
                                                            Vec<T> before, Vec<T> k_of) const {
        const Stencil<T>& s = a.stencil;
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
                const Vec<T> below = load_vector(p + (j * plane - m * pitch)),
                             above = load_vector(p + (j * plane + m * pitch));
                ONDA_UNROLL
                for (int v = 0; v < V; ++v) l.v[v] = fused(s.axis[1][m], below.v[v] + above.v[v], l.v[v]);
            }
        }
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) l = add_weighted(s.axis[2][m], column[R - m], l);
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) l = add_weighted(s.axis[2][m], column[R + m], l);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) l.v[v] = leapfrog(column[R].v[v], before.v[v], k_of.v[v], l.v[v]);
        return l;
    }
    /// All its nodes, none of which belongs to a strip.
    __device__ __forceinline__ void update() const {
        Vec<T> k_of[N] = {}, before[N] = {}, column[N + 2 * R];
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) k_of[j] = load_vector(k(j));
        wait_for_launch_before();  // nothing writes k
        load_column<N>(0, column);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) before[j] = load_streaming(static_cast<const T*>(q(j)));
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!there(j)) continue;
            T row[V + 2 * H];
            load_row(j, column[R + j], row);
            store_inside(q(j), advance(j, column + j, row, before[j], k_of[j]), a.nx - x);
        }
    }
    /// Row j, some nodes of which belong to strips.
    __device__ __forceinline__ void update_with_strips(int j) const {
        const FusedReach<T, V> reach_x(a, 0, x);
        const FusedReach<T, 1> reach_y(a, 1, y), reach_z(a, 2, z + j);
        FusedLine<T, R, V, 1> line_x(reach_x.s, reach_x.t0, reach_x.s.stride[0],
                                     y * reach_x.s.stride[1] + (z + j) * reach_x.s.stride[2]);
        FusedLine<T, R, 1, V> line_z(reach_z.s, reach_z.t0, reach_z.s.stride[2], x + y * reach_z.s.stride[1]);
        Vec<T> column[1 + 2 * R];
        T row[V + 2 * H];
        load_column<1>(j, column);
        load_row(j, column[R], row);
        const Vec<T> before = load_streaming(static_cast<const T*>(q(j))), k_of = load_vector(k(j));
        if (reach_x.reached) line_x.load();
        if (reach_z.reached) line_z.load();
        Vec<T> next = advance(j, column, row, before, k_of);
        if (reach_x.reached) add_x_strip(reach_x, line_x, row, k_of, next);
        if constexpr (Dims == 3)
            if (reach_y.reached) add_y_strip(j, reach_y, k_of, next);
        if (reach_z.reached) {
            const bool forward = reach_z.forward;
            line_z.update(
                a.h[2], [&](int i, int v) { return either(forward, column[i].v[v], column[2 * R - i].v[v]); },
                [&](int, int v) { return k_of.v[v]; }, [&](int, int v) -> T& { return next.v[v]; });
            line_z.store([](int) { return true; });
        }
        store_inside(q(j), next, a.nx - x);
    }
    __device__ __forceinline__ void add_x_strip(const FusedReach<T, V>& reach, FusedLine<T, R, V, 1>& line,
                                                const T (&row)[V + 2 * H], Vec<T> k_of, Vec<T>& next) const {
        const bool forward = reach.forward;
        Vec<T> k_towards, next_towards;
        ONDA_UNROLL
        for (int u = 0; u < V; ++u) {
            k_towards.v[u] = either(forward, k_of.v[u], k_of.v[V - 1 - u]);
            next_towards.v[u] = either(forward, next.v[u], next.v[V - 1 - u]);
        }
        line.update(
            a.h[0], [&](int i, int) { return either(forward, row[H - R + i], row[V + H + R - 1 - i]); },
            [&](int u, int) { return k_towards.v[u]; }, [&](int u, int) -> T& { return next_towards.v[u]; });
        ONDA_UNROLL
        for (int u = 0; u < V; ++u) next.v[u] = either(forward, next_towards.v[u], next_towards.v[V - 1 - u]);
        line.store([&](int u) { return x + reach.place(u) < a.nx; });
    }
    __device__ __forceinline__ void add_y_strip(int j, const FusedReach<T, 1>& reach, Vec<T> k_of, Vec<T>& next) const {
        FusedLine<T, R, 1, V> line(reach.s, reach.t0, reach.s.stride[1], x + (z + j) * reach.s.stride[2]);
        line.load();
        Vec<T> across[1 + 2 * R];
        const int along = reach.forward ? pitch : -pitch;
        ONDA_UNROLL
        for (int i = 0; i < 1 + 2 * R; ++i) across[i] = load_vector(p + (j * plane + (i - R) * along));
        line.update(
            a.h[1], [&](int i, int v) { return across[i].v[v]; }, [&](int, int v) { return k_of.v[v]; },
            [&](int, int v) -> T& { return next.v[v]; });
        line.store([](int) { return true; });
    }
};

/// One step. A warp covers 8 vectors along x of 4 rows: few warps then reach into the strips across x, and a quarter of
/// a warp still reads a line. Block: a warp takes its place among 4 along x, and then along the next axis that has a
/// derivative. Grid: tiles along x and y, and along z the planes of blocks that record, then tiles.
template <typename T, int Dims, int R, int N>
__global__ void __launch_bounds__(256, 2) fused_step(const __grid_constant__ FusedArguments<T> a) {
    let_next_launch_begin();
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int plane_of_blocks = static_cast<int>(blockIdx.y * gridDim.x + blockIdx.x);
    const int blocks = static_cast<int>(gridDim.x * gridDim.y);
    const int tile_z = static_cast<int>(blockIdx.z) - a.record_planes;
    if (tile_z < 0) {
        wait_for_launch_before();
        const std::int64_t r = (static_cast<std::int64_t>(blockIdx.z) * blocks + plane_of_blocks) * threads + thread;
        if (r < a.receivers.receivers) sample_receiver(a.p, a.receivers, r, *a.base + a.offset);
        return;
    }
    const int column = (thread & 7) + (thread >> 2 & 24), row = (thread >> 3 & 3) + 4 * (thread >> 7);
    const int rows = threads >> 5;
    const int x = (static_cast<int>(blockIdx.x) * 32 + column) * Vec<T>::size;
    const int y = Dims == 3 ? static_cast<int>(blockIdx.y) * rows + row : static_cast<int>(blockIdx.y);
    const FusedThread<T, Dims, R, N> mine(a, x, y, Dims == 3 ? tile_z * N : (tile_z * rows + row) * N);
    if (!mine.inside()) {
        wait_for_launch_before();
    } else if (mine.reaches_strips()) {
        wait_for_launch_before();
        ONDA_UNROLL_BY(1)
        for (int j = 0; j < N; ++j)
            if (mine.there(j)) mine.update_with_strips(j);
    } else {
        mine.update();
    }
    if (a.sources_of == nullptr) return;
    const std::int32_t* const sources = a.sources_of + (tile_z * blocks + plane_of_blocks);
    const int end = sources[1];
    int i = sources[0];
    if (i == end) return;
    __syncthreads();  // the nodes of the sources are this block's
    for (i += thread; i < end; i += threads) add_source(a.q, a.sources, i, *a.base + a.offset);
}

}  // namespace onda::cuda
