#include "solver/time_axis.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "solver/kaiser_sinc.hpp"
#include "solver/scheme.hpp"

namespace onda {
namespace {

constexpr double kRounding = 1e-9;  // of a step: a duration of 100 steps must not become 101 by rounding
constexpr double kMostSteps = 1e9;

double exact_limit_s(const Config& config, const Grid& grid, double vp_max_m_s) {
    std::vector<double> spacing_m;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis)) spacing_m.push_back(grid.spacing_m[axis]);
    return make_scheme(config).stability_limit_s(spacing_m, vp_max_m_s);
}

void check_given_dt(const Config& config, double limit_s, double vp_max_m_s) {
    if (!(*config.time.dt_s > 0.))
        throw_config_fault(config, "time.dt_s", fmt::format("{:.6g} s: must be positive", *config.time.dt_s));
    if (*config.time.dt_s <= limit_s) return;
    throw_config_fault(config, "time.dt_s",
                       fmt::format("{:.6g} s is above the stability limit of {:.6g} s (space_order {}, fastest "
                                   "velocity {:.6g} m/s): use {:.4g} or less, or leave time.dt_s out",
                                   *config.time.dt_s, limit_s, config.scheme.space_order, vp_max_m_s,
                                   config.time.cfl_fraction * limit_s));
}

// Half-width in zero crossings of the sinc and shape of the Kaiser window: 90 dB, flat to 0.91 of the cut-off.
constexpr int kZeroCrossings = 32;
constexpr double kBeta = 9.;

/// [zeros, input, tail], `pad` samples either side.
template <typename T>
std::vector<double> extend(std::span<const T> input, std::int64_t pad, Tail tail) {
    const auto n = static_cast<std::int64_t>(input.size());
    std::vector<double> extended(n + 2 * pad, 0.);
    std::copy(input.begin(), input.end(), extended.begin() + pad);
    if (tail == Tail::continued && n > 0) {
        const double* const x = extended.data() + pad;  // the zeros before it are there to be reflected too
        for (std::int64_t i = 1; i <= pad; ++i)
            extended[pad + n - 1 + i] = 2. * x[n - 1] - (n - 1 - i >= 0 ? x[n - 1 - i] : 0.);
    }
    return extended;
}

/// The weights of one output sample and the input sample (may be negative) that the first one belongs to.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weight;

    /// \param time in input samples; \param stretch input samples per zero crossing, >= 1.
    Taps(double time, double stretch, std::int64_t count) : weight(count) {
        first = static_cast<std::int64_t>(std::floor(time)) - count / 2 + 1;
        for (std::int64_t k = 0; k < count; ++k)
            weight[k] = kaiser_sinc((time - static_cast<double>(first + k)) / stretch, kZeroCrossings, kBeta) / stretch;
    }

    [[nodiscard]] double operator()(const double* x) const {
        double sum = 0.;
        for (std::size_t k = 0; k < weight.size(); ++k) sum += weight[k] * x[first + static_cast<std::int64_t>(k)];
        return sum;
    }
};

/// How one series becomes another: both start at t = 0.
struct Rates {
    double dt_in, dt_out;
    std::int64_t output_samples;
    Tail tail;
};

/// traces [trace][n] -> output [trace][output_samples]; the weights of an output sample serve every trace.
template <typename T>
void resample_block(std::span<const T> traces, std::int64_t n, const Rates& rates, std::span<T> output) {
    const std::int64_t trace_count = static_cast<std::int64_t>(traces.size()) / n;
    const double ratio = rates.dt_out / rates.dt_in;
    const double stretch = std::max(1., ratio);
    const bool copy = rates.dt_in == rates.dt_out;
    const auto taps = 2 * static_cast<std::int64_t>(std::ceil(stretch * kZeroCrossings));
    const auto last = static_cast<std::int64_t>(std::ceil(static_cast<double>(rates.output_samples) * ratio));
    const std::int64_t pad = taps + std::max<std::int64_t>(0, last - n);
    std::vector<std::vector<double>> extended;
    extended.reserve(trace_count);
    for (std::int64_t trace = 0; trace < trace_count; ++trace)
        extended.push_back(extend(traces.subspan(trace * n, n), pad, rates.tail));

#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < rates.output_samples; ++i) {
        const Taps at(static_cast<double>(i) * ratio, stretch, copy ? 0 : taps);
        for (std::int64_t trace = 0; trace < trace_count; ++trace) {
            const double* const x = extended[trace].data() + pad;
            output[trace * rates.output_samples + i] = static_cast<T>(copy ? x[i] : at(x));
        }
    }
}

}  // namespace

