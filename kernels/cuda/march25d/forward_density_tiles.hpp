/// \file
/// The tiles of the marching kernel of variable density that are compiled. A new one is a line.
#pragma once

#include "kernels/cuda/march25d/forward_density.hpp"

namespace onda::cuda {

/// Calls add.operator()<Tile>() for each, the fastest known first. The last one takes the least shared memory: up to
/// 100 KiB, but 104 at order 16 in float and 105 to 118 at orders 14 and 16 in double. GPUs with less take the direct
/// kernel. What a plane needs grows with the order: above 8 there is room for one row a thread.
template <typename T, int R, typename Add>
void for_density_tiles(const Add& add) {
    if constexpr (sizeof(T) == 4 && R <= 4) {
        add.template operator()<DensityTile<T, R, 16, 16, 1, 2, 2>>();
#if !defined(ONDA_CUDA_QUICK)
        add.template operator()<DensityTile<T, R, 8, 32, 1, 2, 2>>();
        add.template operator()<DensityTile<T, R, 16, 16, 2, 3, 1>>();
#endif
    } else {
        add.template operator()<DensityTile<T, R, 32, 8, 1, 2, 1>>();
#if !defined(ONDA_CUDA_QUICK)
        if constexpr (sizeof(T) == 4) add.template operator()<DensityTile<T, R, 16, 16, 1, 2, 1>>();
#endif
    }
    add.template operator()<DensityTile<T, R, (R > 4 ? 16 : 32), (R > 4 ? 8 : 4), 1, 2, 1>>();
}

}  // namespace onda::cuda
