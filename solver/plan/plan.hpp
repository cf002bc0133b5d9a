/// \file
/// The plan of a run: what a configuration amounts to, before anything large is allocated or any file is created.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/setup.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/sampling.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/imaging/operand.hpp"
#include "solver/plan/domain.hpp"
#include "solver/plan/imaging_plan.hpp"
#include "solver/plan/model_plan.hpp"
#include "solver/plan/placement.hpp"
#include "solver/plan/snapshot_plan.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

struct TaskRow;

/// make_plan() of solver/planning/make_plan.hpp makes it.
struct Plan {
    Config config;  ///< with what its grid has from the model's file
    Domain domain;
    ModelPlan model;
    Survey survey;
    TimeAxis time;
    std::string asked_stepping;  ///< "single", "leap", or "auto" while it is open (set_stepping())
    Boundary boundary;
    SamplingVerdict sampling;
    SnapshotPlan snapshots;
    std::optional<ImagingPlan> imaging;      ///< present where gradients or scattered fields are computed
    const TaskRow* task = nullptr;           ///< what is done with a shot (solver/tasks/task.hpp)
    std::shared_ptr<const Operand> operand;  ///< what a linear operator is applied to; null where none is
    Placement placement;
    Setup setup;                     ///< kernel and what goes with it by name, "auto" resolved
    std::string chosen_by;           ///< what put names, and the batch, in place of "auto"
    std::vector<std::string> notes;  ///< on the choice of device, and on the model's file
    std::vector<std::string> warnings;
};

/// The plan of one of the shots: the plan itself, or, where there is an aperture, that of the shot's part, on a grid
/// and with a boundary of its own. The steps in time, the kernel and the snapshots' files are those of all shots.
Plan plan_of_shot(const Plan& plan, std::size_t shot);
/// The plan of a part of the grid: Plan::part of such a shot.
Plan plan_of_part(const Plan& plan, const Window& part);

/// Puts a plan on another part of its grid, on which the set-up's grid follows: strips are still to be set.
void set_grid_of_part(Plan& plan, const Grid& part);
/// Sets halos and strips of the computed grid, for the plan's velocities, time step and wavelets. \throws
/// Error(config).
void set_boundary(Plan& plan);

/// Grid, time axis, sampling and device in a few lines for people.
std::string describe(const Plan& plan);

}  // namespace onda
