/// \file
/// Rings of fields on a GPU: launches of their kernels.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kernels/cuda/imaging/node_arrays.hpp"
#include "kernels/imaging/coded_block.hpp"

namespace onda::cuda {

/// A NodeFrame for kernels.
struct DeviceFrame {
    struct Part {
        NodeRange nodes;
        std::int64_t first;
    };
    static constexpr int kMostParts = 6;  ///< one inside each face
    Part part[kMostParts];
    int parts = 0;
    std::int64_t nodes = 0;
};

/// Values of a frame, for kernels: those of one level, whose weight is not looked at, or the sum of some, weight by
/// weight from the first to the last.
template <typename T, typename Stored>
struct WeightedValues {
    static constexpr int kMost = 8;
    const Stored* values[kMost] = {};
    T weight[kMost] = {};
    int count = 0;
};

/// Queues values = now, or now - before, of the nodes of a frame. \param values [shot][node of the frame].
template <typename T>
void read_frame(const ShotLevels<T>& field, const DeviceFrame& frame, bool difference, T* values, cudaStream_t stream);
/// \param values [shot][block of nodes of the frame].
template <typename T>
void read_frame(const ShotLevels<T>& field, const DeviceFrame& frame, bool difference, CodedBlock* values,
                cudaStream_t stream);
/// Queues now = values on the nodes of a frame. \param now of the field, at node (0, 0, 0) of the first shot.
template <typename T, typename Stored>
void write_frame(const ShotLevels<T>& field, const DeviceFrame& frame, const WeightedValues<T, Stored>& values, T* now,
                 cudaStream_t stream);
/// Queues before = values and now = 0 there.
template <typename T, typename Stored>
void write_difference(const ShotLevels<T>& field, const DeviceFrame& frame, const Stored* values, T* now, T* before,
                      cudaStream_t stream);

}  // namespace onda::cuda
