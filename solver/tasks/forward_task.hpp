/// \file
/// Forward modelling: what the sources of a shot excite, as its receivers and snapshots see it.
#pragma once

#include "solver/tasks/task.hpp"

namespace onda {

extern const TaskRow kForwardTask;

}  // namespace onda
