/// \file
/// Full-waveform inversion: the model whose seismograms are what was observed (Tarantola 1984, Geophysics 49(8);
/// Virieux and Operto 2009, Geophysics 74(6)).
#pragma once

#include "io/config/config.hpp"
#include "solver/program/log.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/run/simulation.hpp"

namespace onda {

/// Minimises the misfit of section `imaging`, and penalties, over models within bounds, stage by stage, as section
/// `inversion` says: in each iteration a gradient, which is exact, a direction of descent (DescentDirections), and a
/// line search by forward runs (LineSearch).
///
/// Every pass over the shots is a run in a folder of its own in `iterations` (inversion_records.hpp), so that a run
/// that was killed goes on with the shots that are missing, to the same bits: where to go next follows from models and
/// gradients on disk alone. What follows from the iterations, model.h5, tables, pictures and pages, is replaced after
/// each of them.
/// \param options whose task, shots and operand are not used. \throws as run_simulation(); Error(usage) where processes
/// of one run are not connected; Error(cannot_create) for a folder with the inversion of another configuration.
RunFacts invert_waveforms(const Config& config, const RunOptions& options, Log& log, const Ranks& ranks = {});

}  // namespace onda
