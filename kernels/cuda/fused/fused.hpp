/// \file
/// A whole time step of the star in one launch: stencil, images beyond mirrors across z, perfectly matched layers,
/// sources, and the samples of p[n]. Small grids need it: there a launch costs more than what it computes.
///
/// In the core, which no strip reaches, a thread has one vector along x of N planes (in 2-D rows) along z. In the rim
/// it has one node of them, since a node of a strip takes five times the work. Its column of p is in registers;
/// neighbours along x and y come through the L1 cache. A thread of the rim computes again the r values of g and psi
/// that its nodes share with their neighbours: nothing is exchanged between threads, and nothing waits.
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

/// L neighbouring nodes on a line across a face, t = t0 … t0 + L - 1, and what the strip adds to them. Nodes that are
/// not in the strip are left alone.
template <typename T, int R, int L>
struct FusedLine {
    bool reached;  ///< whether any of the nodes belongs to a strip: at most one does (fused_fits())
    bool forward;  ///< whether t grows along the axis
    int t0;        ///< of the first node, or of the last where t falls
    const FusedSide<T>* s;
    std::int64_t memory;    ///< of psi and zeta at t = 0
    T psi[L + R], zeta[L];  ///< psi at t0 - R …; of the step before, then of this one

    /// \param begin the coordinate of the first node; \param at(stride) where psi and zeta begin.
    template <typename At>
    __device__ __forceinline__ void place(const FusedArguments<T>& a, int axis, int begin, const At& at) {
        forward = begin + L > a.high_reach[axis];
        reached = forward || begin < a.low_reach[axis];
        s = &a.side[2 * axis + (forward ? 1 : 0)];
        t0 = forward ? begin - s->edge : s->edge - (begin + L - 1);
        memory = at(s->stride);
    }
    [[nodiscard]] __device__ __forceinline__ bool has_psi(int t) const { return t >= 0 && t < s->width; }
    [[nodiscard]] __device__ __forceinline__ bool has_zeta(int t) const { return t > 0 && t <= s->width; }
    [[nodiscard]] __device__ __forceinline__ std::int64_t element(int t, int axis) const {
        return memory + t * s->stride[axis];
    }
    /// Asks for what the strip remembers.
    __device__ __forceinline__ void load(int axis) {
        if (!reached) return;
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            const int t = t0 - R + i;
            psi[i] = has_psi(t) ? s->psi[element(t, axis)] : T(0);
        }
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) zeta[u] = has_zeta(t0 + u) ? s->zeta[element(t0 + u - 1, axis)] : T(0);
    }
    /// \param p(i) R nodes before the first node and i on, along the axis; \param k, next of the nodes along the axis.
    template <typename P>
    __device__ __forceinline__ void update(const T* h, const P& p, const T (&k)[L], T (&next)[L]) {
        if (!reached) return;
        T g[L + R], towards[L + 2 * R], k_towards[L], next_towards[L];
        ONDA_UNROLL
        for (int i = 0; i < L + 2 * R; ++i) towards[i] = either(forward, p(i), p(L + 2 * R - 1 - i));
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            k_towards[u] = either(forward, k[u], k[L - 1 - u]);
            next_towards[u] = either(forward, next[u], next[L - 1 - u]);
        }
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            const int t = t0 - R + i, u = i - R;
            const FusedProfile<T> profile = t >= 0 && t <= s->width ? s->profile[t] : FusedProfile<T>{};
            g[i] = weighted_sum<T, R + 1>(h, [&](auto j) { return towards[i + decltype(j)::value]; });
            const T updated = remember(profile.a_psi, profile.b_psi, psi[i], g[i]);
            psi[i] = has_psi(t) ? updated : T(0);
            if (u < 0) continue;
            const T of_psi = weighted_sum<T, R + 1>(h, [&](auto j) { return psi[i - decltype(j)::value]; });
            const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[i - decltype(j)::value]; });
            zeta[u] = remember(profile.a_zeta, profile.b_zeta, zeta[u], of_g + of_psi);
            const T with = with_strip(k_towards[u], t > 0 ? of_psi + zeta[u] : of_psi, next_towards[u]);
            if (t >= 0 && t <= s->width) next_towards[u] = with;
        }
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) next[u] = either(forward, next_towards[u], next_towards[L - 1 - u]);
    }
    /// \param mine(u) whether node u along the axis is this thread's.
    template <typename Mine>
    __device__ __forceinline__ void store(int axis, const Mine& mine) const {
        if (!reached) return;
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const int t = t0 + u;
            if (!mine(forward ? u : L - 1 - u)) continue;
            if (has_psi(t)) s->psi_next[element(t, axis)] = psi[u + R];
            if (has_zeta(t)) s->zeta[element(t - 1, axis)] = zeta[u];
        }
    }
};

/// W neighbours along x, read and written at once.
template <typename T, int W>
struct alignas(W * sizeof(T)) FusedPack {
    T v[W];
};

