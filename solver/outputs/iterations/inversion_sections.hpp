/// \file
/// What the page of an inversion has beside models and curve: gathers, spectra, and what is left stage by stage.
#pragma once

#include <string>
#include <vector>

#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/outputs/iterations/inversion_page.hpp"

namespace onda {

/// A line for each stage: its band, how far its misfit fell, and in how many iterations of how many shots.
PageSection stages_section(const InversionResults& results);

/// \param comparison of `gathers`, which the section refers to.
PageSection gathers_section(const ComparedGathers& gathers, const GatherComparison& comparison);

/// The spectra, and the part of the observed energy that models leave in the band of each stage.
PageSection spectra_section(const ComparedGathers& gathers, const ComparedSpectra& spectra,
                            std::span<const std::optional<BandPassConfig>> bands);

}  // namespace onda
