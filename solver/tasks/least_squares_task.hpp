/// \file
/// What least-squares migration does with a shot. With J the Born operator of a shot, W the weights and B the filter of
/// its seismograms: its part of J' B' W' W B d, of the data d that are to be fitted, and of J' B' W' W B J p, of a
/// change p of velocity (RunOptions::direction).
#pragma once

#include "solver/tasks/task.hpp"

namespace onda {

/// The data: its gradient is that of the misfit of nothing, and so has the opposite sign.
extern const TaskRow kLeastSquaresTask;
/// The products: the gradient of half the energy of what p predicts, which is the misfit.
extern const TaskRow kNormalProductTask;

}  // namespace onda
