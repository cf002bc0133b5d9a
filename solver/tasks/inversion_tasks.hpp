/// \file
/// What full-waveform inversion does with a shot, in one model: the gradient of the misfit, or the misfit alone, each
/// as sums over the shots without seismograms, or the misfit with the seismograms. All have the same misfit, to the
/// bit.
#pragma once

#include "solver/tasks/task.hpp"

namespace onda {

extern const TaskRow kInversionGradientTask, kMisfitTask, kPredictionTask;

}  // namespace onda
