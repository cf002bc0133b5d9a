#include "solver/signal/output_sampling.hpp"

#include <algorithm>

#include "solver/signal/time_dispersion.hpp"

namespace onda {
namespace {

RecordedSampling recorded_sampling(const TimeAxis& time) {
    return {time.dt_s, time.stride, time.order};
}

/// Traces of `samples` as a list.
template <typename T>
TraceList<T> list_of(std::span<T> traces, std::int64_t samples) {
    TraceList<T> list(samples);
    list.add(traces);
    return list;
}

/// Whether every sample that is written is one that was recorded: B is a part of the identity.
bool copies_samples(const TimeAxis& time) {
    return !time.correction && time.output_dt_s == time.recorded_dt_s() &&
           time.output_samples <= time.recorded_samples();
}

/// Copies the first samples of each trace, and fills the rest of it with zeros.
template <typename T>
void copy_traces(const TraceList<const T>& from, const TraceList<T>& to) {
    const std::int64_t common = std::min(from.samples, to.samples);
    for (std::size_t i = 0; i < from.trace.size(); ++i) {
        std::copy_n(from.trace[i], common, to.trace[i]);
        std::fill(to.trace[i] + common, to.trace[i] + to.samples, T(0));
    }
}

}  // namespace

// The last step is the first that is not before the duration: it may come after the last sample that is written.
bool is_written_as_recorded(const TimeAxis& time) {
    return !time.correction && time.output_dt_s == time.recorded_dt_s() &&
           time.output_samples == time.recorded_samples();
}

template <typename T>
void sample_output(const TimeAxis& time, const TraceList<const T>& recorded, const TraceList<T>& output) {
    if (copies_samples(time))
        copy_traces(recorded, output);
    else if (time.correction)
        correct_traces(recorded, *time.correction, recorded_sampling(time), time.output_dt_s, output);
    else
        resample_traces(recorded, time.recorded_dt_s(), time.output_dt_s, output);
}

template void sample_output(const TimeAxis&, const TraceList<const float>&, const TraceList<float>&);
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

std::vector<double> sampled_output(const TimeAxis& time, std::span<const double> recorded) {
    const auto traces = list_of(recorded, time.recorded_samples());
    std::vector<double> output(traces.count() * time.output_samples);
    sample_output(time, traces, list_of(std::span(output), time.output_samples));
    return output;
}

std::vector<double> adjoint_of_output_sampling(const TimeAxis& time, std::span<const double> residual) {
    const auto traces = list_of(residual, time.output_samples);
    std::vector<double> adjoint(traces.count() * time.recorded_samples());
    adjoint_of_output_sampling(time, traces, list_of(std::span(adjoint), time.recorded_samples()));
    return adjoint;
}

}  // namespace onda
