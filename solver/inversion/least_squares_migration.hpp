/// \file
/// Least-squares migration: the change of velocity whose seismograms, to first order, are what was observed.
#pragma once

#include "io/config/config.hpp"
#include "solver/program/log.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/run/simulation.hpp"

namespace onda {

/// Minimises |W B (J dv - d)| over changes dv of velocity, by conjugate gradients from zero on: J is the Born operator
/// of the survey in the model of the configuration, d what was observed, less the seismograms of that model with
/// imaging.image.direct_wave: subtract, W and B weights and filter of section `imaging`. Residuals are those of the
/// iterations, preconditioned by vp^6 over the illumination (imaging.image.normalise, floor), about the diagonal of
/// J'J; where the image is muted, dv is zero.
///
/// Each pass over the shots is a run in a folder of its own with sums over the shots: iterations/000 of J' d, those
/// that follow of J'J p; what follows from them, image.h5, image.png, residuals.csv, residuals.png and report.html, is
/// replaced after each. A run that was killed goes on with the shots that are missing in the last of them, to the same
/// bits, and one with more iterations where one with fewer has ended.
/// \param options whose task, shots and operand are not used. \throws as run_simulation(); Error(usage) where processes
/// of one run are not connected.
RunFacts migrate_by_least_squares(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks = {});

}  // namespace onda
