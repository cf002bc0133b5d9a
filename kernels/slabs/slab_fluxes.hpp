/// \file
/// Images and scattering of fluxes on a grid that is cut into slabs: those of each, by itself, from planes of fields
/// that the slabs exchange.
#pragma once

#include <memory>
#include <vector>

#include "kernels/imaging/flux_correlation.hpp"
#include "kernels/imaging/flux_scattering.hpp"
#include "kernels/slabs/slab_map.hpp"

namespace onda {

/// FieldSet::make_flux_correlation() of fields that are cut. \param slabs the fields of each; whole and map live as
/// long as what is made.
std::unique_ptr<FluxCorrelation> make_slab_flux_correlation(const Problem& whole, const SlabMap& map,
                                                            const std::vector<FieldSet*>& slabs, std::int64_t slots);
/// FieldSet::make_flux_scattering() of fields that are cut.
std::unique_ptr<FluxScattering> make_slab_flux_scattering(const Problem& whole, const SlabMap& map,
                                                          const std::vector<FieldSet*>& slabs);

}  // namespace onda