/// A thread's nodes: (x … x + W - 1, y, z … z + N - 1), those that lie in its box.
template <typename T, int Dims, int R, int N, int W>
struct FusedThread {
    using Pack = FusedPack<T, W>;
    static constexpr int H = (R + W - 1) / W * W;  ///< whole packs
    const FusedArguments<T>& a;
    int x, y, z, z_end;
    int pitch, plane;  ///< of p: of a few rows or planes, 32 bits are enough
    const T* p;        ///< p[n] at (x, y, z)
    T* q;              ///< p[n-1], likewise

    __device__ __forceinline__ FusedThread(const FusedArguments<T>& arguments, int node_x, int node_y, int node_z,
                                           int end_z)
        : a(arguments),
          x(node_x),
          y(node_y),
          z(node_z),
          z_end(end_z),
          pitch(static_cast<int>(a.pitch)),
          plane(static_cast<int>(a.plane)),
          p(a.p + (z * a.plane + y * a.pitch + x)),
          q(a.q + (z * a.plane + y * a.pitch + x)) {}

    [[nodiscard]] static __device__ __forceinline__ Pack load(const T* from) {
        return *reinterpret_cast<const Pack*>(from);
    }
    [[nodiscard]] __device__ __forceinline__ bool there(int row) const { return z + row < z_end; }
    [[nodiscard]] __device__ __forceinline__ const T* k(int row) const {
        return a.k + ((z + row) * a.k_plane + y * a.k_pitch + x);
    }
    /// p of row dz of its column: of the row that it is an image of, and zeros beyond the halo.
    [[nodiscard]] __device__ __forceinline__ Pack load_image(int dz) const {
        const int at = z + dz;
        if (at >= a.nz + R) return Pack{};
        if (at >= 0 && at < a.nz) return load(p + dz * plane);
        const int slot = at < 0 ? -1 - at : kMaxRadius + at - a.nz;
        const T sign = static_cast<T>(a.images.sign[slot]);
        Pack value = load(p + (a.images.from[slot] - z) * a.plane);
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) value.v[v] = sign * value.v[v];
        return value;
    }
    /// p of rows -R … N - 1 + R.
    __device__ __forceinline__ void load_column(Pack (&column)[N + 2 * R]) const {
        if (z >= R && z + N + R <= a.nz) {
            ONDA_UNROLL
            for (int i = 0; i < N + 2 * R; ++i) column[i] = load(p + (i - R) * plane);
        } else {
            ONDA_UNROLL
            for (int i = 0; i < N + 2 * R; ++i) column[i] = load_image(i - R);
        }
    }
    /// p of row j from x - H to x + W + H - 1.
    __device__ __forceinline__ void load_row(int j, Pack centre, T (&row)[W + 2 * H]) const {
        ONDA_UNROLL
        for (int m = 0; m < W + 2 * H; m += W) {
            const Pack part = m == H ? centre : load(p + (j * plane + m - H));
            ONDA_UNROLL
            for (int v = 0; v < W; ++v) row[m + v] = part.v[v];
        }
    }
    /// p of row j from y - R to y + R.
    __device__ __forceinline__ void load_across(int j, Pack centre, Pack (&across)[1 + 2 * R]) const {
        ONDA_UNROLL
        for (int i = 0; i < 1 + 2 * R; ++i) across[i] = i == R ? centre : load(p + (j * plane + (i - R) * pitch));
    }
    /// p[n+1] of row j without layers.
    [[nodiscard]] __device__ __forceinline__ Pack advance(int j, const Pack (&column)[N + 2 * R],
                                                          const T (&row)[W + 2 * H], const Pack (&across)[1 + 2 * R],
                                                          Pack before, Pack k_of) const {
        const Stencil<T>& s = a.stencil;
        Pack next;
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) {
            T l = s.centre * row[H + v];
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l = fused(s.axis[0][m], row[H + v - m] + row[H + v + m], l);
            if constexpr (Dims == 3) {
                ONDA_UNROLL
                for (int m = 1; m <= R; ++m) l = fused(s.axis[1][m], across[R - m].v[v] + across[R + m].v[v], l);
            }
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l = fused(s.axis[2][m], column[R + j - m].v[v], l);
            ONDA_UNROLL
            for (int m = 1; m <= R; ++m) l = fused(s.axis[2][m], column[R + j + m].v[v], l);
            next.v[v] = leapfrog(column[R + j].v[v], before.v[v], k_of.v[v], l);
        }
        return next;
    }
    /// p[n-1] of row j, of whole vectors.
    [[nodiscard]] __device__ __forceinline__ Pack load_before(int j) const {
        const Vec<T> values = load_streaming(static_cast<const T*>(q + j * plane));
        Pack before;
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) before.v[v] = values.v[v];
        return before;
    }
    /// Stores row j of whole vectors, those of its nodes that lie in the grid.
    __device__ __forceinline__ void store(int j, Pack next) const {
        Vec<T> values;
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) values.v[v] = next.v[v];
        store_inside(q + j * plane, values, a.nx - x);
    }
    /// Nodes that no strip reaches.
    __device__ __forceinline__ void update_core() const {
        Pack k_of[N] = {}, before[N] = {}, column[N + 2 * R], across[1 + 2 * R];
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) k_of[j] = load(k(j));
        wait_for_launch_before();  // nothing writes k
        load_column(column);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) before[j] = load_before(j);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!there(j)) continue;
            T row[W + 2 * H];
            load_row(j, column[R + j], row);
            if constexpr (Dims == 3) load_across(j, column[R + j], across);
            store(j, advance(j, column, row, across, before[j], k_of[j]));
        }
    }
    /// Nodes that strips reach. Everything is asked for before anything is written, which the compiler takes for
    /// something that might be read.
    __device__ __forceinline__ void update_rim() const {
        static_assert(W == 1);
        FusedLine<T, R, 1> line_x[N], line_y[N];
        FusedLine<T, R, N> line_z;
        Pack column[N + 2 * R];
        T k_of[N] = {}, before[N] = {}, next[N] = {};
        wait_for_launch_before();
        load_column(column);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) {
                k_of[j] = *k(j);
                before[j] = q[j * plane];
            }
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            line_x[j].place(a, 0, x, [&](const auto& s) { return y * s[1] + (z + j) * s[2]; });
            if (there(j)) line_x[j].load(0);
            if constexpr (Dims == 3) {
                line_y[j].place(a, 1, y, [&](const auto& s) { return x + (z + j) * s[2]; });
                if (there(j)) line_y[j].load(1);
            }
        }
        line_z.place(a, 2, z, [&](const auto& s) { return x + y * s[1]; });
        line_z.load(2);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!there(j)) continue;
            T row[1 + 2 * H];
            Pack across[1 + 2 * R];
            load_row(j, column[R + j], row);
            if constexpr (Dims == 3) load_across(j, column[R + j], across);
            const T k_one[1] = {k_of[j]};
            T one[1] = {advance(j, column, row, across, Pack{{before[j]}}, Pack{{k_of[j]}}).v[0]};
            line_x[j].update(
                a.h[0], [&](int i) { return row[i]; }, k_one, one);
            if constexpr (Dims == 3)
                line_y[j].update(
                    a.h[1], [&](int i) { return across[i].v[0]; }, k_one, one);
            next[j] = one[0];
        }
        line_z.update(
            a.h[2], [&](int i) { return column[i].v[0]; }, k_of, next);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j) {
            if (!there(j)) continue;
            q[j * plane] = next[j];
            line_x[j].store(0, [](int) { return true; });
            if constexpr (Dims == 3) line_y[j].store(1, [](int) { return true; });
        }
        line_z.store(2, [&](int u) { return there(u); });
    }
};

