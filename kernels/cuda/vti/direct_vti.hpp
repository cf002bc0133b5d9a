/// \file
/// Vertical transverse isotropy, a thread a node.
#pragma once

#include "kernels/cuda/vti/stresses.hpp"

namespace onda::cuda {

/// One step. Grid and block cover x, y, z. \tparam Arguments WithStresses, or WithStrain.
template <typename T, int Dims, int R, typename Arguments = WithStresses<T, StepArguments<T>>>
__global__ void direct_vti_step(const __grid_constant__ Arguments a) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const std::int64_t node = z * a.plane + y * a.pitch + x;
    const T *const p = a.p + node, *const q = a.vertical + node;
    T l = centre_of_sum(a.stencil.centre, a.vertical_centre, p[0], q[0]), v = a.vertical_centre * q[0];
    ONDA_UNROLL
    for (int i = 1; i <= R; ++i) l = fused(a.stencil.axis[0][i], p[-i] + p[i], l);
    if constexpr (Dims == 3) {
        ONDA_UNROLL
        for (int i = 1; i <= R; ++i) l = fused(a.stencil.axis[1][i], p[-i * a.pitch] + p[i * a.pitch], l);
    }
    ONDA_UNROLL
    for (int half = 0; half < 2; ++half) {
        ONDA_UNROLL
        for (int i = 1; i <= R; ++i) {
            const T value = q[(half == 0 ? -i : i) * a.plane];
            l = fused(a.stencil.axis[2][i], value, l);
            v = fused(a.stencil.axis[2][i], value, v);
        }
    }
    advance_stresses(a, node, z * a.k_plane + y * a.k_pitch + x, l, v);
}

/// What a node costs a thread.
constexpr NodeWork vti_work(int dimensions, int radius, bool has_strain) {
    const int y = dimensions == 3 ? radius : 0;
    return {21 + 3 * (radius + y) + 8 * radius + (has_strain ? 5 : 0),  //
            4 * radius + 2 * y + (has_strain ? 12 : 9),
            2 * radius,
            {radius, y, radius},
            {},
            false,
            {.medium = 3, .fields = has_strain ? 3 : 2}};
}

}  // namespace onda::cuda
