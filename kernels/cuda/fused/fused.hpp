/// \file
/// A whole time step of the star in one launch: stencil, images beyond mirrors across z, perfectly matched layers,
/// sources, and the samples of p[n]. Small grids need it: there a launch costs more than what it computes.
///
/// A thread has one vector along x, in the core, which no strip reaches, of 4 planes (in 2-D rows) along z. Its column
/// of p is in registers; neighbours along x and y come through the L1 cache. In the rim a thread computes again the r
/// values of g and psi that its nodes share with their neighbours, in 2-D away from the layers across x fewer of them
/// (FusedLayer): nothing is exchanged between threads, and nothing waits.
#pragma once

#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/fused/fused_layer.hpp"
#include "kernels/cuda/shot_operations.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// Selects by value, never by reference: arrays in registers have no address.
template <typename T>
__device__ __forceinline__ T either(bool first, T a, T b) {
    return first ? a : b;
}

/// Where L neighbouring nodes across a face, and the W lines side by side along x that they lie on, are in a strip.
template <typename T, int R, int L, int W>
struct FusedPlace {
    bool reached,
        forward;         ///< whether any node is in a strip, of which an axis has one here, and t grows along the axis
    int t, width, step;  ///< t of the first node, or of the last where t falls
    const T* psi_before;
    T *psi_next, *zeta;              ///< like psi_before, of t = 0
    const FusedProfile<T>* profile;  ///< of t - R

    /// \param at(stride) where psi and zeta of the line begin.
    template <typename At>
    __device__ __forceinline__ FusedPlace(const FusedArguments<T>& a, int axis, int begin, const At& at) {
        forward = begin + L > a.high_reach[axis];
        reached = forward || begin < a.low_reach[axis];
        const FusedSide<T>& s = a.side[2 * axis + (forward ? 1 : 0)];
        t = forward ? begin - s.edge : s.edge - (begin + L - 1);
        width = s.width;
        step = s.stride[axis];
        const std::int64_t line = reached ? at(s.stride) : 0;
        psi_before = s.psi + line;
        psi_next = s.psi_next + line;
        zeta = s.zeta + line;
        profile = s.profile + t;
    }
    // Loads have no conditions, but values that exist: a branch each would take longer than they do.
    [[nodiscard]] __device__ __forceinline__ FusedPack<T, W> load_psi(int at) const {
        const int last = width - 1;
        return *reinterpret_cast<const FusedPack<T, W>*>(psi_before + (at < 0 ? 0 : at > last ? last : at) * step);
    }
    [[nodiscard]] __device__ __forceinline__ FusedPack<T, W> load_zeta(int at) const {
        return *reinterpret_cast<const FusedPack<T, W>*>(zeta + (at < 1 ? 0 : at > width ? width - 1 : at - 1) * step);
    }
    __device__ __forceinline__ void store(int at, FusedPack<T, W> new_psi, FusedPack<T, W> new_zeta) const {
        if (at >= 0 && at < width) *reinterpret_cast<FusedPack<T, W>*>(psi_next + at * step) = new_psi;
        if (at > 0 && at <= width) *reinterpret_cast<FusedPack<T, W>*>(zeta + (at - 1) * step) = new_zeta;
    }
};

/// What a strip adds to L neighbouring nodes on each of W lines.
template <typename T, int R, int L, int W>
struct FusedStrip {
    using Place = FusedPlace<T, R, L, W>;
    FusedPack<T, W> psi[L + R], zeta[L];  ///< psi from t - R on; of the step before, then of this one

