#include "solver/signal/time_dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "solver/program/loop_failure.hpp"
#include "solver/signal/fourier.hpp"
#include "solver/signal/phase_map.hpp"
#include "solver/signal/phase_spectrum.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kPass = 1.5, kStop = 2.25;  // of the highest frequency
constexpr double kLeastStop = 0.5;           // of x: a narrower band would make the weights longer for nothing
constexpr double kSteepest = 0.9;            // pass over stop where another limit lowers the stop
constexpr double kLookAhead = 5.;            // a tail that begins that far in the Airy function is below 1e-3
constexpr double kFadingSteps = 100.;        // at the end of a record of order 4 in time

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

// The windows of late samples are wide. Of order 2 in time a long trace is therefore cut into chunks of output samples,
// and each is moved to the beginning of the time axis, where windows are narrow, by one filter for all its samples. The
// weights of the first chunk then serve all of them, and the work grows with n log n. Short traces are done sooner
// without. The filter takes away what lies beyond the band; the weights, of a wider one, leave all that it left as it
// is: every sample has passed one taper, whatever the length of its record.
constexpr std::int64_t kLong = 8192, kChunk = 2048;  // output samples
constexpr std::int64_t kTogether = 64;               // traces that are moved and then weighed: they stay in a cache

/// The band of a chunk's weights: 1 where the filter lets anything pass. Its taper is as wide as makes their windows
/// narrow: half a chunk from its start they are 4 kTaperBeta / width longer for the taper's transform, and kChunk / 2
/// ratio width^2 / 8 for the slowest waves.
PhaseMap chunk_map(PhaseMap map) {
    const double width = std::cbrt(32. * kTaperBeta / (static_cast<double>(kChunk) * map.ratio));
    map.band = {map.band.stop, std::min(pi, map.band.stop + width)};
    return map;
}

/// The end of records of order 4 in time: a cut has all frequencies, of which the highest would come late, and be moved
/// into the record. These fade instead.
double fading(std::int64_t samples, std::int64_t index) {
    const auto last = static_cast<double>(samples - 1);
    return taper({last - kFadingSteps, last}, static_cast<double>(index));
}

/// Sample `index` of a trace that was cut: zero before it, its point reflection after it (Tail::continued).
template <typename T>
double continued(std::span<const T> trace, std::int64_t index) {
    const auto last = static_cast<std::int64_t>(trace.size()) - 1;
    const auto at = [trace](std::int64_t i) { return i < 0 ? 0. : static_cast<double>(trace[i]); };
    return index <= last ? at(index) : 2. * at(last) - at(2 * last - index);
}

/// Its transpose: adds what sample `index` takes to the samples that it is made of.
void add_continued(std::span<double> trace, std::int64_t index, double value) {
    const auto last = static_cast<std::int64_t>(trace.size()) - 1;
    const auto add = [trace](std::int64_t i, double x) {
        if (i >= 0) trace[i] += x;
    };
    if (index <= last) return add(index, value);
    add(last, 2. * value);
    add(2 * last - index, -value);
}

/// The input samples that the weights of the first chunk reach.
struct ChunkWindow {
    std::int64_t first = 0, count = 0;

    explicit ChunkWindow(const PhaseMap& map) {
        std::int64_t last = 0;
        for (std::int64_t i = 0; i < kChunk; ++i) {
            first = std::min(first, map.window(i).first);
            last = std::max(last, map.window(i).second);
        }
        count = last - first + 1;
    }
};

/// Moves traces so that what belongs to output sample `start` comes to 0, for input samples first … first + count - 1:
/// moved[m] = sum over k of weight[k] u[start's first + k + m], by Fourier transforms.
class Mover {
public:
    Mover(const PhaseMap& map, std::int64_t start, const ChunkWindow& window)
        : first_(window.first),
          count_(window.count),
          taps_(MappedTaps(map, start, start + 1, false)(start)),
          length_(filter_length(map, start, window)),
          transform_(length_),
          filter_(length_ / 2 + 1) {
        std::vector<double> padded(length_);
        std::ranges::transform(taps_.weight, padded.begin(),
                               [this](double weight) { return weight / static_cast<double>(length_); });
        transform_.forward(padded, filter_);
        for (auto& value : filter_) value = std::conj(value);
    }

    /// Of its transforms.
    static std::size_t filter_length(const PhaseMap& map, std::int64_t start, const ChunkWindow& window) {
        const auto [first, last] = map.window(start);
        return FourierTransform::length(static_cast<std::size_t>(window.count + last - first + 1));
    }

