/// \file
/// What the in-plane kernel is given, and what it asks of a copy engine.
#pragma once

#include "kernels/cuda/inplane/tile.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda::cuda {

template <typename T>
struct InPlaneArguments {
    TensorMap maps[5];     ///< of p, one for each rectangle; bulk-tensor engines only
    const T* p = nullptr;  ///< p[n] at node (0, 0, 0)
    T* q = nullptr;        ///< p[n-1], overwritten with p[n+1]
    const T* k = nullptr;  ///< (vp dt)^2
    int nx = 0, ny = 0, nz = 0;
    int y_halo = 0;  ///< rows of halo in memory: r, or 0 in 2-D
    int chunk = 0;   ///< planes that one block updates
    std::int64_t pitch = 0, plane = 0, k_pitch = 0, k_plane = 0;
    Stencil<T> stencil;
};

/// The planes a block copies: its tile and halo of planes first, first + 1, …
struct March {
    int x, y;          ///< node of the tile's corner
    int first, count;  ///< planes
};

}  // namespace onda::cuda
