#include "solver/signal/time_dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <numbers>
#include <set>
#include <spdlog/fmt/fmt.h>

#include "solver/program/loop_failure.hpp"
#include "solver/signal/fourier.hpp"
#include "solver/signal/kaiser_sinc.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kPass = 1.5, kStop = 2.25;  // of the highest frequency
constexpr double kLargestX = 0.95;           // of the largest: there theta turns infinitely fast
constexpr double kLeastStop = 0.5;           // of x: a narrower band would make the weights longer for nothing
constexpr double kSteepest = 0.9;            // pass over stop where another limit lowers the stop
constexpr double kBeta = 14.;                // of the taper: its transform falls to exp(-14) = 8e-7
constexpr double kAiry = 8.;                 // Ai(8) is 1e-6 of the largest Ai
constexpr double kAiry5 = 13.;               // the same of the integral of cos(s^5 / 5 + s x), for order 4 in time
constexpr double kLookAhead = 5.;            // a tail that begins that far in the Airy function is below 1e-3
constexpr double kFadingSteps = 100.;        // at the end of a record of order 4 in time

FrequencyBand lowered(FrequencyBand band, double stop_hz) {
    if (stop_hz >= band.stop_hz) return band;
    return {std::min(band.pass_hz, kSteepest * stop_hz), stop_hz};
}

/// How theta and x follow from each other: (1), or of order 4 in time (4).
struct StepRelation {
    int order;

    [[nodiscard]] bool fourth() const { return order == 4; }
    /// Of waves that the scheme has, and tells apart.
    [[nodiscard]] double largest_x() const { return fourth() ? std::sqrt(6.) : 2.; }
    [[nodiscard]] double theta(double x) const { return 2. * std::asin(0.5 * chord(x)); }
    [[nodiscard]] double x(double theta) const {
        const double chord = 2. * std::sin(0.5 * theta);
        return fourth() ? chord * std::sqrt(2. / (1. + std::sqrt(1. - chord * chord / 3.))) : chord;
    }
    [[nodiscard]] double dtheta_dx(double x) const { return of_cosine(x) / std::sqrt(1. - 0.25 * chord(x) * chord(x)); }
    [[nodiscard]] double dx_dtheta(double theta) const { return std::cos(0.5 * theta) / of_cosine(x(theta)); }
    /// What the spectrum of a source is multiplied with, (5).
    [[nodiscard]] double of_source(double x) const {
        const double half = 1. - x * x / 12.;
        return fourth() ? (1. - x * x / 6.) / (half * half) : 1.;
    }

private:
    /// 2 sin(theta / 2).
    [[nodiscard]] double chord(double x) const { return fourth() ? x * std::sqrt(1. - x * x / 12.) : x; }
    /// cos(theta / 2) dtheta / dx.
    [[nodiscard]] double of_cosine(double x) const {
        return fourth() ? (1. - x * x / 6.) / std::sqrt(1. - x * x / 12.) : 1.;
    }
};

/// Of phases, in radians a sample.
struct PhaseBand {
    double pass = 0., stop = 0.;
};

/// 1 up to the pass phase, 0 from the stop phase, between them the integral over a Kaiser window: of all tapers of that
/// width nearly the one whose transform falls soonest (Kaiser and Schafer 1980).
double taper(const PhaseBand& band, double y) {
    constexpr int intervals = 4096;
    static const std::vector<double> integral = [] {
        std::vector<double> sum{0.};
        for (int i = 0; i < intervals; ++i) {
            const double v = -1. + 2. * (i + 0.5) / intervals;
            sum.push_back(sum.back() + bessel_i0(kBeta * std::sqrt(1. - v * v)));
        }
        for (double& value : sum) value /= sum.back();
        return sum;
    }();
    const double at = intervals * (y - band.pass) / (band.stop - band.pass);
    if (at <= 0.) return 1.;
    if (at >= intervals) return 0.;
    const auto i = static_cast<std::size_t>(at);
    return 1. - std::lerp(integral[i], integral[i + 1], at - static_cast<double>(i));
}

/// A map between two time axes by their phases: y, of a frequency, in radians per input sample, and phi(y) in radians
/// per output sample.
struct PhaseMap {
    PhaseBand band;  ///< of y
    double ratio;    ///< dt_out / dt_in
    bool injects;    ///< (2), to the run's axis; or (3), from it
    StepRelation relation;
    double stride = 1.;  ///< of (3): time steps of the run in dt_in, so that y is stride theta

