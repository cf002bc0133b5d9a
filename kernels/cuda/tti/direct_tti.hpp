/// \file
/// Tilted transverse isotropy (kernels/equations/tti/tti.hpp), a thread a node, in two passes: g of both stresses as
/// far beyond the faces as the second pass reads, then the step.
#pragma once

#include "kernels/cuda/vti/stresses.hpp"
#include "kernels/equations/tti/tti.hpp"

namespace onda::cuda {

/// What both passes are given.
template <typename T>
struct TiltArguments : WithStresses<T, StepArguments<T>> {
    T *g_p = nullptr, *g_q = nullptr;  ///< at node (0, 0, 0), as p lies
    const T* n[3] = {};                ///< the axis, at node (0, 0, 0), with a halo of r
    std::int64_t n_pitch = 0, n_plane = 0;
    T first[3][kMaxRadius + 1] = {};  ///< D_m / h along x, y, z
};

/// Makes a the step that reads p[now] and q[now].
template <typename T>
void set_common(TiltArguments<T>& a, const Fields<T>& f, int now) {
    set_common(static_cast<WithStresses<T, StepArguments<T>>&>(a), f, now);
    a.g_p = f.scratch[0];
    a.g_q = f.scratch[1];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        a.n[axis] = f.medium[3 + axis].at;
        for (std::size_t m = 0; m <= kMaxRadius; ++m) a.first[axis][m] = f.first[axis][m];
    }
    a.n_pitch = f.medium[3].layout.pitch;
    a.n_plane = f.medium[3].layout.plane;
}

/// Leaves out the first planes of a step.
template <typename T>
void skip_planes(TiltArguments<T>& a, int planes) {
    skip_planes(static_cast<WithStresses<T, StepArguments<T>>&>(a), planes);
    a.g_p += a.plane * planes;
    a.g_q += a.plane * planes;
    for (const T*& n : a.n) n += a.n_plane * planes;
}

/// n . D of a stress at a node. \param n of the node.
template <typename T, int Dims, int R>
__device__ __forceinline__ T tilted_derivative(const TiltArguments<T>& a, const T* p, const T (&n)[3]) {
    const auto along = [&a, p](int axis, std::int64_t stride) {
        return add_differences<T, R>(
            a.first[axis], [p, stride](int m) { return p[m * stride]; }, T(0));
    };
    const T d_y = Dims == 3 ? along(1, a.pitch) : T(0);
    return along_axis(n[0], n[1], n[2], along(0, 1), d_y, along(2, a.plane));
}

/// sum_i D_i (n_i g) at a node. \param n the arrays of the axis there.
template <typename T, int Dims, int R>
__device__ __forceinline__ T tilted_twice(const TiltArguments<T>& a, const T* g, const T* const (&n)[3]) {
    const auto along = [&](int axis, std::int64_t stride, std::int64_t n_stride, T sum) {
        const T* const of_axis = n[axis];
        return add_differences<T, R>(
            a.first[axis], [g, of_axis, stride, n_stride](int m) { return of_axis[m * n_stride] * g[m * stride]; },
            sum);
    };
    T sum = along(0, 1, 1, T(0));
    if constexpr (Dims == 3) sum = along(1, a.pitch, a.n_pitch, sum);
    return along(2, a.plane, a.n_plane, sum);
}

/// The first pass: g of the nodes whose g the second one reads, those in the grid and up to r nodes beyond one face.
/// Grid and block cover x, y, z from r nodes before the grid on; in 2-D not along y.
template <typename T, int Dims, int R>
__global__ void tilted_derivatives(const __grid_constant__ TiltArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) - R;
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) - (Dims == 3 ? R : 0);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z) - R;
    const auto outside = [](int i, int n) { return i < 0 || i >= n ? 1 : 0; };
    if (outside(x, a.nx) + outside(y, a.ny) + outside(z, a.nz) > 1) return;
    if (x >= a.nx + R || y >= a.ny + (Dims == 3 ? R : 0) || z >= a.nz + R) return;
    const std::int64_t node = z * a.plane + y * a.pitch + x, of_n = z * a.n_plane + y * a.n_pitch + x;
    const T n[3] = {a.n[0][of_n], a.n[1][of_n], a.n[2][of_n]};
    a.g_p[node] = tilted_derivative<T, Dims, R>(a, a.p + node, n);
    a.g_q[node] = tilted_derivative<T, Dims, R>(a, a.vertical + node, n);
}

/// The second pass: the step. Grid and block cover x, y, z.
template <typename T, int Dims, int R>
__global__ void direct_tti_step(const __grid_constant__ TiltArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const std::int64_t node = z * a.plane + y * a.pitch + x, of_n = z * a.n_plane + y * a.n_pitch + x;
    const T* const n[3] = {a.n[0] + of_n, a.n[1] + of_n, a.n[2] + of_n};
    const T of_p = tilted_twice<T, Dims, R>(a, a.g_p + node, n), v = tilted_twice<T, Dims, R>(a, a.g_q + node, n);
    const T l = laplacian<T, Dims, R>(a.p + node, a.pitch, a.plane, a.stencil) + (v - of_p);
    advance_stresses(a, node, z * a.k_plane + y * a.k_pitch + x, l, v);
}

/// What a node costs the threads of both passes.
constexpr NodeWork tti_work(int dimensions, int radius) {
    const int axes = dimensions, y = dimensions == 3 ? 1 : 0;
    return {2 * (3 * 2 * radius * axes + 12) + 5 + 3 * radius * axes + 20,
            2 * radius * axes * (2 + 1 + 2 + 1) + 18,
            2 * radius * 6,
            {2 * radius, y * 2 * radius, 2 * radius},
            {radius, y * radius, radius},
            false,
            {.medium = 6, .fields = 2, .memory = 2}};
}

}  // namespace onda::cuda
