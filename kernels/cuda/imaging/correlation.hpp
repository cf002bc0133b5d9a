/// \file
/// Correlations on a GPU: launches of their kernels.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kernels/cuda/field_operations.hpp"
#include "kernels/host_device.hpp"

namespace onda::cuda {

/// The two levels of a field of some shots, at node (0, 0, 0) of the first.
template <typename T>
struct ShotLevels {
    const T *now = nullptr, *before = nullptr;
    std::int64_t pitch = 0, plane = 0, shot = 0;  ///< elements to the next row, plane and shot
    int shots = 0;
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
};

/// Queues kept = now - before on the nodes of a range.
template <typename T>
void keep_difference(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept, cudaStream_t stream);
/// Queues image += (now - before) kept on the nodes of a range.
template <typename T>
void meet_inside(const ShotLevels<T>& field, const NodeRange& nodes, const NodeArray<T>& kept,
                 const NodeArray<T>& image, cudaStream_t stream);
/// Queues the recursions of all layers, and adds to the image what they give. \param kept without data: nothing is
/// added.
template <typename T>
void meet_in_layers(const ShotLevels<T>& field, const DeviceLayers<T>& layers, const NodeArray<T>& kept,
                    const NodeArray<T>& image, cudaStream_t stream);

}  // namespace onda::cuda
