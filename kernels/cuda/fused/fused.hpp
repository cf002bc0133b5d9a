/// \file
/// A whole time step of the star in one launch: stencil, images beyond mirrors across z, perfectly matched layers,
/// sources, and the samples of p[n]. Small grids need it: there a launch costs more than what it computes.
///
/// In the core, which no strip reaches, a thread has one vector along x of 4 planes (in 2-D rows) along z. In the rim
/// it has 4 nodes one after the other across the face, and computes the r values of g and psi before them again that
/// they share with their neighbours. Columns of p are in registers; all other neighbours come through the L1 cache.
/// Nothing is exchanged between threads, and nothing waits.
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

/// Values side by side along x, read and written at once.
template <typename T>
struct alignas(16) FusedPack {
    static constexpr int size = 16 / sizeof(T);
    T v[size];
};

/// The row along z that row `at` is an image of, or itself. Rows beyond the halo, which nobody needs, are the last one
/// of it.
template <typename T>
struct FusedImage {
    int row;
    T sign;

    template <int R>
    static __device__ __forceinline__ FusedImage of(const FusedArguments<T>& a, int at) {
        const int above = at - a.nz < R ? at - a.nz : R - 1;
        const bool outside = at < 0 || above >= 0;
        const int slot = at < 0 ? -1 - at : kMaxRadius + (above > 0 ? above : 0);
        return {outside ? a.images.from[slot] : at, static_cast<T>(outside ? a.images.sign[slot] : 1)};
    }
};

/// Where L neighbouring nodes across a face are in a strip.
template <typename T, int R, int L>
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
    [[nodiscard]] __device__ __forceinline__ T load_psi(int at) const {
        const int last = width - 1;
        return psi_before[(at < 0 ? 0 : at > last ? last : at) * step];
    }
    [[nodiscard]] __device__ __forceinline__ T load_zeta(int at) const {
        return zeta[(at < 1 ? 0 : at > width ? width - 1 : at - 1) * step];
    }
    __device__ __forceinline__ void store(int at, T new_psi, T new_zeta) const {
        if (at >= 0 && at < width) psi_next[at * step] = new_psi;
        if (at > 0 && at <= width) zeta[(at - 1) * step] = new_zeta;
    }
};

/// What a strip adds to L neighbouring nodes across its face.
template <typename T, int R, int L>
struct FusedStrip {
    using Place = FusedPlace<T, R, L>;
    T psi[L + R], zeta[L];  ///< psi from t - R on; of the step before, then of this one

    __device__ __forceinline__ void load(const Place& at) {
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) psi[i] = at.load_psi(at.t - R + i);
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) zeta[u] = at.load_zeta(at.t + u);
    }
    /// \param p from R nodes before the first one on, along the axis; \param next p[n+1], to which the share of the
    /// strip is added.
    __device__ __forceinline__ void update(const Place& at, const T* h, const T (&p)[L + 2 * R], const T (&k)[L],
                                           T (&next)[L]) {
        T g[L + R], towards[L + 2 * R], share[L];
        ONDA_UNROLL
        for (int i = 0; i < L + 2 * R; ++i) towards[i] = either(at.forward, p[i], p[L + 2 * R - 1 - i]);
        FusedProfile<T> profile[L + R];
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) profile[i] = at.profile[i];
        ONDA_UNROLL
        for (int i = 0; i < L + R; ++i) {
            g[i] = weighted_sum<T, R + 1>(h, [&](auto j) { return towards[i + decltype(j)::value]; });
            const T updated = remember(profile[i].a_psi, profile[i].b_psi, psi[i], g[i]);
            const int of = at.t - R + i;
            psi[i] = either(of >= 0 && of < at.width, updated, T(0));
        }
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const T of_psi = weighted_sum<T, R + 1>(h, [&](auto j) { return psi[u + R - decltype(j)::value]; });
            const T of_g = weighted_sum<T, R + 1>(h, [&](auto j) { return g[u + R - decltype(j)::value]; });
            zeta[u] = remember(profile[u + R].a_zeta, profile[u + R].b_zeta, zeta[u], of_g + of_psi);
            share[u] = either(at.t + u > 0, of_psi + zeta[u], of_psi);
        }
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) {
            const int node = at.t + (at.forward ? u : L - 1 - u);
            const T with = with_strip(k[u], either(at.forward, share[u], share[L - 1 - u]), next[u]);
            next[u] = either(node >= 0 && node <= at.width, with, next[u]);
        }
    }
    __device__ __forceinline__ void store(const Place& at) const {
        ONDA_UNROLL
        for (int u = 0; u < L; ++u) at.store(at.t + u, psi[u + R], zeta[u]);
    }
};

