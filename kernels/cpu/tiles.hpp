/// \file
/// Tiles of the x-y plane that march along z, each through a chunk of planes, shared among threads.
#pragma once

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

/// Where a tile stands: its core is [x, x + nx) * [y, y + ny) of the planes [z_begin, z_end).
struct Tile {
    std::int64_t x, y, nx, ny, z_begin, z_end;
};

/// The fewest planes of a chunk of tiles that both sides of an edge compute 2 r planes for: so many that these hardly
/// weigh, where that leaves a few tiles for each thread.
template <typename T>
std::int64_t fewest_planes(const StepArguments<T>& a, std::int64_t tile_nx, std::int64_t tile_ny) {
    const std::int64_t many = 16 * a.stencil.radius, tiles_x = (a.nx + tile_nx - 1) / tile_nx,
                       tiles_y = (a.ny + tile_ny - 1) / tile_ny;
    return tiles_x * tiles_y * (a.nz / many) >= 4 * a.threads ? many : 4 * a.stencil.radius;
}

/// Calls walk(tile) for the tiles of the calling thread, of at most tile_nx by tile_ny nodes.
/// \param fewest_planes of a chunk: fewer when what neighbouring chunks both read or compute would weigh.
template <typename T, typename Walk>
void for_tiles(const StepArguments<T>& a, std::int64_t tile_nx, std::int64_t tile_ny, std::int64_t fewest_planes,
               const Walk& walk) {
    const std::int64_t tiles_x = (a.nx + tile_nx - 1) / tile_nx, tiles_y = (a.ny + tile_ny - 1) / tile_ny;
    // One chunk of planes a thread, on the memory it touched first.
    const std::int64_t most = a.nz / fewest_planes > 1 ? a.nz / fewest_planes : 1;
    const std::int64_t chunks = a.threads < most ? a.threads : most;
    const RowRange tasks = rows_of_thread(chunks * tiles_y * tiles_x, omp_get_thread_num(), omp_get_num_threads());
    for (std::int64_t task = tasks.begin; task < tasks.end; ++task) {
        const std::int64_t chunk = task / (tiles_x * tiles_y);
        Tile tile;
        tile.x = task % tiles_x * tile_nx;
        tile.y = task / tiles_x % tiles_y * tile_ny;
        tile.nx = a.nx - tile.x < tile_nx ? a.nx - tile.x : tile_nx;
        tile.ny = a.ny - tile.y < tile_ny ? a.ny - tile.y : tile_ny;
        tile.z_begin = a.nz * chunk / chunks;
        tile.z_end = a.nz * (chunk + 1) / chunks;
        walk(tile);
    }
}

}  // namespace
}  // namespace onda::cpu
