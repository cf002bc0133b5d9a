#include "solver/signal/long_traces.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "solver/signal/for_traces.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr std::int64_t kChunk = 2048;   // output samples
constexpr std::int64_t kTogether = 64;  // traces that are moved and then weighed: they stay in a cache

/// The band of a chunk's weights: 1 where the filter lets anything pass. Its taper is as wide as makes their windows
/// narrow: half a chunk from its start they are 4 kTaperBeta / width longer for the taper's transform, and kChunk / 2
/// ratio width^2 / 8 for the slowest waves.
PhaseMap chunk_map(PhaseMap map) {
    const double width = std::cbrt(32. * kTaperBeta / (static_cast<double>(kChunk) * map.ratio));
    map.band = {map.band.stop, std::min(pi, map.band.stop + width)};
    return map;
}

/// Sample `index` of a trace that was cut: zero before it, its point reflection after it (Tail::continued).
template <typename T>
double continued(std::span<const T> trace, std::int64_t index) {
    const auto last = static_cast<std::int64_t>(trace.size()) - 1;
    const auto at = [trace](std::int64_t i) { return i < 0 ? 0. : static_cast<double>(trace[i]); };
    return index <= last ? at(index) : 2. * at(last) - at(2 * last - index);
}

/// The transpose of continued(): adds what sample `index` takes to the samples that it is made of.
void add_continued(std::span<double> trace, std::int64_t index, double value) {
    const auto last = static_cast<std::int64_t>(trace.size()) - 1;
    const auto add = [trace](std::int64_t i, double x) {
        if (i >= 0) trace[i] += x;
    };
    if (index <= last) return add(index, value);
    add(last, 2. * value);
    add(2 * last - index, -value);
}

/// Traces `first` … of a list.
template <typename T>
TraceList<T> some_of(const TraceList<T>& all, std::int64_t first, std::int64_t count) {
    TraceList<T> some(all.samples);
    some.trace.assign(all.trace.begin() + first, all.trace.begin() + first + count);
    return some;
}

template <typename T>
std::span<T> trace_of(const TraceList<T>& list, std::int64_t i) {
    return {list.trace[i], static_cast<std::size_t>(list.samples)};
}

}  // namespace

ChunkedTraces::Window::Window(const PhaseMap& map) {
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < kChunk; ++i) {
        first = std::min(first, map.window(i).first);
        last = std::max(last, map.window(i).second);
    }
    count = last - first + 1;
}

/// Moves traces so that what belongs to output sample `start` comes to 0, for input samples first … first + count - 1:
/// moved[m] = sum over k of weight[k] u[start's first + k + m], by Fourier transforms.
class ChunkedTraces::Mover {
public:
    Mover(const PhaseMap& map, std::int64_t start, const Window& window)
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

