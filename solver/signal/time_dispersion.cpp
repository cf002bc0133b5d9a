#include "solver/signal/time_dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <spdlog/fmt/fmt.h>
#include <tuple>

#include "solver/signal/long_traces.hpp"
#include "solver/signal/phase_map.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kPass = 1.5, kStop = 2.25;  // of the highest frequency
constexpr double kLeastStop = 0.5;           // of x: a narrower band would make the weights longer for nothing
constexpr double kSteepest = 0.9;            // pass over stop where another limit lowers the stop
constexpr double kLookAhead = 5.;            // a tail that begins that far in the Airy function is below 1e-3
constexpr std::int64_t kLong = 8192;         // output samples; traces of no more are weighed by themselves

FrequencyBand lowered(FrequencyBand band, double stop_hz) {
    if (stop_hz >= band.stop_hz) return band;
    return {std::min(band.pass_hz, kSteepest * stop_hz), stop_hz};
}

TapsOfSample make_taps(const PhaseMap& map, std::int64_t samples) {
    return
        [taps = std::make_shared<const MappedTaps>(map, 0, samples)](std::int64_t sample) { return (*taps)(sample); };
}

}  // namespace

FrequencyBand correction_band(double highest_frequency_hz, const RecordedSampling& recorded) {
    const double of_x = 1. / (2. * pi * recorded.dt_s);
    const double highest = std::max(highest_frequency_hz, kLeastStop * of_x / kStop);
    // Of samples `stride` steps apart, phases stride theta up to pi tell waves apart.
    const double told_apart = std::sin(0.5 * pi / static_cast<double>(recorded.stride));
    const double largest_x = kLargestX * StepRelation{recorded.order}.largest_x() * told_apart;
    return lowered({kPass * highest, kStop * highest}, largest_x * of_x);
}

namespace {

/// How many samples after the end of a record its last waves need. Of order 4 in time they are those that come late, of
/// all its steps, and then the fading ones, whose transform is 1e-6 beyond 2 kTaperBeta / kFadingSteps.
double look_ahead(const TimeAxis& time, double highest_frequency_hz) {
    const auto steps = static_cast<double>(time.steps);
    if (time.order == 2) return kLookAhead * std::cbrt(steps / 8.);
    const StepRelation relation{time.order};
    const double highest_x = 2. * pi * std::min(highest_frequency_hz, time.correction->pass_hz) * time.dt_s;
    const double x = std::min(highest_x + 2. * kTaperBeta / kFadingSteps, kLargestX * relation.largest_x());
    return (1. / relation.dtheta_dx(x) - 1.) * steps + kFadingSteps;
}

}  // namespace

void correct_dispersion(TimeAxis& time, double highest_frequency_hz, bool records) {
    time.correction = correction_band(highest_frequency_hz, {time.dt_s, time.stride, time.order});
    if (!records) return;
    time.extra_steps = static_cast<std::int64_t>(std::ceil(look_ahead(time, highest_frequency_hz)));
    time.extra_steps += time.extra_steps % time.stride;
    time.steps += time.extra_steps;
}

std::string describe_correction(const TimeAxis& time) {
    if (!time.correction) return "not removed";
    return fmt::format("removed from the seismograms, up to {:.4g} Hz; not from snapshots", time.correction->pass_hz);
}

namespace {

PhaseMap injection_map(const FrequencyBand& band, double dt_in, const RecordedSampling& run) {
    const FrequencyBand kept = lowered(band, 0.5 / dt_in);
    return {{2. * pi * kept.pass_hz * dt_in, 2. * pi * kept.stop_hz * dt_in},
            run.dt_s / dt_in,
            true,
            StepRelation{run.order}};
}

}  // namespace

TapsOfSample injection_taps(const FrequencyBand& band, double dt_in, const RecordedSampling& run,
                            std::int64_t samples) {
    return make_taps(injection_map(band, dt_in, run), samples);
}

std::int64_t injected_samples(const FrequencyBand& band, double dt_in, const RecordedSampling& run,
                              std::int64_t input_samples) {
    const PhaseMap map = injection_map(band, dt_in, run);
    const auto reaches = [&](std::int64_t sample) { return map.window(sample).first < input_samples; };
    std::int64_t count = 0, over = 1;
    while (reaches(over)) over *= 2;
    while (count < over) {
        const std::int64_t middle = count + (over - count) / 2;
        reaches(middle) ? void(count = middle + 1) : void(over = middle);
    }
    return count;
}

