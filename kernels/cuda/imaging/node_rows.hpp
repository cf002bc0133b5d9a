/// \file
/// Kernels of images: one row of nodes a row of threads. Sums and products are rounded one by one, as on the CPU.
#pragma once

#include <cstdint>

#include "kernels/cuda/imaging/node_arrays.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {

inline unsigned cover(std::int64_t count, std::int64_t size) {
    return static_cast<unsigned>((count + size - 1) / size);
}

/// Calls body(x, y, z) for the nodes of the thread's row. Grid: x covers the rows of a range, y the shots.
template <typename Body>
__device__ __forceinline__ void for_nodes_of_row(const NodeRange& nodes, const Body& body) {
    const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y;
    if (row >= static_cast<std::int64_t>(nodes.count[1]) * nodes.count[2]) return;
    const int y = nodes.low[1] + static_cast<int>(row % nodes.count[1]);
    const int z = nodes.low[2] + static_cast<int>(row / nodes.count[1]);
    for (int x = static_cast<int>(threadIdx.x); x < nodes.count[0]; x += static_cast<int>(blockDim.x))
        body(nodes.low[0] + x, y, z);
}

/// The launch of a kernel that calls it.
inline LaunchShape rows_of_shots(const NodeRange& nodes, int shots) {
    const dim3 rows(64, 4);  // threads along x, rows
    return {{cover(static_cast<std::int64_t>(nodes.count[1]) * nodes.count[2], rows.y), static_cast<unsigned>(shots)},
            rows};
}

inline bool is_empty(const NodeRange& nodes) {
    return nodes.count[0] <= 0 || nodes.count[1] <= 0 || nodes.count[2] <= 0;
}

}  // namespace onda::cuda