    /// Length of the transforms of a filter.
    static std::size_t filter_length(const PhaseMap& map, std::int64_t start, const Window& window) {
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

KeptWeights ChunkedTraces::make_weights(const PhaseMap& map, const Window& window) {
    const MappedTaps taps(map, 0, kChunk);
    return {window.count, kChunk, Tail::zero, [&](std::int64_t i) {
                Taps at = taps(i);
                at.first -= window.first;
                return at;
            }};
}

/// Output samples start … start + rows - 1 of `traces` traces.
struct ChunkedTraces::Part {
    std::int64_t start, rows, trace, traces;
};

/// Calls body(mover, part), chunk by chunk, the traces in groups.
template <typename Body>
void ChunkedTraces::for_parts(std::int64_t output_samples, std::int64_t trace_count, const Body& body) const {
    for (std::int64_t start = 0; start < output_samples; start += kChunk) {
        const std::int64_t rows = std::min(kChunk, output_samples - start);
        const Mover move(map_, start, window_);
        for (std::int64_t trace = 0; trace < trace_count; trace += kTogether)
            body(move, Part{start, rows, trace, std::min(kTogether, trace_count - trace)});
    }
}

ChunkedTraces::ChunkedTraces(const PhaseMap& map)
    : map_(map),
      map_of_chunks_(chunk_map(map)),
      window_(map_of_chunks_),
      weigh_(make_weights(map_of_chunks_, window_)) {}

template <typename In, typename Out>
void ChunkedTraces::correct(const TraceList<const In>& input, const TraceList<Out>& output) const {
    for_parts(output.samples, input.count(), [&](const Mover& move, const Part& part) {
        std::vector<double> moved(part.traces * window_.count);
        for_traces(part.traces,
                   [&](std::int64_t i) { move(trace_of(input, part.trace + i), moved.data() + i * window_.count); });
        weigh_(TraceList<const double>(moved, part.traces), some_of(output, part.trace, part.traces), part.start,
               part.rows);
    });
}

template void ChunkedTraces::correct(const TraceList<const float>&, const TraceList<float>&) const;
template void ChunkedTraces::correct(const TraceList<const float>&, const TraceList<double>&) const;
template void ChunkedTraces::correct(const TraceList<const double>&, const TraceList<double>&) const;

void ChunkedTraces::correct_transposed(const TraceList<const double>& residual,
                                       const TraceList<double>& adjoint) const {
    for (double* const trace : adjoint.trace) std::fill_n(trace, adjoint.samples, 0.);
    for_parts(residual.samples, residual.count(), [&](const Mover& move, const Part& part) {
        std::vector<double> moved(part.traces * window_.count);
        weigh_.transposed(some_of(residual, part.trace, part.traces), part.start, part.rows,
                          {std::span(moved), part.traces});
        for_traces(part.traces, [&](std::int64_t i) {
            move.add_transposed(moved.data() + i * window_.count, trace_of(adjoint, part.trace + i));
        });
    });
}

// The weights, the traces that are moved together, and the filter of the last chunk, the longest: its transform,
// itself, and in each thread a trace and its spectrum, or, transposed, traces side by side.
std::int64_t ChunkedTraces::bytes(const PhaseMap& map, std::int64_t output_samples, std::int64_t trace_count,
                                  std::int64_t threads, bool transposed) {
    const PhaseMap map_of_chunks = chunk_map(map);
    const Window window(map_of_chunks);
    const std::int64_t last_chunk = (output_samples - 1) / kChunk * kChunk, together = std::min(kTogether, trace_count);
    const std::size_t length = Mover::filter_length(map, last_chunk, window);
    const auto trace = static_cast<std::int64_t>(sizeof(double) * length);
    return KeptWeights::bytes(kChunk, [&](std::int64_t i) { return map_of_chunks.window(i); }) +
           static_cast<std::int64_t>(sizeof(double)) * together * window.count +
           static_cast<std::int64_t>(FourierTransform::bytes(length)) + trace +
           std::max(2 * trace, transposed ? interleaved_bytes(window.count + kChunk) : 0) * std::min(threads, together);
}

namespace {

/// Length of the circle of output samples: what is recorded ends at the fastest wave, and spreads by the margin.
std::size_t circle_length(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples) {
    const double end = std::max(static_cast<double>(output_samples), static_cast<double>(input_samples) / map.ratio);
    return FourierTransform::length(static_cast<std::size_t>(std::ceil(end + map.margin(end) / map.ratio)) + 1);
}

/// The phases below the band's end on that circle.
std::size_t points(const PhaseMap& map, std::size_t length) {
    return static_cast<std::size_t>(std::ceil(map.phi(map.band.stop) / (2. * pi) * static_cast<double>(length)));
}

std::vector<double> phases(const PhaseMap& map, std::size_t length) {
    std::vector<double> y(points(map, length));
    for (std::size_t k = 0; k < y.size(); ++k)
        y[k] = map.y_of(2. * pi * static_cast<double>(k) / static_cast<double>(length));
    return y;
}

}  // namespace

WholeTraces::WholeTraces(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples)
    : length_(circle_length(map, input_samples, output_samples)),
      transform_(length_),
      amplitude_(points(map, length_)),
      spectrum_(input_samples, phases(map, length_)) {
    const std::vector<double> y = phases(map, length_);
    for (std::size_t k = 0; k < y.size(); ++k)
        amplitude_[k] = taper(map.band, y[k]) / (map.ratio * static_cast<double>(length_));
}

template <typename In, typename Out>
void WholeTraces::correct(const TraceList<const In>& input, const TraceList<Out>& output) const {
    for_traces(input.count(), [&](std::int64_t i) { correct_one(trace_of(input, i), trace_of(output, i)); });
}

template void WholeTraces::correct(const TraceList<const float>&, const TraceList<float>&) const;
template void WholeTraces::correct(const TraceList<const float>&, const TraceList<double>&) const;
template void WholeTraces::correct(const TraceList<const double>&, const TraceList<double>&) const;

void WholeTraces::correct_transposed(const TraceList<const double>& residual, const TraceList<double>& adjoint) const {
    for_traces(residual.count(), [&](std::int64_t i) { transpose_one(trace_of(residual, i), trace_of(adjoint, i)); });
}

template <typename In, typename Out>
void WholeTraces::correct_one(std::span<const In> input, std::span<Out> output) const {
    const std::int64_t samples = std::ssize(input);
    std::vector<double> x(samples);
    for (std::int64_t i = 0; i < samples; ++i) x[i] = fading(samples, i) * static_cast<double>(input[i]);
    std::vector<std::complex<double>> wave(length_ / 2 + 1);
    spectrum_(x, std::span(wave).first(amplitude_.size()));
    for (std::size_t k = 0; k < amplitude_.size(); ++k) wave[k] *= amplitude_[k];
    x.resize(length_);
    transform_.inverse(wave, x);
    std::ranges::transform(x.begin(), x.begin() + std::ssize(output), output.begin(),
                           [](double p) { return static_cast<Out>(p); });
}

void WholeTraces::transpose_one(std::span<const double> residual, std::span<double> adjoint) const {
    std::vector<std::complex<double>> wave(length_ / 2 + 1);
    {
        std::vector<double> x(length_);
        std::ranges::copy(residual, x.begin());
        transform_.inverse_transposed(x, wave);
    }
    for (std::size_t k = 0; k < amplitude_.size(); ++k) wave[k] *= amplitude_[k];
    spectrum_.transposed(std::span(wave).first(amplitude_.size()), adjoint);
    const std::int64_t samples = std::ssize(adjoint);
    for (std::int64_t i = 0; i < samples; ++i) adjoint[i] *= fading(samples, i);
}

std::int64_t WholeTraces::bytes(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples,
                                std::int64_t threads) {
    const std::size_t n = circle_length(map, input_samples, output_samples), count = points(map, n);
    // A trace, its spectrum, and at once what the spectrum takes or the trace that comes back.
    const auto returned = static_cast<std::int64_t>(sizeof(double) * n);
    const std::int64_t of_call = static_cast<std::int64_t>(sizeof(double)) * input_samples + returned +
                                 std::max(PhaseSpectrum::bytes_of_call(input_samples), returned);
    return static_cast<std::int64_t>(FourierTransform::bytes(n) + sizeof(double) * count) +
           PhaseSpectrum::bytes(input_samples, static_cast<std::int64_t>(count)) + threads * of_call;
}

}  // namespace onda