/// One step. Grid: the blocks that record, then those of the boxes. Block: 32 threads along x, the warps along the next
/// axis that has a derivative.
template <typename T, int Dims, int R, int N>
__global__ void __launch_bounds__(256, 2) fused_step(const __grid_constant__ FusedArguments<T> a) {
    constexpr int V = Vec<T>::size;
    let_next_launch_begin();
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    if (blockIdx.x < a.record_blocks) {
        wait_for_launch_before();
        const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * threads + thread;
        if (r < a.receivers.receivers) sample_receiver(a.p, a.receivers, r, *a.base + a.offset);
        return;
    }
    const unsigned block = blockIdx.x - a.record_blocks;
    int b = 0;
    while (block >= a.boxes.first[b + 1]) ++b;
    const FusedBox& box = a.boxes.box[b];
    const unsigned tile = block - a.boxes.first[b], line = box.tiles_x.divide(tile), tile_z = box.tiles_y.divide(line);
    const int warps = threads >> 5, warp = thread >> 5, width = b == 0 ? V : 1;
    const int along_y = static_cast<int>(line - tile_z * box.tiles_y.divisor), along_z = static_cast<int>(tile_z);
    const int x = box.begin[0] + (static_cast<int>(tile - line * box.tiles_x.divisor) * 32 + (thread & 31)) * width;
    const int y = box.begin[1] + (Dims == 3 ? along_y * warps + warp : along_y);
    const int z = box.begin[2] + (Dims == 3 ? along_z : along_z * warps + warp) * N;
    if (x >= box.end[0] || y >= box.end[1] || z >= box.end[2])
        wait_for_launch_before();
    else if (b == 0)
        FusedThread<T, Dims, R, N, V>(a, x, y, z, box.end[2]).update_core();
    else
        FusedThread<T, Dims, R, N, 1>(a, x, y, z, box.end[2]).update_rim();
    if (a.sources_of == nullptr) return;
    const int end = a.sources_of[block + 1];
    int i = a.sources_of[block];
    if (i == end) return;
    __syncthreads();  // the nodes of the sources are this block's
    for (i += thread; i < end; i += threads) add_source(a.q, a.sources, i, *a.base + a.offset);
}

}  // namespace onda::cuda