    __device__ __forceinline__ void load(const Place& at) {
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) psi[i] = at.load_psi(at.t - R + i);
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) zeta[u] = at.load_zeta(at.t + u);
    }
    /// \param p(i, v) on line v, R nodes before the first one and i on along the axis; \param k(u, v), next(u, v) of
    /// node u along the axis: k, and p[n+1], to which the share of the strip is added.
    template <typename P, typename K, typename Next>
    __device__ __forceinline__ void update(const Place& at, const T* h, const P& p, const K& k, const Next& next) {
        FusedProfile<T> profile[L + R];
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) profile[i] = at.profile[i];
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) {
            T g[L + R], towards[L + 2 * R];
            ONDA_UNROLL
            for (int i = 0; i < L + 2 * R; ++i) towards[i] = either(at.forward, p(i, v), p(L + 2 * R - 1 - i, v));
            ONDA_UNROLL
            for (int i = 0; i < L + R; ++i) {
                g[i] = weighted_sum<T, R + 1>(h, [&](auto j) { return towards[i + decltype(j)::value]; });
                const T updated = remember(profile[i].a_psi, profile[i].b_psi, psi[i].v[v], g[i]);
                const int of = at.t - R + i;
                psi[i].v[v] = either(of >= 0 && of < at.width, updated, T(0));
            }
            T share[L];
            ONDA_UNROLL
            for (int u = 0; u < L; ++u) {
                const T of_psi =
                    weighted_sum<T, R + 1>(h, [&](auto j) { return psi[u + R - decltype(j)::value].v[v]; });
                const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[u + R - decltype(j)::value]; });
                zeta[u].v[v] = remember(profile[u + R].a_zeta, profile[u + R].b_zeta, zeta[u].v[v], of_g + of_psi);
                share[u] = either(at.t + u > 0, of_psi + zeta[u].v[v], of_psi);
            }
            ONDA_UNROLL
            for (int u = 0; u < L; ++u) {
                const int node = at.t + (at.forward ? u : L - 1 - u);
                const T with = with_strip(k(u, v), either(at.forward, share[u], share[L - 1 - u]), next(u, v));
                next(u, v) = either(node >= 0 && node <= at.width, with, next(u, v));
            }
        }
    }
    __device__ __forceinline__ void store(const Place& at) const {
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) at.store(at.t + u, psi[u + R], zeta[u]);
    }
};

/// A thread's nodes: (x … x + W - 1, y, z … z + N - 1), those that lie in its box.
template <typename T, int Dims, int R, int N>
struct FusedThread {
    static constexpr int W = Vec<T>::size, H = (R + W - 1) / W * W;
    using Pack = FusedPack<T, W>;
    const FusedArguments<T>& a;
    int x, y, z, z_end;
    int pitch, plane;     ///< of p: of a few rows or planes, 32 bits are enough
    const T* p;           ///< p[n] at (x, y, z)
    T* q;                 ///< p[n-1] at (x, y, z)
    std::int64_t strips;  ///< where psi and zeta of its volume begin

    __device__ __forceinline__ FusedThread(const FusedArguments<T>& arguments, unsigned volume, int node_x, int node_y,
                                           int node_z, int end_z)
        : a(arguments),
          x(node_x),
          y(node_y),
          z(node_z),
          z_end(end_z),
          pitch(static_cast<int>(a.pitch)),
          plane(static_cast<int>(a.plane)),
          p(a.p + (volume * a.volume_step + z * a.plane + y * a.pitch + x)),
          q(a.q + (volume * a.volume_step + z * a.plane + y * a.pitch + x)),
          strips(volume * a.strip_step) {}

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
    /// Nodes that no strip reaches. Everything is asked for before anything is written, which the compiler takes for
    /// something that might be read.
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
            before[j] = advance(j, column, row, across, before[j], k_of[j]);
        }
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) store(j, before[j]);
    }
    /// Nodes that strips reach.
    __device__ __forceinline__ void update_rim() const {
        static_assert(N == 1);
        Pack column[1 + 2 * R], across[1 + 2 * R];
        T row[W + 2 * H];
        const Pack k_of = load(k(0));
        wait_for_launch_before();
        load_column(column);
        load_row(0, column[R], row);
        if constexpr (Dims == 3) load_across(0, column[R], across);
        const Pack before = load_before(0);
        const FusedPlace<T, R, W, 1> place_x(
            a, 0, x, [this](const auto& s) { return strips + y * std::int64_t{s[1]} + z * std::int64_t{s[2]}; });
        const FusedPlace<T, R, 1, W> place_y(a, 1, y,
                                             [this](const auto& s) { return strips + x + z * std::int64_t{s[2]}; });
        const FusedPlace<T, R, 1, W> place_z(a, 2, z,
                                             [this](const auto& s) { return strips + x + y * std::int64_t{s[1]}; });
        FusedStrip<T, R, W, 1> strip_x;
        FusedStrip<T, R, 1, W> strip_y, strip_z;
        if (place_x.reached) strip_x.load(place_x);
        Pack next = advance(0, column, row, across, before, k_of);
        const auto k_along_x = [&](int u, int) { return k_of.v[u]; };
        const auto k_side_by_side = [&](int, int v) { return k_of.v[v]; };
        const auto along_x = [&](int u, int) -> T& { return next.v[u]; };
        const auto side_by_side = [&](int, int v) -> T& { return next.v[v]; };
        if (place_x.reached)
            strip_x.update(
                place_x, a.h[0], [&](int i, int) { return row[H - R + i]; }, k_along_x, along_x);
        if (Dims == 3 && place_y.reached) {
            strip_y.load(place_y);
            strip_y.update(
                place_y, a.h[1], [&](int i, int v) { return across[i].v[v]; }, k_side_by_side, side_by_side);
        }
        if (place_z.reached) {
            strip_z.load(place_z);
            strip_z.update(
                place_z, a.h[2], [&](int i, int v) { return column[i].v[v]; }, k_side_by_side, side_by_side);
        }
        store(0, next);
        if (place_x.reached) strip_x.store(place_x);
        if (Dims == 3 && place_y.reached) strip_y.store(place_y);
        if (place_z.reached) strip_z.store(place_z);
    }
};

