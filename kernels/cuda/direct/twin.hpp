/// \file
/// The twins: the array streams of a time step without neighbours, the ceiling of any one-step kernel. No wave
/// equations.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/vectors.hpp"

namespace onda::cuda {

/// The streams of constant density. The grid covers the vectors of a row; along y and z it goes round as often as
/// needed.
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

/// The streams of variable density: one more array to read. The grid is that of twin_step().
template <typename T>
__global__ void density_twin_step(const __grid_constant__ DensityArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * Vec<T>::size;
    if (x >= a.nx) return;
    for (auto z = static_cast<int>(blockIdx.z); z < a.nz; z += static_cast<int>(gridDim.z))
        for (auto y = static_cast<int>(blockIdx.y); y < a.ny; y += static_cast<int>(gridDim.y)) {
            T* const q = a.q + z * a.plane + y * a.pitch + x;
            const Vec<T> p = load_vector(a.p + z * a.plane + y * a.pitch + x);
            const Vec<T> k = load_vector(a.k + z * a.k_plane + y * a.k_pitch + x);
            const Vec<T> half_rho = load_vector(a.half_rho + z * a.rho_plane + y * a.rho_pitch + x);
            Vec<T> next = load_vector(static_cast<const T*>(q));
            ONDA_UNROLL
            for (int v = 0; v < Vec<T>::size; ++v)
                next.v[v] = leapfrog(p.v[v], next.v[v], k.v[v], half_rho.v[v] * p.v[v]);
            *reinterpret_cast<Vec<T>*>(q) = next;
        }
}

}  // namespace onda::cuda
