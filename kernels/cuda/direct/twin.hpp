/// \file
/// The twins: the array streams of a time step without neighbours, the ceiling of any one-step kernel. No wave
/// equations.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// Steps the vectors of a thread, with what l_of(p, x, y, z) makes of each in the place of the Laplacian. The grid
/// covers the vectors of a row; along y and z it goes round as often as needed.
template <typename T, typename LaplacianOf>
__device__ __forceinline__ void stream(const StepArguments<T>& a, const LaplacianOf& l_of) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * Vec<T>::size;
    if (x >= a.nx) return;
    for (auto z = static_cast<int>(blockIdx.z); z < a.nz; z += static_cast<int>(gridDim.z))
        for (auto y = static_cast<int>(blockIdx.y); y < a.ny; y += static_cast<int>(gridDim.y)) {
            T* const q = a.q + z * a.plane + y * a.pitch + x;
            const Vec<T> p = load_vector(a.p + z * a.plane + y * a.pitch + x);
            const Vec<T> k = load_vector(a.k + z * a.k_plane + y * a.k_pitch + x);
            const Vec<T> l = l_of(p, x, y, z);
            Vec<T> next = load_vector(static_cast<const T*>(q));
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v) next.v[v] = leapfrog(p.v[v], next.v[v], k.v[v], l.v[v]);
            *reinterpret_cast<Vec<T>*>(q) = next;
        }
}

/// The streams of constant density. The grid is that of stream().
template <typename T>
__global__ void twin_step(const __grid_constant__ StepArguments<T> a) {
    stream(a, [](const Vec<T>& p, int, int, int) { return p; });
}

/// The streams of variable density: one more array to read. The grid is that of stream().
template <typename T>
__global__ void density_twin_step(const __grid_constant__ DensityArguments<T> a) {
    stream<T>(a, [&](const Vec<T>& p, int x, int y, int z) {
        Vec<T> l = load_vector(a.half_rho + z * a.rho_plane + y * a.rho_pitch + x);
        ONDA_UNROLL
        for (int v = 0; v < Vec<T>::size; ++v) l.v[v] = l.v[v] * p.v[v];
        return l;
    });
}

}  // namespace onda::cuda