    [[nodiscard]] double phi(double y) const {
        if (injects) return relation.theta(y * ratio);
        const double theta = y / stride, known = std::min(theta, largest_theta());
        return ratio * stride * (relation.x(known) + (theta - known) * relation.dx_dtheta(known));
    }
    /// dphi / dy: how many input samples a wave of this phase advances in an output sample.
    [[nodiscard]] double slope(double y) const {
        return ratio *
               (injects ? relation.dtheta_dx(y * ratio) : relation.dx_dtheta(std::min(y / stride, largest_theta())));
    }
    /// What a spectrum is multiplied with beside the taper.
    [[nodiscard]] double factor(double y) const { return injects ? relation.of_source(y * ratio) : 1.; }
    /// Beyond the fastest and the slowest wave of the band: by the taper's transform, and by the Airy function of the
    /// longest waves, whose scale is the cube root of half the third derivative of the phase. Of order 4 in time it is
    /// the fifth root of 1 / 24 of the fifth derivative, the first that is not zero.
    [[nodiscard]] double margin(double i) const {
        const double of_y = injects ? ratio : 1. / stride;  // of_y y is theta or x
        const double waves = injects ? 1. : ratio * stride;
        const double airy = relation.fourth() ? kAiry5 * std::pow(i * waves * std::pow(of_y, 5) / 144., 0.2)
                                              : kAiry * std::cbrt(0.125 * i * waves * of_y * of_y * of_y);
        return 2. * kBeta / (band.stop - band.pass) + airy;
    }
    /// Of the input samples that output sample i needs.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> window(std::int64_t sample) const {
        const auto i = static_cast<double>(sample);
        const auto [near, far] = std::minmax({i * slope(0.), i * slope(band.stop)});
        return {static_cast<std::int64_t>(std::floor(near - margin(i))),
                static_cast<std::int64_t>(std::ceil(far + margin(i)))};
    }
    [[nodiscard]] std::size_t transform_length(std::int64_t sample) const {
        const auto [first, last] = window(sample);
        return FourierTransform::length(static_cast<std::size_t>(last - first + 1));
    }

private:
    /// Up to here x is known; beyond, where (3) has nothing left, it goes on along its tangent.
    [[nodiscard]] double largest_theta() const {
        return relation.fourth() ? relation.theta(kLargestX * relation.largest_x()) : pi;
    }
};

/// w(i, b) = dt_in / (pi dt_out) int taper(y) cos(phi(y) i - y b) phi'(y) dy by the trapezoidal rule with L points on
/// the circle of y: a transform of length L gives all b at once, each with the sum of w(i, b + m L), m not 0, for
/// error. With L no shorter than the window these are below 1e-6.
class MappedTaps {
public:
    /// For output samples first … end - 1.
    /// \param stretches false: without phi', for a series that stays on its time axis.
    MappedTaps(const PhaseMap& map, std::int64_t first, std::int64_t end, bool stretches = true) : map_(map) {
        for (const std::size_t length : lengths(map, first, end)) circles_.try_emplace(length, map, length, stretches);
    }

    static std::int64_t bytes(const PhaseMap& map, std::int64_t first, std::int64_t end) {
        std::size_t sum = 0;
        for (const std::size_t length : lengths(map, first, end))
            sum += FourierTransform::bytes(length) + 2 * sizeof(double) * points(map.band, length);
        return static_cast<std::int64_t>(sum);
    }

    Taps operator()(std::int64_t sample) const {
        const auto [first, last] = map_.window(sample);
        const std::size_t length = map_.transform_length(sample);
        const Circle& circle = circles_.at(length);
        const double turn = 2. * pi / static_cast<double>(length) * static_cast<double>(first);
        std::vector<std::complex<double>> wave(length / 2 + 1);
        for (std::size_t k = 0; k < circle.phi.size(); ++k)
            wave[k] = std::polar(circle.amplitude[k],
                                 turn * static_cast<double>(k) - circle.phi[k] * static_cast<double>(sample));
        Taps taps{first, std::vector<double>(length)};
        circle.transform.inverse(wave, taps.weight);
        taps.weight.resize(last - first + 1);
        return taps;
    }

private:
    /// What weights of all output samples of one transform length share.
    struct Circle {
        FourierTransform transform;
        std::vector<double> phi, amplitude;  ///< at each point of the circle below the band's end

        Circle(const PhaseMap& map, std::size_t length, bool stretches) : transform(length) {
            const auto n = static_cast<double>(length);
            const std::size_t count = points(map.band, length);
            phi.reserve(count);
            amplitude.reserve(count);
            for (std::size_t k = 0; k < count; ++k) {
                const double y = 2. * pi / n * static_cast<double>(k);
                phi.push_back(map.phi(y));
                amplitude.push_back(taper(map.band, y) * map.factor(y) * (stretches ? map.slope(y) / map.ratio : 1.) /
                                    n);
            }
        }
    };

    static std::size_t points(const PhaseBand& band, std::size_t length) {
        return static_cast<std::size_t>(std::ceil(band.stop / (2. * pi) * static_cast<double>(length)));
    }

    static std::set<std::size_t> lengths(const PhaseMap& map, std::int64_t first, std::int64_t end) {
        std::set<std::size_t> all;
        for (std::int64_t i = first; i < end; ++i) all.insert(map.transform_length(i));
        return all;
    }