namespace {

PhaseMap recording_map(const FrequencyBand& band, const RecordedSampling& recorded, double dt_out) {
    const FrequencyBand kept = lowered(band, 0.5 / dt_out);
    const double dt = recorded.dt_s;
    const auto stride = static_cast<double>(recorded.stride);
    const StepRelation relation{recorded.order};
    const auto phase = [&](double frequency_hz) { return stride * relation.theta(2. * pi * frequency_hz * dt); };
    return {{phase(kept.pass_hz), phase(kept.stop_hz)}, dt_out / (stride * dt), false, relation, stride};
}

/// The weights of short traces.
std::shared_ptr<const KeptWeights> make_weights(const PhaseMap& map, std::int64_t input_samples,
                                                std::int64_t output_samples) {
    const MappedTaps taps(map, 0, output_samples);
    if (!map.relation.fourth())
        return std::make_shared<const KeptWeights>(input_samples, output_samples, Tail::continued,
                                                   [&](std::int64_t sample) { return taps(sample); });
    return std::make_shared<const KeptWeights>(input_samples, output_samples, Tail::zero, [&](std::int64_t sample) {
        Taps faded = taps(sample);
        for (std::int64_t i = 0; i < std::ssize(faded.weight); ++i)
            faded.weight[i] *= fading(input_samples, faded.first + i);
        return faded;
    });
}

/// The same, made once for gathers that come one after the other with one sampling, whichever thread brings them.
std::shared_ptr<const KeptWeights> weights_of(const PhaseMap& map, std::int64_t input_samples,
                                              std::int64_t output_samples) {
    using Sampling = std::tuple<double, double, double, double, int, std::int64_t, std::int64_t>;
    static std::mutex mutex;
    static Sampling latest;
    static std::shared_ptr<const KeptWeights> kept;
    const Sampling wanted{map.band.pass,      map.band.stop, map.ratio,     map.stride,
                          map.relation.order, input_samples, output_samples};
    const std::lock_guard lock(mutex);
    if (!kept || latest != wanted) {
        kept.reset();
        kept = make_weights(map, input_samples, output_samples);
        latest = wanted;
    }
    return kept;
}

}  // namespace

template <typename In, typename Out>
void correct_traces(const TraceList<const In>& input, const FrequencyBand& band, const RecordedSampling& recorded,
                    double dt_out, const TraceList<Out>& output) {
    const PhaseMap map = recording_map(band, recorded, dt_out);
    if (output.samples <= kLong)
        return (*weights_of(map, input.samples, output.samples))(input, output, 0, output.samples);
    if (map.relation.fourth()) return WholeTraces(map, input.samples, output.samples).correct(input, output);
    ChunkedTraces(map).correct(input, output);
}

void correct_traces_transposed(const TraceList<const double>& residual, const FrequencyBand& band,
                               const RecordedSampling& recorded, double dt_out, const TraceList<double>& adjoint) {
    const PhaseMap map = recording_map(band, recorded, dt_out);
    if (residual.samples <= kLong)
        return weights_of(map, adjoint.samples, residual.samples)->transposed(residual, 0, residual.samples, adjoint);
    if (map.relation.fourth())
        return WholeTraces(map, adjoint.samples, residual.samples).correct_transposed(residual, adjoint);
    ChunkedTraces(map).correct_transposed(residual, adjoint);
}

template void correct_traces(const TraceList<const float>&, const FrequencyBand&, const RecordedSampling&, double,
                             const TraceList<float>&);
template void correct_traces(const TraceList<const float>&, const FrequencyBand&, const RecordedSampling&, double,
                             const TraceList<double>&);
template void correct_traces(const TraceList<const double>&, const FrequencyBand&, const RecordedSampling&, double,
                             const TraceList<double>&);

namespace {

/// \param of_short what corrects short traces allocates.
template <typename OfShort>
std::int64_t bytes_of_correction(const TimeAxis& time, std::int64_t trace_count, int threads, bool transposed,
                                 const OfShort& of_short) {
    if (!time.correction || trace_count == 0) return 0;
    const PhaseMap map = recording_map(*time.correction, {time.dt_s, time.stride, time.order}, time.output_dt_s);
    if (time.output_samples <= kLong) return of_short(map);
    if (map.relation.fourth())
        return WholeTraces::bytes(map, time.recorded_samples(), time.output_samples,
                                  std::min<std::int64_t>(threads, trace_count));
    return ChunkedTraces::bytes(map, time.output_samples, trace_count, threads, transposed);
}

}  // namespace

// The weights that are kept, and while they are made what they are made of, a block in each thread.
std::int64_t correction_bytes(const TimeAxis& time, std::int64_t trace_count, int threads) {
    return bytes_of_correction(time, trace_count, threads, false, [&](const PhaseMap& map) {
        const auto [first, last] = map.window(time.output_samples - 1);
        return KeptWeights::bytes(time.output_samples, [&](std::int64_t i) { return map.window(i); }) +
               MappedTaps::bytes(map, 0, time.output_samples) + threads * weighing_bytes(last - first + 1);
    });
}

// The weights are those of correction_bytes().
std::int64_t transposed_correction_bytes(const TimeAxis& time, std::int64_t trace_count, int threads) {
    return bytes_of_correction(time, trace_count, threads, true, [&](const PhaseMap&) {
        return threads * interleaved_bytes(time.recorded_samples() + time.output_samples);
    });
}

}  // namespace onda
