#include "solver/signal/output_sampling.hpp"

#include <algorithm>

#include "solver/signal/for_traces.hpp"
#include "solver/signal/time_dispersion.hpp"

namespace onda {
namespace {

RecordedSampling recorded_sampling(const TimeAxis& time) {
    return {time.dt_s, time.stride, time.order};
}

/// Copies the first samples of each trace, and fills the rest of it with zeros.
template <typename In, typename Out>
void copy_traces(const TraceList<const In>& from, const TraceList<Out>& to) {
    const std::int64_t common = std::min(from.samples, to.samples);
    for_traces(from.count(), [&](std::int64_t i) {
        std::copy_n(from.trace[i], common, to.trace[i]);
        std::fill(to.trace[i] + common, to.trace[i] + to.samples, Out(0));
    });
}

/// The first `samples` of each trace, as traces of so many; zeros where it has fewer.
template <typename T>
OwnedTraces first_samples(const TraceList<const T>& from, std::int64_t samples) {
    OwnedTraces traces(from.trace.size());
    for_traces(from.count(), [&](std::int64_t i) {
        traces[i].assign(from.trace[i], from.trace[i] + std::min(from.samples, samples));
        traces[i].resize(static_cast<std::size_t>(samples));
    });
    return traces;
}

OwnedTraces zeros(std::int64_t count, std::int64_t samples) {
    OwnedTraces traces(static_cast<std::size_t>(count));
    for_traces(count, [&](std::int64_t i) { traces[i].resize(static_cast<std::size_t>(samples)); });
    return traces;
}

}  // namespace

bool copies_samples(const TimeAxis& time) {
    return !time.correction && time.output_dt_s == time.recorded_dt_s() &&
           time.output_samples <= time.recorded_samples();
}

// The last step is the first that is not before the duration: it may come after the last sample that is written.
bool is_written_as_recorded(const TimeAxis& time) {
    return !time.correction && time.output_dt_s == time.recorded_dt_s() &&
           time.output_samples == time.recorded_samples();
}

template <typename In, typename Out>
void sample_output(const TimeAxis& time, const TraceList<const In>& recorded, const TraceList<Out>& output) {
    if (copies_samples(time))
        copy_traces(recorded, output);
    else if (time.correction)
        correct_traces(recorded, *time.correction, recorded_sampling(time), time.output_dt_s, output);
    else
        resample_traces(recorded, time.recorded_dt_s(), time.output_dt_s, output);
}

template void sample_output(const TimeAxis&, const TraceList<const float>&, const TraceList<float>&);
template void sample_output(const TimeAxis&, const TraceList<const float>&, const TraceList<double>&);
template void sample_output(const TimeAxis&, const TraceList<const double>&, const TraceList<double>&);

void adjoint_of_output_sampling(const TimeAxis& time, const TraceList<const double>& residual,
                                const TraceList<double>& adjoint) {
    if (copies_samples(time))
        copy_traces(residual, adjoint);
    else if (time.correction)
        correct_traces_transposed(residual, *time.correction, recorded_sampling(time), time.output_dt_s, adjoint);
    else
        resample_traces_transposed(residual, time.recorded_dt_s(), time.output_dt_s, adjoint);
}

template <typename T>
OwnedTraces sampled_output(const TimeAxis& time, const TraceList<const T>& recorded) {
    if (copies_samples(time)) return first_samples(recorded, time.output_samples);
    OwnedTraces output = zeros(recorded.count(), time.output_samples);
    sample_output(time, recorded, TraceList<double>(output, time.output_samples));
    return output;
}

template OwnedTraces sampled_output(const TimeAxis&, const TraceList<const float>&);
template OwnedTraces sampled_output(const TimeAxis&, const TraceList<const double>&);

OwnedTraces adjoint_of_output_sampling(const TimeAxis& time, OwnedTraces residual) {
    const std::int64_t samples = time.recorded_samples();
    if (copies_samples(time)) {
        for_traces(std::ssize(residual),
                   [&](std::int64_t i) { residual[i].resize(static_cast<std::size_t>(samples)); });
        return residual;
    }
    OwnedTraces adjoint = zeros(std::ssize(residual), samples);
    adjoint_of_output_sampling(time, TraceList<const double>(residual, time.output_samples),
                               TraceList<double>(adjoint, samples));
    return adjoint;
}

}  // namespace onda