/// p[n+1] of a node without layers. \param x, y neighbours along x and y from R before the node on; \param z along z.
template <typename T, int Dims, int R, typename X, typename Y, typename Z>
__device__ __forceinline__ T fused_advance(const Stencil<T>& s, const X& x, const Y& y, const Z& z, T before, T k) {
    const T centre = z(0);
    T l = s.centre * centre;
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) l = fused(s.axis[0][m], x(-m) + x(m), l);
    if constexpr (Dims == 3) {
        ONDA_UNROLL
        for (int m = 1; m <= R; ++m) l = fused(s.axis[1][m], y(-m) + y(m), l);
    }
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) l = fused(s.axis[2][m], z(-m), l);
    ONDA_UNROLL
    for (int m = 1; m <= R; ++m) l = fused(s.axis[2][m], z(m), l);
    return leapfrog(centre, before, k, l);
}

/// Where a thread's first node lies.
template <typename T>
struct FusedNode {
    int x, y, z, end;     ///< the end of its box along the axis on which its nodes follow each other
    int pitch, plane;     ///< of p: of a few rows or planes, 32 bits are enough
    const T* p;           ///< p[n] at the node
    T* q;                 ///< p[n-1], likewise
    std::int64_t strips;  ///< where psi and zeta of its volume begin

    __device__ __forceinline__ FusedNode(const FusedArguments<T>& a, unsigned volume, int node_x, int node_y,
                                         int node_z, int end_of_box)
        : x(node_x),
          y(node_y),
          z(node_z),
          end(end_of_box),
          pitch(static_cast<int>(a.pitch)),
          plane(static_cast<int>(a.plane)),
          p(a.p + (volume * a.volume_step + z * a.plane + y * a.pitch + x)),
          q(a.q + (volume * a.volume_step + z * a.plane + y * a.pitch + x)),
          strips(volume * a.strip_step) {}
};

/// Nodes that no strip reaches: a vector along x of N rows along z.
template <typename T, int Dims, int R>
struct FusedCoreThread : FusedNode<T> {
    static constexpr int N = kFusedRows, W = FusedPack<T>::size, H = (R + W - 1) / W * W;
    using Pack = FusedPack<T>;
    using FusedNode<T>::p, FusedNode<T>::q, FusedNode<T>::x, FusedNode<T>::y, FusedNode<T>::z, FusedNode<T>::pitch,
        FusedNode<T>::plane;
    const FusedArguments<T>& a;

    __device__ __forceinline__ FusedCoreThread(const FusedArguments<T>& arguments, const FusedNode<T>& node)
        : FusedNode<T>(node), a(arguments) {}

    [[nodiscard]] static __device__ __forceinline__ Pack load(const T* from) {
        return *reinterpret_cast<const Pack*>(from);
    }
    [[nodiscard]] __device__ __forceinline__ bool there(int row) const { return z + row < this->end; }
    [[nodiscard]] __device__ __forceinline__ const T* k(int row) const {
        return a.k + ((z + row) * a.k_plane + y * a.k_pitch + x);
    }
    [[nodiscard]] __device__ __forceinline__ Pack load_image(int dz) const {
        const auto image = FusedImage<T>::template of<R>(a, z + dz);
        Pack value = load(p + (image.row - z) * plane);
        ONDA_UNROLL
        for (int v = 0; v < W; ++v) value.v[v] = image.sign * value.v[v];
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
    /// Everything is asked for before anything is written, which the compiler takes for something that might be read.
    __device__ __forceinline__ void update() const {
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
            ONDA_UNROLL
            for (int v = 0; v < W; ++v)
                before[j].v[v] = fused_advance<T, Dims, R>(
                    a.stencil, [&](int m) { return row[H + v + m]; }, [&](int m) { return across[R + m].v[v]; },
                    [&](int m) { return column[R + j + m].v[v]; }, before[j].v[v], k_of[j].v[v]);
        }
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) store(j, before[j]);
    }
};

