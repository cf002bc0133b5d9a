/// \file
/// From what a run records to the samples of its seismograms, and back for runs of the adjoint.
///
/// Output traces are d = B u, u the samples 0 … N that were recorded, those of TimeAxis::extra_steps included, and B
/// the same matrix for every trace of a run. Where a misfit has the derivative r = dJ/dd, that by what was recorded is
/// B' r (Plessix 2006, Geophys. J. Int. 167, 495-503, eq. 8-11: of a functional the adjoint of whatever maps the
/// wavefield to data), and this is what acts as the source of an adjoint run. B' r is not r brought to the samples of
/// the run: B has the correction of dispersion in time, and its tapers, in it.
#pragma once

#include <span>
#include <vector>

#include "solver/discretisation/time_axis.hpp"
#include "solver/signal/resampling.hpp"

namespace onda {

/// Whether B is the identity.
bool is_written_as_recorded(const TimeAxis& time);
/// Whether every sample that is written is one that was recorded: B is a part of the identity.
bool copies_samples(const TimeAxis& time);

/// output = B recorded, in traces of recorded_samples() and output_samples; what B is follows from the axis:
/// correct_traces() or, without a correction, resample_traces(). In and Out are float or double.
template <typename In, typename Out>
void sample_output(const TimeAxis& time, const TraceList<const In>& recorded, const TraceList<Out>& output);
/// adjoint = B' residual, in traces of output_samples and recorded_samples(): <B u, d> = <u, B' d> to 1e-14 of |B u|
/// |d| for all u and d. Neither the number of threads nor the instruction set changes a bit.
void adjoint_of_output_sampling(const TimeAxis& time, const TraceList<const double>& residual,
                                const TraceList<double>& adjoint);

/// B recorded, as sample_output() makes it, in traces that own their samples. \throws std::bad_alloc.
template <typename T>
OwnedTraces sampled_output(const TimeAxis& time, const TraceList<const T>& recorded);
/// B' residual in traces that own their samples: those of `residual`, where B copies samples. \throws std::bad_alloc.
OwnedTraces adjoint_of_output_sampling(const TimeAxis& time, OwnedTraces residual);

}  // namespace onda
