/// \file
/// A pass over the nodes that do not leap. A block marches along z through a brick of a box; threads keep the
/// values of their own columns in registers, and take those beside them from the caches.
#pragma once

#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// Centre, x pairs and y pairs of the vector at *p.
template <typename T, int Dims, int R>
__device__ __forceinline__ Vec<T> in_plane_vector(const T* p, std::int64_t pitch, Vec<T> centre, const Stencil<T>& s) {
    constexpr int V = Vec<T>::size, H = (R + V - 1) / V * V;
    T row[V + 2 * H];
    ONDA_UNROLL
    for (int m = 0; m < (V + 2 * H) / V; ++m) {
        const Vec<T> a = m == H / V ? centre : load_vector(p - H + m * V);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) row[m * V + v] = a.v[v];
    }
    Vec<T> l;
    ONDA_UNROLL
    for (int v = 0; v < V; ++v) {
        T sum = s.centre * row[H + v];
        ONDA_UNROLL
        for (int k = 1; k <= R; ++k) sum = fused(s.axis[0][k], row[H + v - k] + row[H + v + k], sum);
        l.v[v] = sum;
    }
    if constexpr (Dims == 3) ONDA_UNROLL
    for (int k = 1; k <= R; ++k) {
        const Vec<T> low = load_vector(p - k * pitch), high = load_vector(p + k * pitch);
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) l.v[v] = fused(s.axis[1][k], low.v[v] + high.v[v], l.v[v]);
    }
    return l;
}

/// The nodes of a vector that lie in [low, high) are written, the others left alone.
template <typename T>
__device__ __forceinline__ void store_between(T* to, Vec<T> a, int x, int low, int high) {
    if (x >= low && x + Vec<T>::size <= high) {
        store_streaming(to, a);
        return;
    }
    ONDA_UNROLL
    for (int v = 0; v < Vec<T>::size; ++v)
        if (x + v >= low && x + v < high) to[v] = a.v[v];
}

/// Grid: the bricks of all boxes along x. Block: kShellThreads along x.
template <typename T, int Dims, int R, ShellPass Pass, typename Arguments = ShellArguments<T>>
__global__ void __launch_bounds__(kShellThreads) shell_step(const __grid_constant__ Arguments a) {
    constexpr int V = Vec<T>::size;
    constexpr bool reads_before = Pass != ShellPass::inner, reads_next = Pass == ShellPass::outer;
    int b = 0;
    while (blockIdx.x >= a.boxes.first[b + 1]) ++b;
    const ShellBoxes::Box& box = a.boxes.box[b];
    const unsigned brick = blockIdx.x - a.boxes.first[b], row_of_bricks = brick / box.bricks_x;
    const unsigned along_x = threadIdx.x % box.threads_x, rows = kShellThreads / box.threads_x;
    const int x = box.first_x + static_cast<int>((brick % box.bricks_x) * box.threads_x + along_x) * V;
    const int y = box.low[1] + static_cast<int>((row_of_bricks % box.bricks_y) * rows + threadIdx.x / box.threads_x);
    const int begin = box.low[2] + static_cast<int>(row_of_bricks / box.bricks_y) * a.planes;
    const int end = begin + a.planes < box.high[2] ? begin + a.planes : box.high[2];
    if (x >= box.high[0] || y >= box.high[1]) return;
    std::int64_t node = begin * a.plane + y * a.pitch + x;
    std::int64_t node_of_k = begin * a.k_plane + y * a.k_pitch + x;
    Vec<T> column[2 * R + 1];  // of planes z - R … z + R
    ONDA_UNROLL
    for (int i = 0; i < 2 * R; ++i) column[i] = load_vector(a.p + node + (i - R) * a.plane);
    // Loaded a plane ahead.
    Vec<T> above = load_vector(a.p + node + R * a.plane);
    Vec<T> next_before = {}, next_overwritten = {}, next_k = load_k(k_of(a) + node_of_k);
    if constexpr (reads_before) next_before = load_streaming(a.before + node);
    if constexpr (reads_next) next_overwritten = load_streaming(static_cast<const T*>(a.next) + node);
    for (int z = begin; z < end; ++z) {
        const Vec<T> before = next_before, overwritten = next_overwritten, k = next_k;
        column[2 * R] = above;
        if (z + 1 < end) {
            above = load_vector(a.p + node + (R + 1) * a.plane);
            if constexpr (reads_before) next_before = load_streaming(a.before + node + a.plane);
            if constexpr (reads_next) next_overwritten = load_streaming(static_cast<const T*>(a.next) + node + a.plane);
            next_k = load_k(k_of(a) + (node_of_k + a.k_plane));
        }
        Vec<T> l = in_plane_vector<T, Dims, R>(a.p + node, a.pitch, column[R], a.stencil);
        ONDA_UNROLL
        for (int i = 1; i <= R; ++i) l = add_weighted(a.stencil.axis[2][i], column[R - i], l);
        ONDA_UNROLL
        for (int i = 1; i <= R; ++i) l = add_weighted(a.stencil.axis[2][i], column[R + i], l);
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v)
            next.v[v] = shell_node<Pass>(a.weights, column[R].v[v], before.v[v], overwritten.v[v], k.v[v], l.v[v]);
        store_between(a.next + node, next, x, box.low[0], box.high[0]);
        ONDA_UNROLL
        for (int i = 0; i < 2 * R; ++i) column[i] = column[i + 1];
        node += a.plane;
        node_of_k += a.k_plane;
    }
}

}  // namespace onda::cuda