/// Nodes that strips reach: N nodes along y or z (Axis), where the strips across that axis are; those across x and, of
/// nodes along z, across y are computed node by node.
template <typename T, int Dims, int R, int Axis>
struct FusedRimThread : FusedNode<T> {
    static constexpr int N = kFusedRimNodes;
    using FusedNode<T>::p, FusedNode<T>::q, FusedNode<T>::x, FusedNode<T>::y, FusedNode<T>::z, FusedNode<T>::pitch,
        FusedNode<T>::plane, FusedNode<T>::strips;
    const FusedArguments<T>& a;
    int along;  ///< elements of p from node to node

    __device__ __forceinline__ FusedRimThread(const FusedArguments<T>& arguments, const FusedNode<T>& node)
        : FusedNode<T>(node), a(arguments), along(Axis == 2 ? plane : pitch) {}

    [[nodiscard]] __device__ __forceinline__ bool there(int j) const { return (Axis == 2 ? z : y) + j < this->end; }
    [[nodiscard]] __device__ __forceinline__ T k(int j) const {
        return a.k[(z + (Axis == 2 ? j : 0)) * a.k_plane + (y + (Axis == 2 ? 0 : j)) * a.k_pitch + x];
    }
    /// p[n] dz rows from node j of a thread along y, or from its first.
    [[nodiscard]] __device__ __forceinline__ T load_along_z(int j, int dz) const {
        const auto image = FusedImage<T>::template of<R>(a, z + dz);
        return image.sign * p[(Axis == 2 ? 0 : j * along) + (image.row - z) * plane];
    }
    /// p from R nodes before the first to R after the last.
    __device__ __forceinline__ void load_column(T (&column)[N + 2 * R]) const {
        if (Axis == 1 || (z >= R && z + N + R <= a.nz)) {
            ONDA_UNROLL
            for (int i = 0; i < N + 2 * R; ++i) column[i] = p[(i - R) * along];
        } else {
            ONDA_UNROLL
            for (int i = 0; i < N + 2 * R; ++i) column[i] = load_along_z(0, i - R);
        }
    }
    /// p on both sides of node j along the cross axis.
    __device__ __forceinline__ void load_across(int j, T centre, T (&across)[1 + 2 * R]) const {
        across[R] = centre;
        if (Axis == 2 || (z >= R && z + R < a.nz)) {
            ONDA_UNROLL
            for (int i = 0; i < 1 + 2 * R; ++i)
                if (i != R) across[i] = p[j * along + (i - R) * (Axis == 2 ? pitch : plane)];
        } else {
            ONDA_UNROLL
            for (int i = 0; i < 1 + 2 * R; ++i)
                if (i != R) across[i] = load_along_z(j, i - R);
        }
    }
    /// Adds the share of the strip across one axis to one node, if one is there.
    template <typename At>
    __device__ __forceinline__ void add_strip(int axis, int at, const At& line, const T (&p_of)[1 + 2 * R], T k_of,
                                              T& next) const {
        const FusedPlace<T, R, 1> place(a, axis, at, line);
        if (!place.reached) return;
        FusedStrip<T, R, 1> strip;
        strip.load(place);
        const T k_here[1] = {k_of};
        T with[1] = {next};
        strip.update(place, a.h[axis], p_of, k_here, with);
        strip.store(place);
        next = with[0];
    }
    /// p[n+1] of node j but for the strip along Axis.
    [[nodiscard]] __device__ __forceinline__ T advance(int j, const T (&column)[N + 2 * R], T before, T k_of) const {
        T row[1 + 2 * R], across[1 + 2 * R] = {};
        ONDA_UNROLL
        for (int i = 0; i < 1 + 2 * R; ++i) row[i] = i == R ? column[R + j] : p[j * along + i - R];
        if constexpr (Dims == 3) load_across(j, column[R + j], across);
        const auto on_row = [&](int m) { return row[R + m]; };
        const auto on_column = [&](int m) { return column[R + j + m]; };
        const auto on_cross = [&](int m) { return across[R + m]; };
        T next;
        if constexpr (Axis == 2)
            next = fused_advance<T, Dims, R>(a.stencil, on_row, on_cross, on_column, before, k_of);
        else
            next = fused_advance<T, Dims, R>(a.stencil, on_row, on_column, on_cross, before, k_of);
        if constexpr (Axis == 2) {
            const std::int64_t row_z = z + j;
            add_strip(
                0, x, [&](const auto& s) { return strips + y * std::int64_t{s[1]} + row_z * s[2]; }, row, k_of, next);
            if constexpr (Dims == 3)
                add_strip(
                    1, y, [&](const auto& s) { return strips + x + row_z * s[2]; }, across, k_of, next);
        }
        return next;
    }
    __device__ __forceinline__ void update() const {
        T k_of[N] = {}, next[N] = {}, column[N + 2 * R];
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) k_of[j] = k(j);
        wait_for_launch_before();
        load_column(column);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) next[j] = q[j * along];
        const FusedPlace<T, R, N> place(a, Axis, Axis == 2 ? z : y, [this](const auto& s) {
            return strips + x + (Axis == 2 ? y * std::int64_t{s[1]} : z * std::int64_t{s[2]});
        });
        FusedStrip<T, R, N> strip;
        if (place.reached) strip.load(place);
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) next[j] = advance(j, column, next[j], k_of[j]);
        if (place.reached) {
            strip.update(place, a.h[Axis], column, k_of, next);
            strip.store(place);
        }
        ONDA_UNROLL
        for (int j = 0; j < N; ++j)
            if (there(j)) q[j * along] = next[j];
    }
};

