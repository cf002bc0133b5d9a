/// \file
/// The plan of a configuration, with all that is chosen by what a run would take.
#pragma once

#include "io/config/config.hpp"
#include "solver/model/model.hpp"
#include "solver/plan/plan.hpp"
#include "solver/ranks/rank_place.hpp"

namespace onda {

struct TaskRow;

/// The plan of a configuration: every stage from the grid to the set-up of the device, with the ranges of
/// the medium that can be told without making it.
/// \param ranks where this process stands among those that compute the run.
/// \param task what is done with the shots; null: the first of tasks().
/// \throws Error(config) with the errors of all stages together; Error(missing_input | bad_data) for model files.
Plan make_plan(const Config& config, const RankPlace& ranks = {}, const TaskRow* task = nullptr);
/// The plan with the ranges of the model itself in place of those told without it: sampling, time axis, absorbing
/// strips and the steps of snapshots follow from them, all else stays as it is.
/// \param model made from the plan's configuration, on its grid.
/// \throws Error(config) with errors that only the model shows.
Plan refine(Plan plan, const Model& model);

}  // namespace onda
