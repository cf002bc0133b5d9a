#include "solver/discretisation/time_axis.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/number_text.hpp"

namespace onda {
namespace {

constexpr double kRounding = 1e-9;  // of a step: a duration of 100 steps must not become 101 by rounding
constexpr double kMostSteps = 1e9;  // and samples of a seismogram
/// Of the stability limit. A step adds about its square to the wavefield: below these, less than rounding leaves.
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

void check_stable(const TimeConfig& config, double limit_s, int space_order, double vp_max_m_s,
                  const ConfigOrigin& origin) {
    if (!config.dt_s || *config.dt_s <= limit_s) return;
    origin.fault("time.dt_s",
                 fmt::format("{:.6g} s is above the stability limit of {:.6g} s (space_order {}, fastest velocity "
                             "{:.6g} m/s): use {:.4g} or less, or leave time.dt_s out",
                             *config.dt_s, limit_s, space_order, vp_max_m_s, config.cfl_fraction * limit_s));
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

}  // namespace

TimeAxis make_time_axis(const TimeConfig& config, const SeismogramConfig& seismograms, const Grid& grid,
                        const Scheme& scheme, Precision precision, double vp_max_m_s, const ConfigOrigin& origin) {
    check_durations(config, seismograms, origin);
    TimeAxis time;
    time.stability_limit_s = scheme.stability_limit_s(grid.derivative_spacings_m(), vp_max_m_s);
    check_stable(config, time.stability_limit_s, scheme.space_order, vp_max_m_s, origin);
    time.dt_s = config.dt_s.value_or(config.cfl_fraction * time.stability_limit_s);
    check_not_too_small(config, time, precision, origin);
    time.steps = count_steps(config.duration_s, time.dt_s, origin);
    time.output_dt_s = seismograms.dt_s.value_or(time.dt_s);
    time.output_samples =
        seismograms.dt_s ? count_samples(config.duration_s, *seismograms.dt_s, origin) : time.steps + 1;
    return time;
}

}  // namespace onda
