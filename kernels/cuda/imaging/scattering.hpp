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

// The levels of the scattered field are given at node (0, 0, 0) of the first shot, and lie like the background.

/// Queues, with d = now - before of the background, before -= ratio (d / G - last - applied), last = d. \param before
/// of the scattered field. \param background whose `applied` may be null, for 0.
template <typename T>
void scatter_difference(const ShotLevels<T>& background, const NodeRange& nodes, const Perturbation<T>& perturbation,
                        const NodeArray<T>& last, T* before, cudaStream_t stream);
/// Queues odd += ratio applied. \param odd u of the scattered field.
template <typename T>
void scatter_applied(const ShotLevels<T>& background, const NodeRange& nodes, const Perturbation<T>& perturbation,
                     T* odd, cudaStream_t stream);

}  // namespace onda::cuda
