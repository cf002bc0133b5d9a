/// \file
/// What a kernel of a time step is given: the arrays and extents of a grid, and the weights of its operator, filled by
/// set_common() of kernels/cuda/common_arguments.hpp. What a family of kernels needs beside that, it adds in a struct
/// that derives from it.
#pragma once

#include <cstdint>

#include "kernels/equations/star/stencil.hpp"
#include "kernels/storage.hpp"

namespace onda::cuda {

/// How planes are divided among blocks that march along z: `long_chunks` chunks of `chunk` planes, then others of
/// `short_chunk`, of which the last may be cut. The long ones begin first, the short ones fill the end of the launch.
struct Chunks {
    int chunk = 0, long_chunks = 0, short_chunk = 0;
};

/// What every kernel is given. Arrays point at node (0, 0, 0); strides in elements.
template <typename T>
struct StepArguments {
    const T* p = nullptr;  ///< p[n]
    T* q = nullptr;        ///< p[n-1], overwritten with p[n+1]
    const T* k = nullptr;  ///< (vp dt)^2; with variable density rho (vp dt)^2
    int nx = 0, ny = 0, nz = 0;
    int y_halo = 0;  ///< rows of halo of p in memory, 0 in 2-D
    Chunks chunks;   ///< where blocks march along z
    std::int64_t pitch = 0, plane = 0, k_pitch = 0, k_plane = 0;
    Stencil<T> stencil;
};

/// What a kernel is given that reads k as codes: what it is given otherwise, and the codes in the place of k.
/// \tparam K CodesOfK, IndicesOfK, or CodedK for either.
template <typename Arguments, typename K>
struct WithCodes : Arguments {
    K coded_k;
};

/// k of all nodes, from what a kernel is given.
template <typename T>
ONDA_HOST_DEVICE const T* k_of(const StepArguments<T>& a) {
    return a.k;
}
template <typename Arguments, typename K>
ONDA_HOST_DEVICE K k_of(const WithCodes<Arguments, K>& a) {
    return a.coded_k;
}

/// What the kernels of variable density are given.
template <typename T>
struct DensityArguments : StepArguments<T> {
    const T* half_rho = nullptr;  ///< rho / 2, at node (0, 0, 0), with a halo of r
    std::int64_t rho_pitch = 0, rho_plane = 0;
    int x_halo = 0, rho_x_halo = 0, rho_y_halo = 0;  ///< nodes of halo in memory, of p and of rho
};

}  // namespace onda::cuda
