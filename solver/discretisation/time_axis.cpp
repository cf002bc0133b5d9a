#include "solver/discretisation/time_axis.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/results/trace_file.hpp"
#include "io/text/number_text.hpp"

namespace onda {
namespace {

constexpr double kRounding = 1e-9;  // of a step: a duration of 100 steps must not become 101 by rounding
constexpr double kMostSteps = 1e9;  // and samples of a seismogram
/// The Nyquist frequency of the default sampling, over the highest frequency of the wavelets.
constexpr double kKeptFrequencies = 2.25;
/// Least time step over the stability limit. A step adds about the square of this to the wavefield: below it, less than
/// rounding leaves.
constexpr double kLeastFraction = 1e-4, kLeastFractionOfDouble = 1e-7;

/// The run, its step and the samples returned: each must be a time, and none longer than the run.
void check_durations(const TimeConfig& config, const SeismogramConfig& seismograms, const ConfigOrigin& origin) {
    StageFaults faults(origin);
    const auto check = [&](const std::string& key, double seconds) {
        if (!(seconds > 0.))
            faults.add(key, fmt::format("{:.6g} s: must be positive", seconds));
        else if (seconds > config.duration_s)
            faults.add_of_value(key, "is longer than time.duration_s = " + number_text(config.duration_s));
    };
    check("time.duration_s", config.duration_s);
    if (config.dt_s) check("time.dt_s", *config.dt_s);
    if (seismograms.dt_s) check("output.seismograms.dt_s", *seismograms.dt_s);
    faults.raise_if_any();
}

void check_stable(const TimeConfig& config, const Scheme& scheme, const StabilityLimit& limit,
                  const ConfigOrigin& origin) {
    if (!config.dt_s || *config.dt_s <= limit.dt_s) return;
    const bool is_raised = limit.vp_max_m_s > 0. && limit.vp_max_m_s < limit.fastest_m_s;
    origin.fault(
        "time.dt_s",
        fmt::format("{:.6g} s is above the stability limit of {:.6g} s (space_order {}{}, fastest velocity "
                    "{:.6g} m/s{}): use {:.4g} or less, or leave time.dt_s out",
                    *config.dt_s, limit.dt_s, scheme.space_order,
                    scheme.time_order == 2 ? "" : fmt::format(", time.order {}", scheme.time_order), limit.fastest_m_s,
                    is_raised
                        ? fmt::format(" at infinite frequency, to which Q raises vp of {:.6g} m/s", limit.vp_max_m_s)
                        : "",
                    config.cfl_fraction * limit.dt_s));
}

void check_not_too_small(const TimeConfig& config, const TimeAxis& time, Precision precision,
                         const ConfigOrigin& origin) {
    const bool is_double = precision == Precision::float64;
    const double least = is_double ? kLeastFractionOfDouble : kLeastFraction;
    if (time.cfl_fraction() >= least) return;
    origin.fault(
        config.dt_s ? "time.dt_s" : "time.cfl_fraction",
        fmt::format("a step of {:.6g} s is {:.3g} of the stability limit of {:.6g} s, and changes the "
                    "wavefield by less than the rounding of scheme.precision: {}; use {:.4g} of the limit "
                    "or more",
                    time.dt_s, time.cfl_fraction(), time.stability_limit_s, is_double ? "double" : "float", least));
}

std::int64_t count_steps(double duration_s, double dt_s, const ConfigOrigin& origin) {
    const double steps = duration_s / dt_s;
    if (!(steps <= kMostSteps))
        origin.fault("time.duration_s", fmt::format("{:.6g} s needs {:.3g} steps of {:.6g} s; the most is {:.0e}",
                                                    duration_s, steps, dt_s, kMostSteps));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(steps - kRounding)));
}

/// How many samples cover 0 … duration.
std::int64_t count_samples(double duration_s, double output_dt_s, const ConfigOrigin& origin) {
    const double intervals = duration_s / output_dt_s;
    if (!(intervals <= kMostSteps))
        origin.fault("output.seismograms.dt_s",
                     fmt::format("{:.6g} s makes {:.3g} samples of time.duration_s = {:.6g} s; the most is {:.0e}",
                                 output_dt_s, intervals, duration_s, kMostSteps));
    return static_cast<std::int64_t>(std::floor(intervals + kRounding)) + 1;
}

/// What the files of traces that are wanted hold; they are told apart by the keys that ask for them.
struct WantedTraceFile {
    const char* key;
    TraceLimits limits;
};

std::vector<WantedTraceFile> wanted_trace_files(const SeismogramConfig& seismograms) {
    std::vector<WantedTraceFile> wanted;
    if (seismograms.segy != "none") wanted.push_back({"output.seismograms.segy", kSegyLimits});
    if (seismograms.su) wanted.push_back({"output.seismograms.su", kSuLimits});
    return wanted;
}