    PhaseMap map_;
    std::map<std::size_t, Circle> circles_;  ///< by the length of their transform
};

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
/// all its steps, and then the fading ones, whose transform is 1e-6 beyond 2 kBeta / kFadingSteps.
double look_ahead(const TimeAxis& time, double highest_frequency_hz) {
    const auto steps = static_cast<double>(time.steps);
    if (time.order == 2) return kLookAhead * std::cbrt(steps / 8.);
    const StepRelation relation{time.order};
    const double highest_x = 2. * pi * std::min(highest_frequency_hz, time.correction->pass_hz) * time.dt_s;
    const double x = std::min(highest_x + 2. * kBeta / kFadingSteps, kLargestX * relation.largest_x());
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

TapsOfSample injection_taps(const FrequencyBand& band, double dt_in, const RecordedSampling& run,
                            std::int64_t samples) {
    const FrequencyBand kept = lowered(band, 0.5 / dt_in);
    return make_taps({{2. * pi * kept.pass_hz * dt_in, 2. * pi * kept.stop_hz * dt_in},
                      run.dt_s / dt_in,
                      true,
                      StepRelation{run.order}},
                     samples);
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

// The windows of late samples are wide. A long trace is therefore cut into chunks of output samples, and each is moved
// to the beginning of the time axis, where windows are narrow, by one filter for all its samples. The weights of the
// first chunk then serve all of them, and the work grows with n log n. Short traces are done sooner without. The filter
// takes away what lies beyond the band; the weights, of a wider one, leave all that it left as it is: every sample has
// passed one taper, whatever the length of its record.
constexpr std::int64_t kLong = 8192, kChunk = 2048;  // output samples
constexpr std::int64_t kTogether = 64;               // traces that are moved and then weighed: they stay in a cache

/// The band of a chunk's weights: 1 where the filter lets anything pass. Its taper is as wide as makes their windows
/// narrow: half a chunk from its start they are 4 kBeta / width longer for the taper's transform, and kChunk / 2 ratio
/// width^2 / 8 for the slowest waves.
PhaseMap chunk_map(PhaseMap map) {
    const double width = std::cbrt(32. * kBeta / (static_cast<double>(kChunk) * map.ratio));
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
        : fades_(map.relation.fourth()),
          first_(window.first),
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
        std::vector<std::complex<double>> spectrum(filter_.size());
        const std::int64_t needed = count_ + static_cast<std::int64_t>(taps_.weight.size()) - 1;
        const std::int64_t offset = taps_.first + first_;
        for (std::int64_t q = 0; q < needed; ++q)
            x[q] = fades_ ? faded(trace, offset + q) : continued(trace, offset + q);
        transform_.forward(x, spectrum);
        for (std::size_t k = 0; k < spectrum.size(); ++k) spectrum[k] *= filter_[k];
        transform_.inverse(spectrum, x);
        std::copy_n(x.begin(), count_, moved);
    }

private:
    template <typename T>
    static double faded(std::span<const T> trace, std::int64_t index) {
        const std::int64_t samples = std::ssize(trace);
        return index < 0 || index >= samples ? 0. : fading(samples, index) * static_cast<double>(trace[index]);
    }

    bool fades_;
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

template <typename T>
void correct_short_traces(const TraceList<const T>& input, const TraceList<T>& output, const PhaseMap& map) {
    const TapsOfSample taps = make_taps(map, output.samples);
    if (!map.relation.fourth()) return weigh_traces(input, output, Tail::continued, taps);
    weigh_traces(input, output, Tail::zero, TapsOfSample([&](std::int64_t sample) {
                     Taps faded = taps(sample);
                     for (std::int64_t i = 0; i < std::ssize(faded.weight); ++i)
                         faded.weight[i] *= fading(input.samples, faded.first + i);
                     return faded;
                 }));
}

}  // namespace

template <typename T>
void correct_traces(const TraceList<const T>& input, const FrequencyBand& band, const RecordedSampling& recorded,
                    double dt_out, const TraceList<T>& output) {
    const PhaseMap map = recording_map(band, recorded, dt_out);
    if (output.samples <= kLong) return correct_short_traces(input, output, map);
    const PhaseMap map_of_chunks = chunk_map(map);
    const ChunkWindow window(map_of_chunks);
    const KeptWeights weigh = chunk_weights(map_of_chunks, window);
    for (std::int64_t start = 0; start < output.samples; start += kChunk) {
        const std::int64_t rows = std::min(kChunk, output.samples - start);
        const Mover move(map, start, window);
        for (std::int64_t trace = 0; trace < input.count(); trace += kTogether) {
            const std::int64_t together = std::min(kTogether, input.count() - trace);
            std::vector<double> moved(together * window.count);
            LoopFailure failure;
#pragma omp parallel for schedule(dynamic)
            for (std::int64_t i = 0; i < together; ++i)
                failure.guard(
                    [&] { move(std::span(input.trace[trace + i], input.samples), moved.data() + i * window.count); });
            failure.rethrow();
            TraceList<T> some(output.samples);
            some.trace.assign(output.trace.begin() + trace, output.trace.begin() + trace + together);
            weigh(TraceList<const double>(moved, together), some, start, rows);
        }
    }
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
    return time.output_samples > kLong ? long_record_bytes(map, time.output_samples, trace_count, threads)
                                       : short_record_bytes(map, time.output_samples, threads);
}

}  // namespace onda
