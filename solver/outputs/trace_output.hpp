/// \file
/// Seismograms as files of traces for other programs: two output formats.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

struct Experiment;

/// seismograms.segy of a survey, and the same as SU: one file, however many and large the shots are. Neither is ever
/// read by Onda: what a survey goes on with is in the HDF5 files of its shots.
extern const OutputFormat kSegyFormat, kSuFormat;

/// What a file of traces cannot hold of a plan, whatever its sampling: places too far from zero, shot numbers above 32
/// bits, too many traces. \throws Error(config).
void check_trace_files(const Experiment& experiment);

}  // namespace onda
