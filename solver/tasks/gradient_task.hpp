/// \file
/// Gradients: how the misfit between synthetic and observed seismograms changes with the velocity of every node.
#pragma once

#include "solver/tasks/task.hpp"

namespace onda {

extern const TaskRow kGradientTask;

}  // namespace onda
