/// \file
/// Correlations on a GPU: launches of their kernels.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kernels/cuda/imaging/node_arrays.hpp"

namespace onda::cuda {

/// What a correlation sums: without data what it does not.
template <typename T>
struct Images {
    NodeArray<T> product, forward, adjoint;
};

/// A LayerBox for a kernel.
struct DeviceLayerBox {
    NodeRange nodes;
    std::int64_t first;
    std::int64_t memory[3];
};

/// The most boxes that layers make: an axis has a low layer, a high one, and nodes between them.
inline constexpr int kMostLayerBoxes = 26;

/// The layers of a grid on the device.
template <typename T>
struct DeviceLayers {
    DeviceLayerBox box[kMostLayerBoxes];
    int boxes = 0;
    std::int64_t nodes = 0, memory = 0;          ///< of a shot
    const T *a[3] = {}, *b[3] = {}, *c[3] = {};  ///< of each axis, a value a coordinate
    T* values = nullptr;                         ///< what the layers of all shots remember
    T* met = nullptr;                            ///< p of their nodes when it was met; null: met at every step
};

// What is correlated is now - before, with what is added likewise, or, without levels before, now itself.

/// Queues kept = now - before on the nodes of a range.
template <typename T>
void keep_values(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, cudaStream_t stream);
/// Queues image += (now - before) kept, and the squares of both, on the nodes of a range.
template <typename T>
void meet_inside(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, const Images<T>& images,
                 cudaStream_t stream);
/// Queues the recursions of all layers by one step or two, and adds to the images what the last gives. \param kept
/// without data: nothing is added.
template <typename T>
void meet_in_layers(const ShotLevels<T>& field, const DeviceLayers<T>& layers, int steps, const NodeArray<T>& kept,
                    const Images<T>& images, cudaStream_t stream);

/// OffsetLines for a kernel.
template <typename T>
struct DeviceOffsets {
    const int* lines = nullptr;  ///< x and y of each
    int count = 0, most = 0, axis = 0;
    int n[3] = {};      ///< nodes of the grid
    T* sums = nullptr;  ///< [shot][z][line][h]
};
/// Queues sums += kept[x - h] now[x + h] on the lines of all planes, where both lie in the grid.
template <typename T>
void meet_at_offsets(const ShotLevels<T>& field, const NodeArray<T>& kept, const DeviceOffsets<T>& offsets,
                     cudaStream_t stream);

}  // namespace onda::cuda
