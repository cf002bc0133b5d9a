/// \file
/// Correlations of fluxes in the memory of one GPU.
#pragma once

#include <memory>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/imaging/flux_correlation.hpp"

namespace onda::cuda {

/// Of the shots of these fields. \throws Error if memory is short; what flux_axes() throws.
template <typename T>
std::unique_ptr<FluxCorrelation> make_flux_correlation(const Setup& setup, const CudaFields<T>& fields,
                                                       std::int64_t slots);

}  // namespace onda::cuda
