/// \file
/// Correlations of fluxes in the memory of the host.
#pragma once

#include <memory>

#include "kernels/imaging/flux_correlation.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

/// Of so many shots. \param setup lives as long as it does. \throws std::bad_alloc; what flux_axes() throws.
template <typename T>
std::unique_ptr<FluxCorrelation> make_flux_correlation(const Setup& setup, int shots, std::int64_t slots);

}  // namespace onda::cpu