/// The sampling that all wanted files hold: the one given, or the nearest where the user lets it be changed.
double fit_to_trace_files(double dt_s, const SeismogramConfig& seismograms, const ConfigOrigin& origin) {
    for (const auto& [key, limits] : wanted_trace_files(seismograms)) {
        const std::string unfit = limits.unfit_interval(dt_s);
        if (unfit.empty()) continue;
        const double nearest_s = limits.nearest_interval_s(dt_s);
        if (seismograms.unfit_dt != "resample")
            origin.fault(seismograms.dt_s ? "output.seismograms.dt_s" : key,
                         fmt::format("{}: use output.seismograms.dt_s: {}, or have them resampled to it by "
                                     "output.seismograms.unfit_dt: resample",
                                     unfit, number_text(nearest_s)));
        dt_s = nearest_s;
    }
    return dt_s;
}

void check_samples_fit(const TimeAxis& time, const TimeConfig& config, const SeismogramConfig& seismograms,
                       const ConfigOrigin& origin) {
    for (const auto& [key, limits] : wanted_trace_files(seismograms))
        if (const std::string unfit = limits.unfit_samples(time.output_samples); !unfit.empty())
            origin.fault(
                key, fmt::format(
                         "{}: use output.seismograms.dt_s: {} or more, or a shorter time.duration_s", unfit,
                         number_text(std::ceil(1e6 * config.duration_s / static_cast<double>(limits.most_samples - 1)) /
                                     1e6)));
}

}  // namespace

double default_sampling_s(double longest_s) {
    for (int exponent = static_cast<int>(std::floor(std::log10(longest_s) + kRounding));; --exponent)
        for (const double mantissa : {exponent < -3 ? 5. : 4., 2., 1.}) {
            // Divided by a power of ten: that is the double nearest to the decimal number, as a product with 1e-n need
            // not be.
            const double power = std::pow(10., std::abs(exponent));
            const double sampling_s = exponent < 0 ? mantissa / power : mantissa * power;
            if (sampling_s <= longest_s * (1. + kRounding)) return sampling_s;
        }
}

namespace {

bool fits_trace_files(double dt_s, const SeismogramConfig& seismograms) {
    return std::ranges::all_of(wanted_trace_files(seismograms), [dt_s](const WantedTraceFile& file) {
        return std::abs(file.limits.nearest_interval_s(dt_s) - dt_s) <= kRounding * dt_s;
    });
}

double wanted_sampling_s(const TimeConfig& config, const WantedSeismograms& seismograms) {
    if (seismograms.config.dt_s) return *seismograms.config.dt_s;
    double longest_s = config.duration_s;
    if (seismograms.highest_frequency_hz > 0.)
        longest_s = std::min(longest_s, 0.5 / (kKeptFrequencies * seismograms.highest_frequency_hz));
    // Wavelets of frequencies that no grid carries are refused for that, and not for too many samples.
    longest_s = std::max(longest_s, 10. * config.duration_s / kMostSteps);
    for (const WantedTraceFile& file : wanted_trace_files(seismograms.config))
        longest_s = std::min(longest_s, 1e-6 * static_cast<double>(file.limits.most_interval_us));
    // Rather one of the next two, if with it the last sample is at the end of the record.
    const double longest = default_sampling_s(longest_s);
    double sampling_s = longest;
    for (int i = 0; i < 3; ++i, sampling_s = default_sampling_s(0.9 * sampling_s)) {
        const double intervals = config.duration_s / sampling_s;
        const bool divides = std::abs(intervals - std::round(intervals)) <= kRounding * intervals;
        if (divides && fits_trace_files(sampling_s, seismograms.config)) return sampling_s;
    }
    return longest;
}

}  // namespace

TimeAxis make_time_axis(const TimeConfig& config, const WantedSeismograms& seismograms, const Scheme& scheme,
                        Precision precision, const StabilityLimit& limit, const ConfigOrigin& origin) {
    check_durations(config, seismograms.config, origin);
    TimeAxis time;
    time.order = scheme.time_order;
    time.stability_limit_s = limit.dt_s;
    check_stable(config, scheme, limit, origin);
    time.dt_s = config.dt_s.value_or(config.cfl_fraction * time.stability_limit_s);
    check_not_too_small(config, time, precision, origin);
    time.steps = count_steps(config.duration_s, time.dt_s, origin);
    time.output_dt_s = fit_to_trace_files(wanted_sampling_s(config, seismograms), seismograms.config, origin);
    time.output_samples = count_samples(config.duration_s, time.output_dt_s, origin);
    check_samples_fit(time, config, seismograms.config, origin);
    return time;
}

void take_leaps(TimeAxis& time) {
    time.stride = 2;
    time.steps += time.steps % 2;
}

}  // namespace onda
