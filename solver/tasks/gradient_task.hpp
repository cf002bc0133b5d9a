/// \file
/// Gradients, how the misfit between synthetic and observed seismograms changes with the velocity of every node, and
/// images of the subsurface by reverse-time migration: what both do with a shot.
#pragma once

#include "solver/tasks/task.hpp"

namespace onda {

extern const TaskRow kGradientTask, kMigrationTask;

}  // namespace onda