    /// \param moved [count].
    template <typename T>
    void operator()(std::span<const T> trace, double* moved) const {
        std::vector<double> x(length_);
        for (std::int64_t q = 0; q < needed(); ++q) x[q] = continued(trace, offset() + q);
        multiply(x, [](std::complex<double> value) { return value; });
        std::copy_n(x.begin(), count_, moved);
    }
    /// The transpose, added to a trace: the sum over m of weight[k - m] moved[m].
    void add_transposed(const double* moved, std::span<double> trace) const {
        std::vector<double> x(length_);
        std::copy_n(moved, count_, x.begin());
        multiply(x, [](std::complex<double> value) { return std::conj(value); });
        for (std::int64_t q = 0; q < needed(); ++q) add_continued(trace, offset() + q, x[q]);
    }

private:
    /// The first of the samples of a trace that are moved, and their number.
    [[nodiscard]] std::int64_t offset() const { return taps_.first + first_; }
    [[nodiscard]] std::int64_t needed() const { return count_ + std::ssize(taps_.weight) - 1; }

    /// Multiplies the spectrum of a series with the filter, or its conjugate.
    template <typename Turned>
    void multiply(std::span<double> x, const Turned& turned) const {
        std::vector<std::complex<double>> spectrum(filter_.size());
        transform_.forward(x, spectrum);
        for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= turned(filter_[k]);
        transform_.inverse(spectrum, x);
    }

    std::int64_t first_, count_;
    Taps taps_;
    std::size_t length_;
    FourierTransform transform_;
    std::vector<std::complex<double>> filter_;  ///< the conjugate of the weights' transform over the length
};

KeptWeights chunk_weights(const PhaseMap& map, const ChunkWindow& window) {
    const MappedTaps taps(map, 0, kChunk);
    return {window.count, kChunk, [&](std::int64_t i) {
                Taps at = taps(i);
                at.first -= window.first;
                return at;
            }};
}

/// How the weights of short traces treat their end, and these weights.
struct ShortTraceWeights {
    Tail tail;
    TapsOfSample taps;

    ShortTraceWeights(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples)
        : tail(map.relation.fourth() ? Tail::zero : Tail::continued), taps(make_taps(map, output_samples)) {
        if (!map.relation.fourth()) return;
        taps = [whole = std::move(taps), input_samples](std::int64_t sample) {
            Taps faded = whole(sample);
            for (std::int64_t i = 0; i < std::ssize(faded.weight); ++i)
                faded.weight[i] *= fading(input_samples, faded.first + i);
            return faded;
        };
    }
};

/// Long traces of order 4 in time. Their band may reach to where theta turns infinitely fast, and has no room for the
/// wider one of chunks. (3) is taken at the phases phi of an output that is long enough for no wave to come round to
/// the record: p[i] = 1 / (ratio n) sum over k of taper(y) u(y) exp(2 pi i k i / n) with phi(y) = 2 pi k / n.
class WholeRecord {
public:
    WholeRecord(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples)
        : length_(length(map, input_samples, output_samples)),
          transform_(length_),
          amplitude_(points(map, length_)),
          spectrum_(input_samples, phases(map, length_)) {
        const std::vector<double> y = phases(map, length_);
        for (std::size_t k = 0; k < y.size(); ++k)
            amplitude_[k] = taper(map.band, y[k]) / (map.ratio * static_cast<double>(length_));
    }

    template <typename T>
    void operator()(std::span<const T> input, std::span<T> output) const {
        const std::int64_t samples = std::ssize(input);
        std::vector<double> x(samples);
        for (std::int64_t i = 0; i < samples; ++i) x[i] = fading(samples, i) * static_cast<double>(input[i]);
        std::vector<std::complex<double>> wave(length_ / 2 + 1);
        spectrum_(x, std::span(wave).first(amplitude_.size()));
        for (std::size_t k = 0; k < amplitude_.size(); ++k) wave[k] *= amplitude_[k];
        x.resize(length_);
        transform_.inverse(wave, x);
        std::ranges::transform(x.begin(), x.begin() + std::ssize(output), output.begin(),
                               [](double p) { return static_cast<T>(p); });
    }

