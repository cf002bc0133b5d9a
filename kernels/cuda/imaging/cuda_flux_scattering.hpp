/// \file
/// Scattering by fluxes in the memory of one GPU.
#pragma once

#include <memory>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/imaging/flux_scattering.hpp"

namespace onda::cuda {

/// Of the shots of these fields. \throws Error if memory is short; what flux_axes() throws.
template <typename T>
std::unique_ptr<FluxScattering> make_flux_scattering(const Setup& setup, const CudaFields<T>& fields);

}  // namespace onda::cuda
