/// \file
/// Scattering in the memory of one GPU.
#pragma once

#include <memory>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/imaging/scattering.hpp"

namespace onda::cuda {

/// The scattering of the shots of these fields. \throws Error if memory is short.
template <typename T>
std::unique_ptr<Scattering> make_scattering(const Setup& setup, const CudaFields<T>& fields);

}  // namespace onda::cuda
