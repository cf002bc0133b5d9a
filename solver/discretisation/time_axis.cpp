#include "solver/discretisation/time_axis.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

constexpr double kRounding = 1e-9;  // of a step: a duration of 100 steps must not become 101 by rounding
constexpr double kMostSteps = 1e9;  // and samples of a seismogram
/// Of the stability limit. A step adds about its square to the wavefield: below these, less than rounding leaves.
constexpr double kLeastFraction = 1e-4, kLeastFractionOfDouble = 1e-7;

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

void check_not_too_small(const Config& config, const TimeAxis& time) {
    const double least = config.scheme.precision == "double" ? kLeastFractionOfDouble : kLeastFraction;
    if (time.cfl_fraction() >= least) return;
    throw_config_fault(
        config, config.time.dt_s ? "time.dt_s" : "time.cfl_fraction",
        fmt::format("a step of {:.6g} s is {:.3g} of the stability limit of {:.6g} s, and changes the "
                    "wavefield by less than the rounding of scheme.precision: {}; use {:.4g} of the limit "
                    "or more",
                    time.dt_s, time.cfl_fraction(), time.stability_limit_s, config.scheme.precision, least));
}

/// How many samples cover 0 … duration, `dt_s` apart. \param key where it was asked for.
std::int64_t count_samples(const Config& config, const std::string& key, double dt_s) {
    const double intervals = config.time.duration_s / dt_s;
    if (!(intervals <= kMostSteps))
        throw_config_fault(
            config, key,
            fmt::format("{:.6g} s makes {:.3g} samples of time.duration_s = {:.6g} s; the most is {:.0e}", dt_s,
                        intervals, config.time.duration_s, kMostSteps));
    return static_cast<std::int64_t>(std::floor(intervals + kRounding)) + 1;
}

}  // namespace

TimeAxis make_time_axis(const Config& config, const Grid& grid, const Scheme& scheme, double vp_max_m_s) {
    const double duration_s = config.time.duration_s;
    if (!(duration_s > 0.))
        throw_config_fault(config, "time.duration_s", fmt::format("{:.6g} s: must be positive", duration_s));

    TimeAxis time;
    time.stability_limit_s = scheme.stability_limit_s(grid.derivative_spacings_m(), vp_max_m_s);
    if (config.time.dt_s) check_given_dt(config, time.stability_limit_s, vp_max_m_s);
    time.dt_s = config.time.dt_s.value_or(config.time.cfl_fraction * time.stability_limit_s);
    check_not_too_small(config, time);
    if (!(duration_s / time.dt_s <= kMostSteps))
        throw_config_fault(config, "time.duration_s",
                           fmt::format("{:.6g} s needs {:.3g} steps of {:.6g} s; the most is {:.0e}", duration_s,
                                       duration_s / time.dt_s, time.dt_s, kMostSteps));
    time.steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(duration_s / time.dt_s - kRounding)));

    const auto& output_dt_s = config.output.seismograms.dt_s;
    if (output_dt_s && !(*output_dt_s > 0. && *output_dt_s <= duration_s))
        throw_config_fault(
            config, "output.seismograms.dt_s",
            fmt::format("{:.6g} s: must be above 0 and at most time.duration_s = {:.6g} s", *output_dt_s, duration_s));
    time.output_dt_s = output_dt_s.value_or(time.dt_s);
    time.output_samples = output_dt_s ? count_samples(config, "output.seismograms.dt_s", *output_dt_s) : time.steps + 1;
    return time;
}

}  // namespace onda