/// One step. Grid: the blocks that record, then those of the boxes of each volume. Block: threads along x, rows of them
/// along the next axis that has a derivative.
template <typename T, int Dims, int R>
__global__ void __launch_bounds__(kFusedThreads, R > 4 ? 2 : 4)
    fused_step(const __grid_constant__ FusedArguments<T> a) {
    let_next_launch_begin();
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    if (blockIdx.x < a.record_blocks) {
        wait_for_launch_before();
        const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * threads + thread;
        if (r < a.receivers.receivers) sample_receiver(ObservedField<T>{a.p}, a.receivers, r, *a.base + a.offset);
        return;
    }
    const unsigned block = blockIdx.x - a.record_blocks;
    const unsigned volume = Dims == 3 ? a.volume_blocks.divide(block) : 0;
    const unsigned in_volume = block - volume * a.volume_blocks.divisor;
    int b = 0;
    while (in_volume >= a.boxes.first[b + 1]) ++b;
    const FusedBox& box = a.boxes.box[b];
    const unsigned tile = in_volume - a.boxes.first[b], line = box.tiles_x.divide(tile),
                   plane = box.tiles_y.divide(line);
    const unsigned row = box.threads_x.divide(threadIdx.x);
    const auto step_x = static_cast<int>((tile - line * box.tiles_x.divisor) * box.threads_x.divisor + threadIdx.x -
                                         row * box.threads_x.divisor);
    const auto step_y = static_cast<int>(line - plane * box.tiles_y.divisor), in_rows = static_cast<int>(row);
    const int rows = box.rows, step_z = static_cast<int>(plane);
    const int x = box.begin[0] + step_x * box.vector;
    const int y = box.begin[1] + (Dims == 3 ? step_y * rows + in_rows : step_y);
    const int z = box.begin[2] + (Dims == 3 ? step_z : step_z * rows + in_rows) * box.along_z;
    if (in_rows >= rows || x >= box.end[0] || y >= box.end[1] || z >= box.end[2])
        wait_for_launch_before();
    else if (Dims == 2 && box.layer != 0) {
        const int first = box.end[2] - z - kFusedLayerRows;  // from the face at z = begin, or at the other end, inwards
        if (box.layer > 0)
            FusedLayer<T, R, 1>(a, x, y, first).update();
        else
            FusedLayer<T, R, -1>(a, x, y, first).update();
    } else if (b == a.boxes.core)
        FusedThread<T, Dims, R, kFusedRows>(a, volume, x, y, z, box.end[2]).update_core();
    else
        FusedThread<T, Dims, R, 1>(a, volume, x, y, z, box.end[2]).update_rim();
    if (a.sources_of == nullptr) return;
    const int end = a.sources_of[block + 1];
    int i = a.sources_of[block];
    if (i == end) return;
    __syncthreads();  // the nodes of the sources are this block's
    for (i += thread; i < end; i += threads) add_source(a.q, a.sources, i, *a.base + a.offset);
}

}  // namespace onda::cuda
