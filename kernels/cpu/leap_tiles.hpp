/// \file
/// The tiles of a leap on the CPU, and the scratch memory that a thread needs for one.
///
/// A tile is of whole rows, so that each plane is read row after row, which the hardware prefetches. It marches along
/// z: kPlanes planes of u = k L(p) are computed at once, over the tile and r nodes around it, into a ring of planes,
/// and then as many planes of p[n+2], from the ring: u never reaches memory.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {

/// Most planes that advance together, whatever the instruction set (kPlanes).
inline constexpr int kMostPlanes = 4;
/// Elements of the longest vector register.
template <typename T>
inline constexpr std::int64_t kMostLanes = 64 / static_cast<std::int64_t>(sizeof(T));

/// A tile, and a plane of u over it and its rim.
template <typename T>
struct LeapTile {
    std::int64_t nx, ny;        ///< of the nodes that leap
    std::int64_t pitch, plane;  ///< of the ring, in elements
    std::int64_t planes;        ///< of the ring
    std::int64_t rim_x, rim_y;  ///< nodes of a plane before the first that leaps

    /// \param dimensions 2 or 3; \param nx, ny of the grid.
    static LeapTile of(int radius, int dimensions, std::int64_t nx, std::int64_t ny) {
        constexpr std::int64_t most_rows = 64;  // of fewer, rims weigh more than what the L2 cache gains
        LeapTile tile;
        tile.nx = part_of_row<T>(nx);
        tile.ny = ny < most_rows ? ny : most_rows;
        tile.rim_x = 2 * kMostLanes<T>;  // r nodes, rounded up to vectors, and one to read on from
        tile.rim_y = dimensions == 3 ? radius : 0;
        tile.pitch = tile.nx + 2 * tile.rim_x;
        tile.plane = tile.pitch * (tile.ny + 2 * tile.rim_y) + kMostLanes<T>;
        tile.planes = 2 * radius + kMostPlanes;
        return tile;
    }
    /// Elements of a thread's scratch memory.
    [[nodiscard]] std::int64_t elements() const { return planes * plane; }
};

}  // namespace onda::cpu
