/// \file
/// Scattering in the memory of the host.
#pragma once

#include <memory>

#include "kernels/imaging/scattering.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

/// The scattering of so many shots. \param setup lives as long as it does. \throws std::bad_alloc.
template <typename T>
std::unique_ptr<Scattering> make_scattering(const Setup& setup, int shots);

}  // namespace onda::cpu
