/// \file
/// Rings of fields on a GPU, in its memory or in the host's.
#pragma once

#include <memory>

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/imaging/field_ring.hpp"

namespace onda::cuda {

/// The rings of the shots of some fields. \param setup of the fields, lives as long as they do. \throws Error;
/// std::bad_alloc; std::invalid_argument for a field that cannot be rebuilt.
template <typename T>
std::unique_ptr<FieldRing> make_field_ring(const Setup& setup, const CudaFields<T>& fields, const RingSize& size);

}  // namespace onda::cuda
