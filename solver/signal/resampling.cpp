#include "solver/signal/resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/shot/trace_weights.hpp"
#include "solver/program/loop_failure.hpp"
#include "solver/signal/kaiser_sinc.hpp"

namespace onda {
namespace {

// Half-width in zero crossings of the sinc and shape of the Kaiser window: 90 dB, flat to 0.91 of the cut-off.
constexpr int kZeroCrossings = 32;
constexpr KaiserSinc kKernel(kZeroCrossings, 9.);

/// \param time in input samples; \param stretch input samples per zero crossing, >= 1.
Taps sinc_taps(double time, double stretch) {
    const auto count = 2 * static_cast<std::int64_t>(std::ceil(stretch * kZeroCrossings));
    Taps taps;
    taps.first = static_cast<std::int64_t>(std::floor(time)) - count / 2 + 1;
    taps.weight.resize(count);
    double sum = 0.;
    for (std::int64_t k = 0; k < count; ++k)
        sum += taps.weight[k] = kKernel((time - static_cast<double>(taps.first + k)) / stretch);
    // A constant stays what it is: the windowed sinc itself sums to `stretch` within 3e-5 only.
    for (double& weight : taps.weight) weight /= sum;
    return taps;
}

/// The taps of a sum over samples 0 … n - 1 alone: what lies before them is zero, what follows is put back where the
/// tail takes it from, x[n - 1 + i] = 2 x[n - 1] - x[n - 1 - i].
Taps fold(const Taps& taps, std::int64_t n, Tail tail) {
    const std::int64_t last = n - 1, end = taps.first + static_cast<std::int64_t>(taps.weight.size());
    Taps folded;
    folded.first = std::clamp<std::int64_t>(taps.first, 0, last);
    const bool reflects = tail == Tail::continued && end > n;
    if (reflects) folded.first = std::clamp<std::int64_t>(2 * last - (end - 1), 0, folded.first);
    folded.weight.resize(std::max<std::int64_t>(0, std::min(end, n) - folded.first));
    if (reflects) folded.weight.resize(n - folded.first);
    const auto add = [&folded](std::int64_t j, double w) {
        if (j >= 0) folded.weight[j - folded.first] += w;
    };
    for (std::int64_t j = std::max<std::int64_t>(0, taps.first); j < end; ++j) {
        const double w = taps.weight[j - taps.first];
        if (j <= last) {
            add(j, w);
        } else if (reflects) {
            add(last, 2. * w);
            add(2 * last - j, -w);
        }
    }
    return folded;
}

/// The taps of neighbouring output samples side by side, [input sample][row]: the sums of the rows, each in the order
/// of the input, fill a vector register.
constexpr std::int64_t kRows = cpu::kWeightRows;
constexpr std::int64_t kBlocksTogether = 64;  // whose weights are made, then transposed: few enough for a cache
constexpr std::int64_t kTracesTogether = 16;  // whose sums are taken at a time

void weigh(const double* weight, std::int64_t count, const float* const* traces, std::int64_t number, double* sums) {
    cpu::trace_weights().weigh_floats(weight, count, traces, number, sums);
}
void weigh(const double* weight, std::int64_t count, const double* const* traces, std::int64_t number, double* sums) {
    cpu::trace_weights().weigh_doubles(weight, count, traces, number, sums);
}

}  // namespace

struct TapBlock {
    std::int64_t first = 0, count = 0;
    std::vector<double> weight;

    TapBlock() = default;

    TapBlock(std::int64_t row, std::int64_t rows, std::int64_t n, Tail tail, const TapsOfSample& taps) {
        std::vector<Taps> folded;
        std::int64_t end = 0;
        first = n;
        for (std::int64_t r = 0; r < rows; ++r) {
            const Taps& added = folded.emplace_back(fold(taps(row + r), n, tail));
            first = std::min(first, added.first);
            end = std::max(end, added.first + static_cast<std::int64_t>(added.weight.size()));
        }
        count = std::max<std::int64_t>(0, end - first);
        weight.resize(count * kRows);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::size_t k = 0; k < folded[r].weight.size(); ++k)
                weight[(folded[r].first - first + static_cast<std::int64_t>(k)) * kRows + r] = folded[r].weight[k];
    }

    /// \param output of which `rows` samples from `row` on are written.
    template <typename In, typename Out>
    void apply(const TraceList<const In>& input, const TraceList<Out>& output, std::int64_t row,
               std::int64_t rows) const {
        std::array<double, kTracesTogether * kRows> sums;
        std::array<const In*, kTracesTogether> at;
        for (std::int64_t trace = 0; trace < input.count(); trace += kTracesTogether) {
            const std::int64_t some = std::min(kTracesTogether, input.count() - trace);
            for (std::int64_t i = 0; i < some; ++i) at[i] = input.trace[trace + i] + first;
            weigh(weight.data(), count, at.data(), some, sums.data());
            for (std::int64_t i = 0; i < some; ++i)
                for (std::int64_t r = 0; r < rows; ++r)
                    output.trace[trace + i][row + r] = static_cast<Out>(sums[i * kRows + r]);
        }
    }
    /// The transpose of apply(), added. \param residual and \param adjoint [sample][lane].
    void apply_transposed(const double* residual, double* adjoint) const {
        cpu::trace_weights().add_rows(weight.data(), count, residual, adjoint + first * cpu::kTraceLanes);
    }
};

