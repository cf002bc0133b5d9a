/// \file
/// The tile of an in-plane kernel: its shape, how the rectangles of a load strategy lie in shared memory, and what the
/// kernel and its copy engine are given.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "kernels/load_strategy.hpp"

namespace onda::cuda {

/// A rectangle of the tile frame (core node (0, 0)), stored densely from element `offset` on.
struct StoredRectangle {
    int x = 0, y = 0, width = 0, height = 0, offset = 0;
};

/// Element (x, y) of the tile frame is at offset + y * pitch + x.
struct Part {
    int offset = 0, pitch = 0;
    constexpr bool operator==(const Part&) const = default;
};

/// Every rectangle of a strategy in an array of its own, as a bulk-tensor copy leaves it.
struct TileLayout {
    StoredRectangle rectangle[5];
    int count = 0;
    int size = 0;  ///< elements
    Part core, left, right, top, bottom;
};

/// \param width, height of the core; \param radius of the stencil; \param x_halo the halo along x, whole vectors;
/// \param alignment of every rectangle, in elements.
constexpr TileLayout make_tile_layout(const LoadStrategy& strategy, int width, int height, int radius, int x_halo,
                                      int alignment) {
    TileLayout layout;
    for (int i = 0; i < strategy.rectangle_count; ++i) {
        const Rectangle& wanted = strategy.rectangle_list[i];
        StoredRectangle& r = layout.rectangle[layout.count++];
        r.x = static_cast<int>(position(wanted.x_begin, width, x_halo));
        r.y = static_cast<int>(position(wanted.y_begin, height, radius));
        r.width = static_cast<int>(position(wanted.x_end, width, x_halo)) - r.x;
        r.height = static_cast<int>(position(wanted.y_end, height, radius)) - r.y;
        r.offset = layout.size;
        layout.size += (r.width * r.height + alignment - 1) / alignment * alignment;
    }
    const auto part_with = [&layout](int x, int y) {
        for (int i = 0; i < layout.count; ++i) {
            const StoredRectangle& r = layout.rectangle[i];
            if (x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height)
                return Part{r.offset - r.y * r.width - r.x, r.width};
        }
        return Part{};
    };
    layout.core = part_with(0, 0);
    layout.left = part_with(-1, 0);
    layout.right = part_with(width, 0);
    layout.top = part_with(0, -1);
    layout.bottom = part_with(0, height);
    return layout;
}

/// The lines of 128 bytes that the bulk-tensor engine writes for all rectangles of a tile. A row that begins within a
/// line touches one more at either end, and takes longer. \param rows_beyond whether rows of the halo along y lie
/// beyond the field, as in 2-D: these are only cleared, in less than a third of the time (2-D steps of all orders on an
/// H200).
constexpr double engine_lines_of(const TileLayout& layout, int height, int element_bytes, bool rows_beyond) {
    double lines = 0.;
    for (int i = 0; i < layout.count; ++i) {
        const StoredRectangle& r = layout.rectangle[i];
        const int bytes = r.width * element_bytes;
        const bool aligned = r.x * element_bytes % 128 == 0;
        const double row = aligned ? (bytes + 127) / 128 : bytes < 128 ? 1. : 1.15 * (bytes / 128 + 2);
        int inside = 0;
        for (int y = r.y; y < r.y + r.height; ++y)
            if (y >= 0 && y < height) ++inside;
        lines += row * (inside + (r.height - inside) * (rows_beyond ? 0.3 : 1.));
    }
    return lines;
}

/// One compiled shape of the in-plane kernel.
/// \tparam BX, BY threads; each computes Rows rows of one 16-byte vector. \tparam Stages planes in shared memory.
/// \tparam QueueInShared where the R previous planes of a thread's own nodes wait: in shared memory, or in registers.
/// \tparam Blocks that must fit a multiprocessor: bounds the registers.
template <typename T_, int R, int BX, int BY, int Rows, int Stages, bool QueueInShared, int Blocks, int StrategyIndex>
struct Tile {
    using T = T_;
    static constexpr int radius = R, block_x = BX, block_y = BY, rows = Rows, stages = Stages, blocks = Blocks;
    static constexpr bool queue_in_shared = QueueInShared;
    static constexpr int vector = Vec<T>::size;
    static constexpr int width = BX * vector, height = BY * Rows, threads = BX * BY;
    static constexpr int x_halo = (R + vector - 1) / vector * vector;
    static constexpr TileLayout layout =
        make_tile_layout(kLoadStrategies[StrategyIndex], width, height, R, x_halo, 128 / static_cast<int>(sizeof(T)));
    static constexpr int queue_size = QueueInShared ? R * width * height : 0;
    /// Elements that the copy engine takes for one: a box has at most 256 of them along x.
    static constexpr int map_unit = width + 2 * x_halo > 256 ? 2 : 1;
};

/// The maps of p that the bulk-tensor engine copies by, one for each rectangle of a tile.
struct TensorMaps {
    TensorMap maps[5];
};

/// What the in-plane kernel and its copy engine are given; only the bulk-tensor engine looks at the maps.
template <typename T>
struct InPlaneArguments : TensorMaps, StepArguments<T> {};

/// The work of a march, with what the frames of its tile take. \param flat whether tiles are rows of a 2-D grid.
template <typename Tile, template <typename> class Copies>
constexpr MarchWork with_frames(MarchWork work, bool flat) {
    constexpr int element = sizeof(typename Tile::T);
    work.frame_bytes = Tile::layout.size * element;
    work.copied_pieces = Copies<Tile>::pieces;
    if (work.copied_pieces == 0) work.engine_lines = engine_lines_of(Tile::layout, Tile::height, element, flat);
    work.ahead = Tile::stages - 1;
    return work;
}

/// The planes a block copies: its tile and halo of planes first, first + 1, …
struct March {
    int x, y;          ///< node of the tile's corner
    int first, count;  ///< planes
};

/// Element (x, y) of the tile frame. One of the two may lie in the halo, not both.
template <typename Tile>
__device__ __forceinline__ const typename Tile::T* tile_element(const typename Tile::T* tile, int x, int y) {
    constexpr Part core = Tile::layout.core, left = Tile::layout.left, right = Tile::layout.right,
                   top = Tile::layout.top, bottom = Tile::layout.bottom;
    Part part = core;
    if constexpr (!(left == core))
        if (x < 0) part = left;
    if constexpr (!(right == core))
        if (x >= Tile::width) part = right;
    if constexpr (!(top == core))
        if (y < 0) part = top;
    if constexpr (!(bottom == core))
        if (y >= Tile::height) part = bottom;
    return tile + part.offset + y * part.pitch + x;
}

}  // namespace onda::cuda
