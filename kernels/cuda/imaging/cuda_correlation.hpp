/// \file
/// Correlations in the memory of one GPU.
#pragma once

#include <memory>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/imaging/correlation.hpp"

namespace onda::cuda {

/// A correlation of the shots of these fields. \throws Error if memory is short.
template <typename T>
std::unique_ptr<Correlation> make_correlation(const Setup& setup, const CudaFields<T>& fields, std::int64_t slots,
                                              Correlated what, const OffsetLines& lines);

}  // namespace onda::cuda
