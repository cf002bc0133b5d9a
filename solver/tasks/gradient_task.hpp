/// \file
/// Gradients, how the misfit between synthetic and observed seismograms changes with the velocity of every node, and
/// images of the subsurface by reverse-time migration: what both do with a shot.
#pragma once

#include <memory>

#include "solver/tasks/task.hpp"

namespace onda {

extern const TaskRow kGradientTask, kMigrationTask;

/// TaskRow::make of both, and of others that leave the gradient of a misfit.
std::unique_ptr<Task> make_gradient_task(const TaskParts& parts);

}  // namespace onda
