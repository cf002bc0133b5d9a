/// \file
/// The direct kernel: one thread a point, global memory and caches only. The plainest way on a GPU, and the reference
/// the other kernels are compared with there.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/costs.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/equations/compact/compact.hpp"
#include "kernels/equations/density/staggered.hpp"

namespace onda::cuda {

/// What a node costs a thread of the direct kernel: loads beside the node's own row begin within a line of 128 bytes,
/// and take two wavefronts.
struct NodeWork {
    int operations = 0, loads = 0;
    int along_x = 0;  ///< of the loads, those beside the node along x
    TileReach p,
        rho;  ///< what a block's nodes read beside their own, with x in nodes; it is read along each axis alone
    bool corners = false;  ///< or between the axes as well
    StepArrays arrays = {};
    int reciprocals = 0;  ///< among the operations
};

/// 6 r + 3 operations, and each neighbour along the axes once.
constexpr NodeWork star_work(int dimensions, int radius) {
    const int y = dimensions == 3 ? radius : 0;
    return {4 * radius + 2 * y + 3, 4 * radius + 2 * y + 4, 2 * radius, {radius, y, radius}, {}};
}
/// The sums of three planes, each alone.
constexpr NodeWork compact_work(int dimensions) {
    if (dimensions == 3) return {3 * 8 + 3 * 3 + 4, 27 + 3, 18, {1, 1, 1}, {}, true};
    return {3 * 2 + 3 * 2 + 4, 9 + 3, 6, {1, 0, 1}, {}, true};
}
/// 2 r fluxes along each axis, of 2 r differences and a reciprocal each.
constexpr NodeWork density_node_work(int dimensions, int radius) {
    const int fluxes = dimensions * 2 * radius, reach = 2 * radius - 1, y = dimensions == 3 ? 1 : 0;
    return {fluxes * (4 * radius + 8),
            fluxes * (2 * radius + 2) + 4,
            2 * radius * (2 * radius + 2),
            {reach, y * reach, reach},
            {radius, y * radius, radius},
            false,
            {.medium = 2},
            fluxes};
}

/// p[n+1] of a node over p[n-1]. \param l the Laplacian. Equations whose nodes do more have one of their own.
template <typename T, typename Arguments>
__device__ __forceinline__ void advance_node(const Arguments& a, int x, int y, int z, T l) {
    const std::int64_t node = z * a.plane + y * a.pitch + x;
    a.q[node] = leapfrog(a.p[node], a.q[node], k_of(a)[z * a.k_plane + y * a.k_pitch + x], l);
}

/// Steps the node of a thread with l_of(p, x, y, z) for its Laplacian, p pointing at the node. Grid and block cover x,
/// y, z.
template <typename T, typename Arguments, typename LaplacianOf>
__device__ __forceinline__ void step_node(const Arguments& a, const LaplacianOf& l_of) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z * blockDim.z + threadIdx.z);
    if (x >= a.nx || y >= a.ny || z >= a.nz) return;
    const T* const p = a.p + z * a.plane + y * a.pitch + x;
    advance_node<T>(a, x, y, z, l_of(p, x, y, z));
}

/// One step with the star at constant density, a thread a node: see step_node().
template <typename T, int Dims, int R, typename Arguments = StepArguments<T>>
__global__ void direct_step(const __grid_constant__ Arguments a) {
    step_node<T>(a, [&](const T* p, int, int, int) { return laplacian<T, Dims, R>(p, a.pitch, a.plane, a.stencil); });
}

/// One step with the compact Laplacian, a thread a node: see step_node().
template <typename T, int Dims>
__global__ void direct_compact_step(const __grid_constant__ StepArguments<T> a) {
    step_node<T>(a, [&](const T* p, int, int, int) {
        return compact_laplacian<T, Dims>(p, a.pitch, a.plane, a.stencil.compact);
    });
}

/// One step of variable density, a thread a node: each of the 2r nodes that a flux serves computes it. See step_node().
template <typename T, int Dims, int R, typename Arguments = DensityArguments<T>>
__global__ void direct_density_step(const __grid_constant__ Arguments a) {
    step_node<T>(a, [&](const T* p, int x, int y, int z) {
        const T* const half_rho = a.half_rho + z * a.rho_plane + y * a.rho_pitch + x;
        return flux_divergence<T, Dims, R>(p, a.pitch, a.plane, half_rho, a.rho_pitch, a.rho_plane, a.stencil);
    });
}

}  // namespace onda::cuda
