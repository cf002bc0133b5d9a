/// \file
/// Fields of a GPU and arrays of nodes beside them, as kernels see both.
#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

namespace onda::cuda {

/// The two levels of a field of some shots, at node (0, 0, 0) of the first, and beside them A p, where it is kept, and
/// the levels of a field whose difference is added to that of the first.
template <typename T>
struct ShotLevels {
    const T *now = nullptr, *before = nullptr, *applied = nullptr;
    const T *added_now = nullptr, *added_before = nullptr;
    std::int64_t pitch = 0, plane = 0, shot = 0;  ///< elements to the next row, plane and shot
    int shots = 0;

    [[nodiscard]] ONDA_HOST_DEVICE std::int64_t element(int x, int y, int z, std::int64_t of_shot) const {
        return of_shot * shot + z * plane + y * pitch + x;
    }
};

/// An array [shot][z][y][x] of all nodes, whose rows begin on whole sectors of memory.
template <typename T>
struct NodeArray {
    T* data = nullptr;
    std::int64_t pitch = 0, plane = 0, shot = 0;

    [[nodiscard]] ONDA_HOST_DEVICE T* row(std::int64_t y, std::int64_t z, std::int64_t of_shot) const {
        return data + of_shot * shot + z * plane + y * pitch;
    }
};

/// Nodes [low, low + count) along x, y, z.
struct NodeRange {
    int low[3], count[3];
};

}  // namespace onda::cuda