template <typename In, typename Out>
void weigh_traces(const TraceList<const In>& input, const TraceList<Out>& output, Tail tail, const TapsOfSample& taps) {
    LoopFailure failure;
    // Later samples may need more taps.
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t row = 0; row < output.samples; row += kRows) {
        const std::int64_t rows = std::min(kRows, output.samples - row);
        failure.guard([&] { TapBlock(row, rows, input.samples, tail, taps).apply(input, output, row, rows); });
    }
    failure.rethrow();
}

template void weigh_traces(const TraceList<const float>&, const TraceList<float>&, Tail, const TapsOfSample&);
template void weigh_traces(const TraceList<const float>&, const TraceList<double>&, Tail, const TapsOfSample&);
template void weigh_traces(const TraceList<const double>&, const TraceList<double>&, Tail, const TapsOfSample&);

namespace {

/// Some traces side by side, [sample][lane], in memory that is used again.
class InterleavedTraces {
public:
    static constexpr std::int64_t kLanes = cpu::kTraceLanes;

    /// Takes `samples` samples from `first` on of the traces from `trace` on; zeros where there is no trace, and up to
    /// the end of a whole block.
    template <typename T>
    void take(const TraceList<T>& list, std::int64_t trace, std::int64_t first, std::int64_t samples) {
        values_.resize(static_cast<std::size_t>((samples + kRows - 1) / kRows * kRows * kLanes));
        const std::int64_t lanes = std::min(kLanes, list.count() - trace);
        if (lanes < kLanes || samples % kRows != 0) std::ranges::fill(values_, 0.);
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            for (std::int64_t n = 0; n < samples; ++n) values_[n * kLanes + lane] = list.trace[trace + lane][first + n];
    }
    void copy_to(const TraceList<double>& list, std::int64_t trace) const {
        for (std::int64_t lane = 0; lane < std::min(kLanes, list.count() - trace); ++lane)
            for (std::int64_t n = 0; n < list.samples; ++n) list.trace[trace + lane][n] = values_[n * kLanes + lane];
    }
    [[nodiscard]] double* sample(std::int64_t n) { return values_.data() + n * kLanes; }

private:
    std::vector<double> values_;
};

/// Adds to traces what blocks of output samples from `first` on give, each trace from one block after the other:
/// whatever blocks come together and whichever thread has them, the order of its sums is the same.
void add_transposed_blocks(std::span<const TapBlock> blocks, const TraceList<const double>& residual,
                           std::int64_t first, std::int64_t count, const TraceList<double>& adjoint) {
    LoopFailure failure;
#pragma omp parallel
    {
        InterleavedTraces from, to;
#pragma omp for schedule(dynamic)
        for (std::int64_t trace = 0; trace < adjoint.count(); trace += InterleavedTraces::kLanes)
            failure.guard([&] {
                from.take(residual, trace, first, count);
                to.take(adjoint, trace, 0, adjoint.samples);
                for (std::int64_t row = 0; row < count; row += kRows)
                    blocks[row / kRows].apply_transposed(from.sample(row), to.sample(0));
                to.copy_to(adjoint, trace);
            });
    }
    failure.rethrow();
}

std::int64_t blocks_of(std::int64_t rows) {
    return (rows + kRows - 1) / kRows;
}

/// The blocks of output samples first … first + rows - 1.
std::vector<TapBlock> make_blocks(std::int64_t first, std::int64_t rows, std::int64_t input_samples, Tail tail,
                                  const TapsOfSample& taps) {
    std::vector<TapBlock> blocks(blocks_of(rows));
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t row = static_cast<std::int64_t>(i) * kRows;
        failure.guard(
            [&] { blocks[i] = TapBlock(first + row, std::min(kRows, rows - row), input_samples, tail, taps); });
    }
    failure.rethrow();
    return blocks;
}

void set_zero(const TraceList<double>& traces) {
    for (double* const trace : traces.trace) std::fill_n(trace, traces.samples, 0.);
}

}  // namespace

void weigh_traces_transposed(const TraceList<const double>& residual, const TraceList<double>& adjoint, Tail tail,
                             const TapsOfSample& taps) {
    set_zero(adjoint);
    constexpr std::int64_t together = kBlocksTogether * kRows;
    for (std::int64_t first = 0; first < residual.samples; first += together) {
        const std::int64_t rows = std::min(together, residual.samples - first);
        add_transposed_blocks(make_blocks(first, rows, adjoint.samples, tail, taps), residual, first, rows, adjoint);
    }
}

