/// \file
/// Which compiled instance computes a setup.
#pragma once

#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

// What a GPU has, 0 where it is not visible. \throws Error if it has failed.

/// Compute capability: 90 for sm_90.
int gpu_architecture(int ordinal);
/// Shared memory that a block can have there.
int gpu_shared_bytes(int ordinal);
/// Its L2 cache.
int gpu_cache_bytes(int ordinal);

/// The instances that can compute a setup here: its order and dimensions, on this GPU.
template <typename T>
std::vector<const Instance<T>*> fitting(const Setup& setup);

/// The first instance that has the kernel, tile and copy engine of the setup. \throws SetupFault.
template <typename T>
const Instance<T>& choose(const Setup& setup);

}  // namespace onda::cuda
