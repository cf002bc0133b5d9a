/// \file
/// The tiles of the in-plane kernel that are compiled, for each copy engine. A new one is a line.
#pragma once

#include <utility>

#include "kernels/cuda/inplane/tile.hpp"

namespace onda::cuda {

/// Calls add.operator()<Index>() for the index of every load strategy.
template <typename Add>
void for_each_strategy(const Add& add) {
    [&add]<int... Strategy>(std::integer_sequence<int, Strategy...>) {
        (add.template operator()<Strategy>(), ...);
    }
    (std::make_integer_sequence<int, static_cast<int>(kLoadStrategies.size())>{});
}

/// Calls add.operator()<Tile>() for a tile of BX x BY threads, each with Rows rows of one vector.
template <typename T, int R, int Strategy>
struct TileList {
    template <int BX, int BY, int Rows, int Stages, bool QueueInShared, int Blocks, typename Add>
    static void one(const Add& add) {
        add.template operator()<Tile<T, R, BX, BY, Rows, Stages, QueueInShared, Blocks, Strategy>>();
    }
};

/// The row of nodes that 2-D grids take: there is nothing to tile along y.
template <typename T, int R, int Strategy, typename Add>
void for_2d_tiles(const Add& add) {
    TileList<T, R, Strategy>::template one<64, 1, 1, 3, false, 1>(add);
}

/// For copies by all threads.
template <typename T, int R, int Strategy, typename Add>
void for_async_tiles(const Add& add) {
    using List = TileList<T, R, Strategy>;
    // The second tile is for GPUs with 64 KiB of shared memory a block (sm_75).
    if constexpr (sizeof(T) == 8) {
        List::template one<32, 8, 2, 3, true, 1>(add);
        List::template one<32, 4, 1, 2, true, 1>(add);
    } else {
        List::template one<32, 8, 4, (R > 6 ? 2 : 3), (R > 4), 1>(add);
        if constexpr (R > 4) List::template one<32, 4, 2, 2, true, 1>(add);
    }
    for_2d_tiles<T, R, Strategy>(add);
}

constexpr bool has_rows_with_halo(const LoadStrategy& strategy) {
    for (int i = 0; i < strategy.rectangle_count; ++i) {
        const Rectangle& r = strategy.rectangle_list[i];
        if (r.x_begin == Edge::low_halo && r.x_end == Edge::high_halo) return true;
    }
    return false;
}

/// For bulk-tensor copies, the fastest first: what `onda bench gpu --all-tiles` measured on an H200. Wide tiles suit
/// the memory; tall ones have less halo along y, which orders above 8 feel, and so does the one box of strategy full.
template <typename T, int R, int Strategy, typename Add>
void for_bulk_tensor_tiles(const Add& add) {
    using List = TileList<T, R, Strategy>;
    // A single box holds the corners, too; a row with its halo leaves no room for a core of 512 nodes, the widest box.
    [[maybe_unused]] constexpr bool full = kLoadStrategies[Strategy].rectangle_count == 1;
    [[maybe_unused]] constexpr bool widest = !has_rows_with_halo(kLoadStrategies[Strategy]);
    if constexpr (sizeof(T) == 8) {
        List::template one<32, 8, 2, 3, true, 1>(add);
    } else if constexpr (R <= 4) {
        constexpr int blocks = R == 1 ? 2 : 1;
        if constexpr (R == 1 && widest) List::template one<128, 2, 4, 3, false, blocks>(add);
        if constexpr (!full) List::template one<64, 4, 4, 3, false, blocks>(add);
        if constexpr (full) List::template one<32, 8, 4, 3, false, blocks>(add);
#if !defined(ONDA_CUDA_QUICK)
        if constexpr (R > 1 && widest) List::template one<128, 2, 4, 3, false, blocks>(add);
        if constexpr (!full) List::template one<32, 8, 4, 3, false, blocks>(add);
        if constexpr (full) List::template one<64, 4, 4, 3, false, blocks>(add);
        List::template one<32, 16, 2, 3, false, 1>(add);
#endif
    } else if constexpr (R <= 6) {
        List::template one<32, 8, 4, 3, true, 1>(add);
#if !defined(ONDA_CUDA_QUICK)
        List::template one<32, 16, 2, 3, true, 1>(add);
        List::template one<64, 4, 4, 3, true, 1>(add);
#endif
    } else {
        List::template one<32, 8, 4, 2, true, 1>(add);
#if !defined(ONDA_CUDA_QUICK)
        List::template one<16, 16, 4, 2, true, 1>(add);
#endif
    }
    for_2d_tiles<T, R, Strategy>(add);
}

}  // namespace onda::cuda
