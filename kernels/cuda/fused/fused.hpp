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

/// A node on its line across a face, and what the strip adds to it.
template <typename T, int R>
struct FusedStrip {
    bool reached = false;  ///< at most one strip of an axis reaches a node: fused_fits()
    bool forward = false;  ///< whether t grows along the axis
    int t = 0, width = 0, step = 0;
    const T* psi_before = nullptr;
    T *psi_next = nullptr, *zeta_at = nullptr;  ///< like psi_before, of t = 0
    const FusedProfile<T>* profile = nullptr;   ///< of t - R
    T psi[R + 1], zeta;                         ///< psi at t - R … t; of the step before, then of this one

    /// Asks for what the strip remembers. \param at(stride) where the line's psi and zeta begin.
    template <typename At>
    __device__ __forceinline__ void load(const FusedArguments<T>& a, int axis, int coordinate, const At& at) {
        forward = coordinate >= a.high_reach[axis];
        reached = forward || coordinate < a.low_reach[axis];
        if (!reached) return;
        const FusedSide<T>& s = a.side[2 * axis + (forward ? 1 : 0)];
        t = forward ? coordinate - s.edge : s.edge - coordinate;
        width = s.width;
        step = s.stride[axis];
        const std::int64_t line = at(s.stride);
        psi_before = s.psi + line;
        psi_next = s.psi_next + line;
        zeta_at = s.zeta + line;
        profile = s.profile + t;
        // Loads without conditions, of values that exist: a branch each would take more than they do.
        ONDA_UNROLL
        for (int i = 0; i <= R; ++i) {
            const int wanted = t - R + i, last = width - 1;
            psi[i] = psi_before[(wanted < 0 ? 0 : wanted > last ? last : wanted) * step];
        }
        zeta = zeta_at[(t > 0 ? t - 1 : 0) * step];
    }
    /// \param p(i) R nodes before this one and i on, along the axis. Returns p[n+1] with the strip's share.
    template <typename P>
    [[nodiscard]] __device__ __forceinline__ T update(const T* h, const P& p, T k, T next) {
        if (!reached) return next;
        T g[R + 1], towards[1 + 2 * R];
        ONDA_UNROLL
        for (int i = 0; i <= 2 * R; ++i) towards[i] = either(forward, p(i), p(2 * R - i));
        ONDA_UNROLL
        for (int i = 0; i <= R; ++i) {
            const int at = t - R + i;
            const FusedProfile<T> of = profile[i];
            g[i] = weighted_sum<T, R + 1>(h, [&](auto j) { return towards[i + decltype(j)::value]; });
            const T updated = remember(of.a_psi, of.b_psi, psi[i], g[i]);
            psi[i] = either(at >= 0 && at < width, updated, T(0));
        }
        const FusedProfile<T> of = profile[R];
        const T of_psi = weighted_sum<T, R + 1>(h, [&](auto j) { return psi[R - decltype(j)::value]; });
        const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[R - decltype(j)::value]; });
        zeta = remember(of.a_zeta, of.b_zeta, zeta, of_g + of_psi);
        return with_strip(k, either(t > 0, of_psi + zeta, of_psi), next);
    }
    __device__ __forceinline__ void store() const {
        if (!reached) return;
        if (t < width) psi_next[t * step] = psi[R];
        if (t > 0) zeta_at[(t - 1) * step] = zeta;
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
    /// p of row dz of its column, or of the row that it is an image of. Without branches; rows beyond the halo, which
    /// nobody needs, are the last one of it.
    [[nodiscard]] __device__ __forceinline__ Pack load_image(int dz) const {
        const int at = z + dz, above = at - a.nz < R ? at - a.nz : R - 1;
        const bool outside = at < 0 || above >= 0;
        const int slot = at < 0 ? -1 - at : kMaxRadius + (above > 0 ? above : 0);
        const int row = outside ? a.images.from[slot] : at;
        const T sign = static_cast<T>(outside ? a.images.sign[slot] : 1);
        Pack value = load(p + (row - z) * plane);
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
    /// A node that strips reach. Everything is asked for before anything is written, which the compiler takes for
    /// something that might be read.
    __device__ __forceinline__ void update_rim() const {
        static_assert(N == 1 && W == 1);
        Pack column[1 + 2 * R], across[1 + 2 * R];
        T row[1 + 2 * R];
        FusedStrip<T, R> strip_x, strip_y, strip_z;
        const T k_of = *k(0);
        wait_for_launch_before();
        load_column(column);
        load_row(0, column[R], row);
        if constexpr (Dims == 3) load_across(0, column[R], across);
        const T before = *q;
        strip_x.load(a, 0, x, [this](const auto& s) { return y * std::int64_t{s[1]} + z * std::int64_t{s[2]}; });
        if constexpr (Dims == 3) strip_y.load(a, 1, y, [this](const auto& s) { return x + z * std::int64_t{s[2]}; });
        strip_z.load(a, 2, z, [this](const auto& s) { return x + y * std::int64_t{s[1]}; });
        T next = advance(0, column, row, across, Pack{{before}}, Pack{{k_of}}).v[0];
        next = strip_x.update(
            a.h[0], [&](int i) { return row[i]; }, k_of, next);
        if constexpr (Dims == 3)
            next = strip_y.update(
                a.h[1], [&](int i) { return across[i].v[0]; }, k_of, next);
        next = strip_z.update(
            a.h[2], [&](int i) { return column[i].v[0]; }, k_of, next);
        *q = next;
        strip_x.store();
        if constexpr (Dims == 3) strip_y.store();
        strip_z.store();
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
    const int warps = threads >> 5, warp = thread >> 5, width = b == 0 ? V : 1, rows = b == 0 ? N : 1;
    const int along_y = static_cast<int>(line - tile_z * box.tiles_y.divisor), along_z = static_cast<int>(tile_z);
    const int x = box.begin[0] + (static_cast<int>(tile - line * box.tiles_x.divisor) * 32 + (thread & 31)) * width;
    const int y = box.begin[1] + (Dims == 3 ? along_y * warps + warp : along_y);
    const int z = box.begin[2] + (Dims == 3 ? along_z : along_z * warps + warp) * rows;
    if (x >= box.end[0] || y >= box.end[1] || z >= box.end[2])
        wait_for_launch_before();
    else if (b == 0)
        FusedThread<T, Dims, R, N, V>(a, x, y, z, box.end[2]).update_core();
    else
        FusedThread<T, Dims, R, 1, 1>(a, x, y, z, box.end[2]).update_rim();
    if (a.sources_of == nullptr) return;
    const int end = a.sources_of[block + 1];
    int i = a.sources_of[block];
    if (i == end) return;
    __syncthreads();  // the nodes of the sources are this block's
    for (i += thread; i < end; i += threads) add_source(a.q, a.sources, i, *a.base + a.offset);
}

}  // namespace onda::cuda