    /// The transpose: of an output into as many input samples as the record has.
    void transposed(std::span<const double> output, std::span<double> input) const {
        const std::int64_t samples = std::ssize(input);
        std::vector<double> x(length_);
        std::ranges::copy(output, x.begin());
        std::vector<std::complex<double>> wave(length_ / 2 + 1);
        transform_.inverse_transposed(x, wave);
        for (std::size_t k = 0; k < amplitude_.size(); ++k) wave[k] *= amplitude_[k];
        spectrum_.transposed(std::span(wave).first(amplitude_.size()), input);
        for (std::int64_t i = 0; i < samples; ++i) input[i] *= fading(samples, i);
    }

    static std::int64_t bytes(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples,
                              std::int64_t threads) {
        const std::size_t n = length(map, input_samples, output_samples), count = points(map, n);
        // A trace, its spectrum, and at once what the spectrum takes or the trace that comes back.
        const auto returned = static_cast<std::int64_t>(sizeof(double) * n);
        const std::int64_t of_call = static_cast<std::int64_t>(sizeof(double)) * input_samples + returned +
                                     std::max(PhaseSpectrum::bytes_of_call(input_samples), returned);
        return static_cast<std::int64_t>(FourierTransform::bytes(n) + sizeof(double) * count) +
               PhaseSpectrum::bytes(input_samples, static_cast<std::int64_t>(count)) + threads * of_call;
    }

private:
    /// Of the circle of output samples: what is recorded ends at the fastest wave, and spreads by the margin.
    static std::size_t length(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples) {
        const double end =
            std::max(static_cast<double>(output_samples), static_cast<double>(input_samples) / map.ratio);
        return FourierTransform::length(static_cast<std::size_t>(std::ceil(end + map.margin(end) / map.ratio)) + 1);
    }
    /// The phases below the band's end on that circle.
    static std::size_t points(const PhaseMap& map, std::size_t length) {
        return static_cast<std::size_t>(std::ceil(map.phi(map.band.stop) / (2. * pi) * static_cast<double>(length)));
    }
    static std::vector<double> phases(const PhaseMap& map, std::size_t length) {
        std::vector<double> y(points(map, length));
        for (std::size_t k = 0; k < y.size(); ++k)
            y[k] = map.y_of(2. * pi * static_cast<double>(k) / static_cast<double>(length));
        return y;
    }

    std::size_t length_;
    FourierTransform transform_;
    std::vector<double> amplitude_;  ///< [phases]
    PhaseSpectrum spectrum_;
};

/// Runs body(trace) for each of so many traces, in parallel.
template <typename Body>
void for_traces(std::int64_t count, const Body& body) {
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t trace = 0; trace < count; ++trace) failure.guard([&] { body(trace); });
    failure.rethrow();
}

/// Traces `first` … of a list.
template <typename T>
TraceList<T> some_of(const TraceList<T>& all, std::int64_t first, std::int64_t count) {
    TraceList<T> some(all.samples);
    some.trace.assign(all.trace.begin() + first, all.trace.begin() + first + count);
    return some;
}

/// Long traces of order 2 in time: chunk by chunk of output samples, the traces in groups.
class Chunks {
public:
    explicit Chunks(const PhaseMap& map)
        : map_(map),
          map_of_chunks_(chunk_map(map)),
          window_(map_of_chunks_),
          weigh_(chunk_weights(map_of_chunks_, window_)) {}

    template <typename T>
    void correct(const TraceList<const T>& input, const TraceList<T>& output) const {
        each(output.samples, input.count(), [&](const Mover& move, const Part& part) {
            std::vector<double> moved(part.traces * window_.count);
            for_traces(part.traces, [&](std::int64_t i) {
                move(std::span(input.trace[part.trace + i], input.samples), moved.data() + i * window_.count);
            });
            weigh_(TraceList<const double>(moved, part.traces), some_of(output, part.trace, part.traces), part.start,
                   part.rows);
        });
    }
    /// The transpose. What the chunks give is added in their order.
    void correct_transposed(const TraceList<const double>& residual, const TraceList<double>& adjoint) const {
        for (double* const trace : adjoint.trace) std::fill_n(trace, adjoint.samples, 0.);
        each(residual.samples, residual.count(), [&](const Mover& move, const Part& part) {
            std::vector<double> moved(part.traces * window_.count);
            weigh_.transposed(some_of(residual, part.trace, part.traces), part.start, part.rows,
                              {std::span(moved), part.traces});
            for_traces(part.traces, [&](std::int64_t i) {
                move.add_transposed(moved.data() + i * window_.count,
                                    std::span(adjoint.trace[part.trace + i], adjoint.samples));
            });
        });
    }

private:
    /// Output samples start … start + rows - 1 of `traces` traces.
    struct Part {
        std::int64_t start, rows, trace, traces;
    };

