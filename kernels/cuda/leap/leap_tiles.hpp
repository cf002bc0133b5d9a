/// \file
/// The tiles of the leap with bulk-tensor copies that are compiled. A new one is a line.
#pragma once

#include "kernels/cuda/leap/leap_tile.hpp"

namespace onda::cuda {

/// Calls add.operator()<Tile>() for the tiles of one radius, the fastest first: what was measured on an H200. 15 warps
/// with one to copy are as many as have 128 registers a thread; without those, the queues of a thread spill.
/// \tparam K what reads k.
template <typename T, int R, typename K, typename Add>
void for_leap_tiles([[maybe_unused]] const Add& add) {
    if constexpr (sizeof(T) == 4) {
        if constexpr (R <= 2)
            add.template operator()<LeapTile<T, R, 64, 32, 2, 2, 3, 3, K>>();
        else if constexpr (R == 3)
            add.template operator()<LeapTile<T, R, 64, 24, 2, 2, 3, 3, K>>();
        else if constexpr (R == 4)
            add.template operator()<LeapTile<T, R, 64, 24, 2, 2, 2, 2, K>>();
        else
            add.template operator()<LeapTile<T, R, 48, 16, 2, 2, 3, 3, K>>();
    }
}
template <typename T, int R, typename Add>
void for_leap_tiles(const Add& add) {
    for_leap_tiles<T, R, const T*>(add);
}

}  // namespace onda::cuda