namespace {

/// Bytes of the weights of a block, as they come or side by side.
std::int64_t block_bytes(std::int64_t input_samples) {
    return kRows * static_cast<std::int64_t>(sizeof(double)) * input_samples;
}

}  // namespace

std::int64_t weighing_bytes(std::int64_t input_samples) {
    return 2 * block_bytes(input_samples);
}

std::int64_t interleaved_bytes(std::int64_t samples) {
    return samples * InterleavedTraces::kLanes * static_cast<std::int64_t>(sizeof(double));
}

KeptWeights::KeptWeights(std::int64_t input_samples, std::int64_t output_samples, Tail tail, const TapsOfSample& taps)
    : blocks_(make_blocks(0, output_samples, input_samples, tail, taps)) {}

KeptWeights::~KeptWeights() = default;

std::int64_t KeptWeights::bytes(
    std::int64_t output_samples,
    const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t output_sample)>& window) {
    std::int64_t input_samples = 0;
    for (std::int64_t row = 0; row < output_samples; row += kRows) {
        auto [first, last] = window(row);
        for (std::int64_t r = 1; r < std::min(kRows, output_samples - row); ++r) {
            const auto next = window(row + r);
            first = std::min(first, next.first);
            last = std::max(last, next.second);
        }
        input_samples += last - first + 1;
    }
    return input_samples * kRows * static_cast<std::int64_t>(sizeof(double));
}

template <typename In, typename Out>
void KeptWeights::operator()(const TraceList<const In>& input, const TraceList<Out>& output, std::int64_t first,
                             std::int64_t count) const {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t row = 0; row < count; row += kRows)
        blocks_[row / kRows].apply(input, output, first + row, std::min(kRows, count - row));
}

template void KeptWeights::operator()(const TraceList<const float>&, const TraceList<float>&, std::int64_t,
                                      std::int64_t) const;
template void KeptWeights::operator()(const TraceList<const float>&, const TraceList<double>&, std::int64_t,
                                      std::int64_t) const;
template void KeptWeights::operator()(const TraceList<const double>&, const TraceList<float>&, std::int64_t,
                                      std::int64_t) const;
template void KeptWeights::operator()(const TraceList<const double>&, const TraceList<double>&, std::int64_t,
                                      std::int64_t) const;

void KeptWeights::transposed(const TraceList<const double>& residual, std::int64_t first, std::int64_t count,
                             const TraceList<double>& adjoint) const {
    set_zero(adjoint);
    add_transposed_blocks(blocks_, residual, first, count, adjoint);
}

namespace {

TapsOfSample resampling_taps(double dt_in, double dt_out, double first_s = 0.) {
    if (dt_in == dt_out && first_s == 0.) return [](std::int64_t i) { return Taps{i, {1.}}; };
    return [ratio = dt_out / dt_in, first = first_s / dt_in](std::int64_t i) {
        return sinc_taps(static_cast<double>(i) * ratio - first, std::max(1., ratio));
    };
}

}  // namespace

std::vector<double> resample(std::span<const double> input, double dt_in, double dt_out, std::int64_t output_samples,
                             Tail tail) {
    std::vector<double> output(output_samples);
    if (!input.empty())
        weigh_traces<double, double>({input, 1}, {std::span(output), 1}, tail, resampling_taps(dt_in, dt_out));
    return output;
}

std::vector<double> resample_whole(std::span<const double> input, double dt_in, double dt_out) {
    const double ratio = dt_out / dt_in, last = static_cast<double>(std::ssize(input) - 1);
    const double reach = dt_in == dt_out ? 0. : std::ceil(std::max(1., ratio) * kZeroCrossings);
    return resample(input, dt_in, dt_out, static_cast<std::int64_t>(std::floor((last + reach) / ratio)) + 1,
                    Tail::zero);
}

template <typename In, typename Out>
void resample_traces(const TraceList<const In>& input, double dt_in, double dt_out, const TraceList<Out>& output,
                     double first_s) {
    weigh_traces(input, output, Tail::continued, resampling_taps(dt_in, dt_out, first_s));
}

template void resample_traces(const TraceList<const float>&, double, double, const TraceList<float>&, double);
template void resample_traces(const TraceList<const float>&, double, double, const TraceList<double>&, double);
template void resample_traces(const TraceList<const double>&, double, double, const TraceList<double>&, double);

void resample_traces_transposed(const TraceList<const double>& residual, double dt_in, double dt_out,
                                const TraceList<double>& adjoint) {
    weigh_traces_transposed(residual, adjoint, Tail::continued, resampling_taps(dt_in, dt_out));
}

double interpolate(std::span<const double> series, double dt_s, double t_s) {
    const Taps at = fold(sinc_taps(t_s / dt_s, 1.), static_cast<std::int64_t>(series.size()), Tail::zero);
    double sum = 0.;
    for (std::size_t k = 0; k < at.weight.size(); ++k) sum += at.weight[k] * series[at.first + k];
    return sum;
}

}  // namespace onda
