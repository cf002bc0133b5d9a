/// \file
/// The direct kernel: one thread a point, global memory and caches only. The plainest way on a GPU, and the reference
/// the other kernels are compared with there.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/equations/compact/compact.hpp"
#include "kernels/equations/density/staggered.hpp"

namespace onda::cuda {

/// One step with the star at constant density, a thread a node. Grid and block cover x, y, z.
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

/// One step with the compact Laplacian, a thread a node. Grid and block cover x, y, z.
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

/// One step of variable density, a thread a node: each of the 2r nodes that a flux serves computes it. Grid and block
/// cover x, y, z.
template <typename T, int Dims, int R>
__global__ void direct_density_step(const __grid_constant__ DensityArguments<T> a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const T* const p = a.p + z * a.plane + y * a.pitch + x;
    const T* const half_rho = a.half_rho + z * a.rho_plane + y * a.rho_pitch + x;
    T* const q = a.q + z * a.plane + y * a.pitch + x;
    const T l = flux_divergence<T, Dims, R>(p, a.pitch, a.plane, half_rho, a.rho_pitch, a.rho_plane, a.stencil);
    *q = leapfrog(*p, *q, a.k[z * a.k_plane + y * a.k_pitch + x], l);
}

}  // namespace onda::cuda
