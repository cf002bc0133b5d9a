/// \file
/// Seismograms as an output format.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

/// seismograms.h5 of a survey, and 00012.seismograms.h5 of a shot with receivers.
extern const OutputFormat kSeismogramFormat;
inline constexpr std::string_view kSeismogramsName = "seismograms.h5";

/// Whether a run leaves seismograms, in whatever format.
bool writes_seismograms(const Experiment& experiment);

}  // namespace onda
