/// \file
/// Kernels of images: one row of nodes a row of threads. Sums and products are rounded one by one, as on the CPU.
#pragma once

#include <cstdint>

#include "kernels/cuda/imaging/node_arrays.hpp"
#include "kernels/cuda/launch_kernel.hpp"
#include "kernels/host_device.hpp"

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

/// W neighbours along x: a whole vector, or a node.
template <typename T, int W>
struct Neighbours {
    T v[W];

    [[nodiscard]] static __device__ __forceinline__ Neighbours load(const T* from) {
        Neighbours all;
        ONDA_UNROLL
        for (int i = 0; i < W; ++i) all.v[i] = from[i];
        return all;
    }
    /// Of what nothing soon asks for again.
    [[nodiscard]] static __device__ __forceinline__ Neighbours load_once(const T* from) {
        Neighbours all;
        if constexpr (W == Vec<T>::size) {
            const Vec<T> values = cuda::load_once(from);
            ONDA_UNROLL
            for (int i = 0; i < W; ++i) all.v[i] = values.v[i];
        } else
            all = load(from);
        return all;
    }
    __device__ __forceinline__ void store_once(T* to) const {
        if constexpr (W == Vec<T>::size) {
            Vec<T> values;
            ONDA_UNROLL
            for (int i = 0; i < W; ++i) values.v[i] = v[i];
            cuda::store_once(to, values);
        } else {
            ONDA_UNROLL
            for (int i = 0; i < W; ++i) to[i] = v[i];
        }
    }
};

/// Calls body(Index<W>, x, y, z) for the nodes x … x + W - 1 of the thread's row, whole vectors where the range has
/// them. Every row begins on a vector. Grid: that of for_nodes_of_row().
template <typename T, typename Body>
__device__ __forceinline__ void for_vectors_of_row(const NodeRange& nodes, const Body& body) {
    constexpr int W = Vec<T>::size;
    const std::int64_t row = blockIdx.x * static_cast<std::int64_t>(blockDim.y) + threadIdx.y;
    if (row >= static_cast<std::int64_t>(nodes.count[1]) * nodes.count[2]) return;
    const int y = nodes.low[1] + static_cast<int>(row % nodes.count[1]);
    const int z = nodes.low[2] + static_cast<int>(row / nodes.count[1]);
    const int begin = nodes.low[0], end = begin + nodes.count[0];
    for (int x = begin / W * W + static_cast<int>(threadIdx.x) * W; x < end; x += static_cast<int>(blockDim.x) * W) {
        if (x >= begin && x + W <= end)
            body(Index<W>{}, x, y, z);
        else
            for (int i = x < begin ? begin : x; i < x + W && i < end; ++i) body(Index<1>{}, i, y, z);
    }
}

/// The launch of a kernel that calls either. \param overlaps see LaunchShape.
inline LaunchShape rows_of_shots(const NodeRange& nodes, int shots, bool overlaps = false) {
    const dim3 rows(64, 4);  // threads along x, rows
    return {{cover(static_cast<std::int64_t>(nodes.count[1]) * nodes.count[2], rows.y), static_cast<unsigned>(shots)},
            rows,
            0,
            overlaps};
}

inline bool is_empty(const NodeRange& nodes) {
    return nodes.count[0] <= 0 || nodes.count[1] <= 0 || nodes.count[2] <= 0;
}

}  // namespace onda::cuda
