/// \file
/// Scattering on a GPU: the launch of its kernel.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/imaging/node_arrays.hpp"

namespace onda::cuda {

/// What all shots scatter by.
template <typename T>
struct Perturbation {
    NodeArray<T> ratio;         ///< dk/k
    NodeArray<T> inverse_gain;  ///< 1/G; without data 1
};

/// Queues, with d = now - before of the background, before -= ratio (d / G - last), last = d. \param before the level
/// of the scattered field, at node (0, 0, 0) of the first shot, which lies like the background.
template <typename T>
void scatter_difference(const ShotLevels<T>& background, const NodeRange& nodes, const Perturbation<T>& perturbation,
                        const NodeArray<T>& last, T* before, cudaStream_t stream);

}  // namespace onda::cuda
