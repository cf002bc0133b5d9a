/// \file
/// How the in-plane kernels walk the grid: tiles of the x-y plane that march along z through a chunk of planes, with
/// the plane's tile and halo copied into scratch memory.
#pragma once

#include "kernels/cpu/tiles.hpp"

namespace onda::cpu {
namespace {

/// Shape of a tile and of its frame, the tile with its halo. Order 8 in float takes 170 kB of frames and sums, so that
/// it lives in a 1 MB L2 beside the streams.
template <typename T, int Dims, int R>
struct TileShape {
    static constexpr std::int64_t line = 64 / sizeof(T);
    static constexpr std::int64_t tile_nx = Dims == 3 ? 128 : 1024, tile_ny = Dims == 3 ? 32 : 1;
    static constexpr int radius_y = Dims == 3 ? R : 0;
    static constexpr std::int64_t lead = (R + line - 1) / line * line;  // the core of a frame row starts on a line
    static constexpr std::int64_t pitch = lead + tile_nx + lead;
    static constexpr std::int64_t frame_size = (tile_ny + 2 * radius_y) * pitch, core = radius_y * pitch + lead;
};

/// Copies the rectangles of the strategy. \param frame core node (0, 0).
template <typename T, int Dims, int R>
void load_tile(const StepArguments<T>& a, const Tile& tile, std::int64_t z, T* frame) {
    using S = TileShape<T, Dims, R>;
    const T* source = a.p + tile.x + tile.y * a.pitch + z * a.plane;
    for (int i = 0; i < a.strategy->rectangle_count; ++i) {
        const Rectangle& box = a.strategy->rectangle_list[i];
        const std::int64_t x_begin = position(box.x_begin, tile.nx, R), x_end = position(box.x_end, tile.nx, R);
        const std::int64_t y_begin = position(box.y_begin, tile.ny, S::radius_y);
        const std::int64_t y_end = position(box.y_end, tile.ny, S::radius_y);
        for (std::int64_t y = y_begin; y < y_end; ++y) {
            const T* __restrict from = source + y * a.pitch;
            T* __restrict to = frame + y * S::pitch;
#pragma omp simd
            for (std::int64_t x = x_begin; x < x_end; ++x) to[x] = from[x];
        }
    }
}

/// Calls walk(tile) for the tiles of the calling thread.
template <typename T, int Dims, int R, typename Walk>
void for_tiles(const StepArguments<T>& a, const Walk& walk) {
    using S = TileShape<T, Dims, R>;
    for_tiles(a, S::tile_nx, S::tile_ny, 2 * R, walk);
}

}  // namespace
}  // namespace onda::cpu