TimeAxis make_time_axis(const Config& config, const Grid& grid, double vp_max_m_s) {
    const double duration_s = config.time.duration_s;
    if (!(duration_s > 0.))
        throw_config_fault(config, "time.duration_s", fmt::format("{:.6g} s: must be positive", duration_s));

    TimeAxis time;
    time.stability_limit_s = exact_limit_s(config, grid, vp_max_m_s);
    if (config.time.dt_s) check_given_dt(config, time.stability_limit_s, vp_max_m_s);
    time.dt_s = config.time.dt_s.value_or(config.time.cfl_fraction * time.stability_limit_s);
    if (!(duration_s / time.dt_s <= kMostSteps))
        throw_config_fault(config, "time.duration_s",
                           fmt::format("{:.6g} s needs {:.3g} steps of {:.6g} s; the most is {:.0e}", duration_s,
                                       duration_s / time.dt_s, time.dt_s, kMostSteps));
    time.steps = static_cast<std::int64_t>(std::ceil(duration_s / time.dt_s - kRounding));

    const auto& output_dt_s = config.output.seismograms.dt_s;
    if (output_dt_s && !(*output_dt_s > 0. && *output_dt_s <= duration_s))
        throw_config_fault(
            config, "output.seismograms.dt_s",
            fmt::format("{:.6g} s: must be above 0 and at most time.duration_s = {:.6g} s", *output_dt_s, duration_s));
    time.output_dt_s = output_dt_s.value_or(time.dt_s);
    time.output_samples =
        output_dt_s ? static_cast<std::int64_t>(std::floor(duration_s / *output_dt_s + kRounding)) + 1 : time.steps + 1;
    return time;
}

std::vector<double> resample(std::span<const double> input, double dt_in, double dt_out, std::int64_t output_samples,
                             Tail tail) {
    std::vector<double> output(output_samples, 0.);
    if (!input.empty())
        resample_block<double>(input, static_cast<std::int64_t>(input.size()), {dt_in, dt_out, output_samples, tail},
                               output);
    return output;
}

std::vector<float> resample_traces(std::span<const float> traces, std::int64_t trace_count, double dt_in, double dt_out,
                                   std::int64_t output_samples) {
    std::vector<float> output(trace_count * output_samples, 0.f);
    if (traces.empty()) return output;
    const std::int64_t n = static_cast<std::int64_t>(traces.size()) / trace_count;
    constexpr std::int64_t block = 512;  // bounds the padded copies of the traces
    for (std::int64_t trace = 0; trace < trace_count; trace += block) {
        const std::int64_t count = std::min(block, trace_count - trace);
        resample_block<float>(traces.subspan(trace * n, count * n), n, {dt_in, dt_out, output_samples, Tail::continued},
                              std::span(output).subspan(trace * output_samples, count * output_samples));
    }
    return output;
}

double interpolate(std::span<const double> series, double dt_s, double t_s) {
    const Taps at(t_s / dt_s, 1., 2 * kZeroCrossings);
    const auto last = static_cast<std::int64_t>(series.size()) - 1;
    double sum = 0.;
    for (std::int64_t k = std::max<std::int64_t>(0, -at.first); k < 2 * kZeroCrossings && at.first + k <= last; ++k)
        sum += at.weight[k] * series[at.first + k];
    return sum;
}

}  // namespace onda
