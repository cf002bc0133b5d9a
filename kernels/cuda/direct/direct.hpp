/// \file
/// The direct kernel: one thread a point, global memory and caches only. The plainest way on a GPU, and the reference
/// the other kernels are compared with there.
#pragma once

#include "kernels/cuda/vectors.hpp"
#include "kernels/equations/compact/compact.hpp"

namespace onda::cuda {

/// Arrays point at node (0, 0, 0); strides in elements.
template <typename T>
struct StepArguments {
    const T* p = nullptr;  ///< p[n]
    T* q = nullptr;        ///< p[n-1], overwritten with p[n+1]
    const T* k = nullptr;  ///< (vp dt)^2
    int nx = 0, ny = 0, nz = 0;
    std::int64_t pitch = 0, plane = 0, k_pitch = 0, k_plane = 0;
    Stencil<T> stencil;
};

/// Grid and block cover x, y, z.
template <typename T, int Dims, int R>
__global__ void direct_step(const __grid_constant__ StepArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const T* const p = a.p + z * a.plane + y * a.pitch + x;
    T* const q = a.q + z * a.plane + y * a.pitch + x;
    *q =
        leapfrog(*p, *q, a.k[z * a.k_plane + y * a.k_pitch + x], laplacian<T, Dims, R>(p, a.pitch, a.plane, a.stencil));
}

/// The same for the compact Laplacian.
template <typename T, int Dims>
__global__ void direct_compact_step(const __grid_constant__ StepArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const T* const p = a.p + z * a.plane + y * a.pitch + x;
    T* const q = a.q + z * a.plane + y * a.pitch + x;
    *q = leapfrog(*p, *q, a.k[z * a.k_plane + y * a.k_pitch + x],
                  compact_laplacian<T, Dims>(p, a.pitch, a.plane, a.stencil.compact));
}

/// The twin: the same array streams without neighbours, the ceiling of any one-step kernel. Not a wave equation. The
/// grid covers the vectors of a row; along y and z it goes round as often as needed.
template <typename T>
__global__ void twin_step(const __grid_constant__ StepArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * Vec<T>::size;
    if (x >= a.nx) return;
    for (auto z = static_cast<int>(blockIdx.z); z < a.nz; z += static_cast<int>(gridDim.z))
        for (auto y = static_cast<int>(blockIdx.y); y < a.ny; y += static_cast<int>(gridDim.y)) {
            T* const q = a.q + z * a.plane + y * a.pitch + x;
            const Vec<T> p = load_vector(a.p + z * a.plane + y * a.pitch + x);
            const Vec<T> k = load_vector(a.k + z * a.k_plane + y * a.k_pitch + x);
            Vec<T> next = load_vector(static_cast<const T*>(q));
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v) next.v[v] = leapfrog(p.v[v], next.v[v], k.v[v], p.v[v]);
            *reinterpret_cast<Vec<T>*>(q) = next;
        }
}

}  // namespace onda::cuda
