/// \file
/// Which compiled instance computes a setup.
#pragma once

#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

/// Of the GPU that computes: 90 for sm_90; 0 without a GPU.
int gpu_architecture();
/// Shared memory that a block can have there.
int gpu_shared_bytes();

/// The instances that can compute a setup here: its order and dimensions, on this GPU.
template <typename T>
std::vector<const Instance<T>*> fitting(const BackendSetup& setup);

/// The first that has the kernel, tile and copy engine of the setup. \throws SetupFault.
template <typename T>
const Instance<T>& choose(const BackendSetup& setup);

}  // namespace onda::cuda
