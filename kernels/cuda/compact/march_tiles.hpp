/// \file
/// The tiles of the kernels that march and sum each plane once. A new one is a line.
#pragma once

#include "kernels/cuda/compact/march.hpp"

namespace onda::cuda {

// Each calls add.operator()<Tile>() for its tiles, the fastest on an H200 first: docs/performance.md.

/// The compact stencil in-plane.
template <typename T, typename Add>
void for_compact_inplane_tiles(const Add& add) {
    if constexpr (sizeof(T) == 8) {
        add.template operator()<MarchTile<T, 32, 8, 2, 3, 2, 1, 1, 0>>();
    } else {
        add.template operator()<MarchTile<T, 32, 8, 2, 3, 2, 2, 2, 0>>();
#if !defined(ONDA_CUDA_QUICK)
        add.template operator()<MarchTile<T, 32, 16, 1, 3, 8, 1, 2, 0>>();
        add.template operator()<MarchTile<T, 32, 8, 3, 3, 2, 1, 2, 0>>();
        add.template operator()<MarchTile<T, 64, 4, 4, 3, 2, 1, 2, 0>>();
        add.template operator()<MarchTile<T, 32, 8, 2, 3, 4, 1, 3, 0>>();
        add.template operator()<MarchTile<T, 32, 8, 4, 3, 2, 1, 2, 0>>();
#endif
    }
    add.template operator()<MarchTile<T, 64, 1, 1, 4, 4, 2, 1, 0>>();
}

/// Where threads map to the nodes they compute.
template <typename T, typename Add>
void for_direct_tiles(const Add& add) {
    add.template operator()<MarchTile<T, 32, 8, 2, 4, 4, 1, 1, 0>>();
#if !defined(ONDA_CUDA_QUICK)
    add.template operator()<MarchTile<T, 32, 16, 1, 4, 4, 1, 1, 0>>();
    add.template operator()<MarchTile<T, 64, 8, 1, 3, 2, 1, 1, 0>>();
    add.template operator()<MarchTile<T, 32, 8, 1, 4, 8, 1, 1, 0>>();
#endif
}

/// Where the threads at the rim only load: one row a thread.
template <typename T, typename Add>
void for_overlapped_tiles(const Add& add) {
    add.template operator()<MarchTile<T, 64, 16, 1, 3, 2, 1, 1, 1>>();
#if !defined(ONDA_CUDA_QUICK)
    add.template operator()<MarchTile<T, 32, 32, 1, 4, 4, 1, 1, 1>>();
    add.template operator()<MarchTile<T, 32, 16, 1, 4, 4, 1, 2, 1>>();
#endif
}

/// Either of the two on 2-D grids: tiles of a row of nodes.
template <typename T, int Rim, typename Add>
void for_row_tiles(const Add& add) {
    if constexpr (Rim == 0) add.template operator()<MarchTile<T, 32, 1, 1, 4, 2, 1, 1, Rim>>();
    if constexpr (Rim > 0) add.template operator()<MarchTile<T, 256, 1, 1, 4, 4, 2, 1, Rim>>();
#if !defined(ONDA_CUDA_QUICK)
    add.template operator()<MarchTile<T, 128, 1, 1, 4, 4, 2, 1, Rim>>();
    add.template operator()<MarchTile<T, 128, 1, 1, 8, 8, 4, 1, Rim>>();
#endif
}

}  // namespace onda::cuda
