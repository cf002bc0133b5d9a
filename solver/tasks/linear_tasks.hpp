/// \file
/// The linear operators of a survey, each as a task: F takes the signals of the sources to seismograms, F' back; J, the
/// derivative of the seismograms with respect to the velocity (Born modelling), takes a change of it to seismograms,
/// and J' back. Each is the transpose of the other to rounding, the sampling of the seismograms and the removal of the
/// dispersion in time included (solver/signal/output_sampling.hpp). What they are applied to is Plan::operand, what
/// they make is handed over as ShotProduct.
#pragma once

#include "solver/tasks/task.hpp"

namespace onda {

extern const TaskRow kForwardOperator;  ///< F of signals, of those of the configuration for shots without any
extern const TaskRow kAdjointOperator;  ///< F' of traces: signals
extern const TaskRow kBornOperator;     ///< J of a change of vp: traces
extern const TaskRow kBornTranspose;    ///< J' of traces: a derivative with respect to vp

}  // namespace onda
