/// \file
/// Variable density on the GPU: what its kernels are given, and the plain one.
#pragma once

#include "kernels/cuda/direct/direct.hpp"
#include "kernels/equations/density/staggered.hpp"

namespace onda::cuda {

template <typename T>
struct DensityArguments {
    StepArguments<T> step;        ///< k is rho (vp dt)^2
    const T* half_rho = nullptr;  ///< rho / 2, at node (0, 0, 0), with a halo of r
    std::int64_t rho_pitch = 0, rho_plane = 0;
    int x_halo = 0, y_halo = 0, rho_x_halo = 0, rho_y_halo = 0;  ///< in memory
    int chunk = 0;                                               ///< planes that one block updates
};

/// One thread a point, global memory and caches only; every flux is computed by each of the 2r nodes it serves. Grid
/// and block cover x, y, z.
template <typename T, int Dims, int R>
__global__ void direct_density_step(const __grid_constant__ DensityArguments<T> a) {
    const StepArguments<T>& s = a.step;
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= s.nx || y >= s.ny || z >= s.nz) return;
    const T* const p = s.p + z * s.plane + y * s.pitch + x;
    const T* const half_rho = a.half_rho + z * a.rho_plane + y * a.rho_pitch + x;
    T* const q = s.q + z * s.plane + y * s.pitch + x;
    const T l = flux_divergence<T, Dims, R>(p, s.pitch, s.plane, half_rho, a.rho_pitch, a.rho_plane, s.stencil);
    *q = leapfrog(*p, *q, s.k[z * s.k_plane + y * s.k_pitch + x], l);
}

/// The twin of direct.hpp with one more array to read: the ceiling of variable density.
template <typename T>
__global__ void density_twin_step(const __grid_constant__ DensityArguments<T> a) {
    const StepArguments<T>& s = a.step;
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * Vec<T>::size;
    if (x >= s.nx) return;
    for (auto z = static_cast<int>(blockIdx.z); z < s.nz; z += static_cast<int>(gridDim.z))
        for (auto y = static_cast<int>(blockIdx.y); y < s.ny; y += static_cast<int>(gridDim.y)) {
            T* const q = s.q + z * s.plane + y * s.pitch + x;
            const Vec<T> p = load_vector(s.p + z * s.plane + y * s.pitch + x);
            const Vec<T> k = load_vector(s.k + z * s.k_plane + y * s.k_pitch + x);
            const Vec<T> half_rho = load_vector(a.half_rho + z * a.rho_plane + y * a.rho_pitch + x);
            Vec<T> next = load_vector(static_cast<const T*>(q));
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v)
                next.v[v] = leapfrog(p.v[v], next.v[v], k.v[v], half_rho.v[v] * p.v[v]);
            *reinterpret_cast<Vec<T>*>(q) = next;
        }
}

}  // namespace onda::cuda
