/// \file
/// The plan of a run: what a configuration amounts to, before anything large is allocated or any file is created.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "solver/discretisation/sampling.hpp"
#include "solver/imaging/operand.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {

struct TaskRow;

/// What is said of a plan.
struct Remarks {
    SamplingVerdict sampling;
    std::string chosen_by;           ///< what put names, and the batch, in place of "auto"
    std::vector<std::string> notes;  ///< on the choice of device, and on the model's file
    std::vector<std::string> warnings;
};

/// Stages take the parts that they need. make_plan() of solver/planning/make_plan.hpp makes it.
struct Plan : Experiment, Computation, Remarks {
    const TaskRow* task = nullptr;           ///< what is done with a shot (solver/tasks/task.hpp)
    std::shared_ptr<const Operand> operand;  ///< what a linear operator is applied to; null where none is

    [[nodiscard]] const Experiment& experiment() const { return *this; }
    [[nodiscard]] const Computation& computation() const { return *this; }
};

/// The plan of one of the shots: the plan itself, or, where there is an aperture, that of the shot's part, on a grid
/// and with a boundary of its own. The steps in time, the kernel and the snapshots' files are those of all shots.
Plan plan_of_shot(const Plan& plan, std::size_t shot);
/// The plan of a part of the grid: Plan::part of such a shot.
Plan plan_of_part(const Plan& plan, const Window& part);

/// Sets halos and strips of the computed grid, for the plan's velocities, time step and wavelets. \throws
/// Error(config).
void set_boundary(Plan& plan);

/// Grid, time axis, sampling and device in a few lines for people.
std::string describe(const Plan& plan);

}  // namespace onda
