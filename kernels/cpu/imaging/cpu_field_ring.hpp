/// \file
/// Rings of fields in the memory of the host.
#pragma once

#include <memory>

#include "kernels/imaging/field_ring.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

/// The rings of so many shots. \param setup lives as long as they do. \throws std::bad_alloc; std::invalid_argument for
/// a field that cannot be rebuilt.
template <typename T>
std::unique_ptr<FieldRing> make_field_ring(const Setup& setup, int shots, const RingSize& size);

}  // namespace onda::cpu
