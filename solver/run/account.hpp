/// \file
/// What a run says of itself on its way, whether its results go into files or stay in memory.
#pragma once

#include "solver/discretisation/time_axis.hpp"
#include "solver/model/model.hpp"
#include "solver/program/log.hpp"
#include "solver/program/phase_times.hpp"
#include "solver/run/summary.hpp"

namespace onda {

struct Computation;
struct Experiment;
struct Plan;

/// Notes the model and its hash, and the memory that the run is going to take.
void note_model(const Plan& plan, const Model& model, RunFacts& facts);

/// What is about to be computed, and the warnings of the plan.
void announce(const Plan& plan, const RunFacts& facts, Log& log);

/// Notes what the run took and found. \param nodes that were advanced, added over the shots, by all ranks.
/// \param device_bytes what it took of the device that it filled most. \param facts with the shots that are finished.
void account_for(const Experiment& experiment, const Computation& computation, std::int64_t nodes,
                 std::int64_t device_bytes, PhaseTimes& times, RunFacts& facts, Log& log);

}  // namespace onda
