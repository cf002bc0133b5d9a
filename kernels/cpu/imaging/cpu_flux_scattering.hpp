/// \file
/// Scattering by fluxes in the memory of the host.
#pragma once

#include <memory>

#include "kernels/imaging/flux_scattering.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

/// Of so many shots. \param setup lives as long as it does. \throws std::bad_alloc; what flux_axes() throws.
template <typename T>
std::unique_ptr<FluxScattering> make_flux_scattering(const Setup& setup, int shots);

}  // namespace onda::cpu