/// One step. Grid: the blocks that record, then those of the boxes of each volume. Block: threads along x, rows of them
/// along another axis.
template <typename T, int Dims, int R>
__global__ void __launch_bounds__(kFusedThreads, R > 4 ? 2 : 4)
    fused_step(const __grid_constant__ FusedArguments<T> a) {
    let_next_launch_begin();
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    if (blockIdx.x < a.record_blocks) {
        wait_for_launch_before();
        const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * threads + thread;
        if (r < a.receivers.receivers) sample_receiver(a.p, a.receivers, r, *a.base + a.offset);
        return;
    }
    const unsigned block = blockIdx.x - a.record_blocks;
    const unsigned volume = Dims == 3 ? a.volume_blocks.divide(block) : 0;
    const unsigned in_volume = block - volume * a.volume_blocks.divisor;
    int b = 0;
    while (in_volume >= a.boxes.first[b + 1]) ++b;
    const FusedBox& box = a.boxes.box[b];
    const unsigned tile = in_volume - a.boxes.first[b], line = box.tiles_x.divide(tile);
    const unsigned plane = box.tiles_y.divide(line), row = box.threads_x.divide(threadIdx.x);
    const unsigned step[3] = {
        (tile - line * box.tiles_x.divisor) * box.threads_x.divisor + threadIdx.x - row * box.threads_x.divisor,
        line - plane * box.tiles_y.divisor, plane};
    int node[3];
    bool inside = row < static_cast<unsigned>(box.rows);
    ONDA_UNROLL
    for (int axis = 0; axis < 3; ++axis) {
        const unsigned of_axis = axis == box.row_axis ? step[axis] * box.rows + row : step[axis];
        node[axis] = box.begin[axis] + static_cast<int>(of_axis) * box.nodes[axis];
        inside = inside && node[axis] < box.end[axis];
    }
    const FusedNode<T> first(a, volume, node[0], node[1], node[2], box.end[box.nodes[1] > 1 ? 1 : 2]);
    if (!inside)
        wait_for_launch_before();
    else if (b == 0)
        FusedCoreThread<T, Dims, R>(a, first).update();
    else if (Dims == 2 || box.nodes[2] > 1)
        FusedRimThread<T, Dims, R, 2>(a, first).update();
    else if constexpr (Dims == 3)
        FusedRimThread<T, Dims, R, 1>(a, first).update();
    if (a.sources_of == nullptr) return;
    const int end = a.sources_of[block + 1];
    int i = a.sources_of[block];
    if (i == end) return;
    __syncthreads();  // the nodes of the sources are this block's
    for (i += thread; i < end; i += threads) add_source(a.q, a.sources, i, *a.base + a.offset);
}

}  // namespace onda::cuda