    template <typename Body>
    void each(std::int64_t output_samples, std::int64_t trace_count, const Body& body) const {
        for (std::int64_t start = 0; start < output_samples; start += kChunk) {
            const std::int64_t rows = std::min(kChunk, output_samples - start);
            const Mover move(map_, start, window_);
            for (std::int64_t trace = 0; trace < trace_count; trace += kTogether)
                body(move, Part{start, rows, trace, std::min(kTogether, trace_count - trace)});
        }
    }

    PhaseMap map_, map_of_chunks_;
    ChunkWindow window_;
    KeptWeights weigh_;
};

}  // namespace

template <typename T>
void correct_traces(const TraceList<const T>& input, const FrequencyBand& band, const RecordedSampling& recorded,
                    double dt_out, const TraceList<T>& output) {
    const PhaseMap map = recording_map(band, recorded, dt_out);
    if (output.samples <= kLong) {
        const ShortTraceWeights weights(map, input.samples, output.samples);
        return weigh_traces(input, output, weights.tail, weights.taps);
    }
    if (!map.relation.fourth()) return Chunks(map).correct(input, output);
    const WholeRecord record(map, input.samples, output.samples);
    for_traces(input.count(), [&](std::int64_t i) {
        record(std::span(input.trace[i], input.samples), std::span(output.trace[i], output.samples));
    });
}

void correct_traces_transposed(const TraceList<const double>& residual, const FrequencyBand& band,
                               const RecordedSampling& recorded, double dt_out, const TraceList<double>& adjoint) {
    const PhaseMap map = recording_map(band, recorded, dt_out);
    if (residual.samples <= kLong) {
        const ShortTraceWeights weights(map, adjoint.samples, residual.samples);
        return weigh_traces_transposed(residual, adjoint, weights.tail, weights.taps);
    }
    if (!map.relation.fourth()) return Chunks(map).correct_transposed(residual, adjoint);
    const WholeRecord record(map, adjoint.samples, residual.samples);
    for_traces(residual.count(), [&](std::int64_t i) {
        record.transposed(std::span(residual.trace[i], residual.samples), std::span(adjoint.trace[i], adjoint.samples));
    });
}

template void correct_traces(const TraceList<const float>&, const FrequencyBand&, const RecordedSampling&, double,
                             const TraceList<float>&);
template void correct_traces(const TraceList<const double>&, const FrequencyBand&, const RecordedSampling&, double,
                             const TraceList<double>&);

namespace {

constexpr std::int64_t kDouble = sizeof(double);

/// What all weights share, and what each thread weighs with.
std::int64_t short_record_bytes(const PhaseMap& map, std::int64_t output_samples, std::int64_t threads) {
    const auto [first, last] = map.window(output_samples - 1);
    return MappedTaps::bytes(map, 0, output_samples) + threads * weighing_bytes(last - first + 1);
}

/// The weights, the traces that are moved together, and the filter of the last chunk, the longest: its transform,
/// itself, and in each thread a trace and its spectrum.
std::int64_t long_record_bytes(const PhaseMap& map, std::int64_t output_samples, std::int64_t trace_count,
                               std::int64_t threads) {
    const PhaseMap map_of_chunks = chunk_map(map);
    const ChunkWindow window(map_of_chunks);
    const std::int64_t last_chunk = (output_samples - 1) / kChunk * kChunk, together = std::min(kTogether, trace_count);
    const std::size_t length = Mover::filter_length(map, last_chunk, window);
    const auto trace = static_cast<std::int64_t>(sizeof(double) * length);
    return KeptWeights::bytes(kChunk, [&](std::int64_t i) { return map_of_chunks.window(i); }) +
           kDouble * together * window.count + static_cast<std::int64_t>(FourierTransform::bytes(length)) + trace +
           2 * trace * std::min(threads, together);
}

}  // namespace

std::int64_t correction_bytes(const TimeAxis& time, std::int64_t trace_count, int threads) {
    if (!time.correction || trace_count == 0) return 0;
    const PhaseMap map = recording_map(*time.correction, {time.dt_s, time.stride, time.order}, time.output_dt_s);
    if (time.output_samples <= kLong) return short_record_bytes(map, time.output_samples, threads);
    if (map.relation.fourth())
        return WholeRecord::bytes(map, time.recorded_samples(), time.output_samples,
                                  std::min<std::int64_t>(threads, trace_count));
    return long_record_bytes(map, time.output_samples, trace_count, threads);
}

}  // namespace onda
