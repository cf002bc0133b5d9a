// The section "imaging" as settings, once its values do not contradict each other.
#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/models/points_file.hpp"
#include "io/text/number_text.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/program/find_row.hpp"

namespace onda {
namespace {

void check_offsets(const OffsetConfig& range, StageFaults& faults) {
    if (range.min && range.max && *range.min > *range.max)
        faults.add_of_value("imaging.offset_m.min",
                            "must be at most imaging.offset_m.max = " + number_text(*range.max));
}

void check_window(const TimeWindowConfig& window, double duration_s, StageFaults& faults) {
    const double begin = window.min.value_or(0.), end = window.max.value_or(duration_s);
    const std::string key = "imaging.time_window_s";
    if (begin >= duration_s)
        return faults.add_of_value(
            key + ".min", "the window is empty: the record ends at time.duration_s = " + number_text(duration_s));
    if (begin >= end)
        return faults.add_of_value(
            window.min ? key + ".min" : key + ".max",
            fmt::format("the window is empty: it would last from {} s to {} s", number_text(begin), number_text(end)));
    const int tapers = (window.min ? 1 : 0) + (window.max ? 1 : 0);
    const double length = end - begin;
    if (window.taper > 0. && tapers == 0)
        return faults.add_of_value(key + ".taper", "there is no window to taper: give min or max");
    if (tapers * window.taper > length * (1. + 1e-9))  // half of a window may be a taper, rounded as it is
        faults.add_of_value(key + ".taper",
                            fmt::format("must be at most {:.6g}: the window lasts {:.6g} s, and is "
                                        "tapered at {}",
                                        length / tapers, length, tapers == 2 ? "both ends" : "one end"));
}

/// The earliest or the latest pick; 0 without any.
double extreme_pick_s(const MuteConfig& mute, bool latest) {
    std::vector<double> times_s;
    for (const auto& [offset_m, time_s] : mute.picked) times_s.push_back(time_s);
    for (const TracePick& pick : mute.picked_traces) times_s.push_back(pick.time_s);
    if (times_s.empty()) return 0.;
    return latest ? std::ranges::max(times_s) : std::ranges::min(times_s);
}

/// What one mute alone leaves nothing of.
void check_mute_alone(const ImagingConfig& config, double duration_s, StageFaults& faults) {
    if (const auto& top = config.top_mute; top && top->t0_s + extreme_pick_s(*top, false) >= duration_s)
        faults.add_of_value("imaging.top_mute.t0_s",
                            "every trace is muted to its end: the record ends at "
                            "time.duration_s = " +
                                number_text(duration_s));
    if (const auto& bottom = config.bottom_mute;
        bottom && !bottom->velocity_m_s && bottom->t0_s + extreme_pick_s(*bottom, true) <= 0.)
        faults.add_of_value("imaging.bottom_mute.t0_s",
                            "every trace is muted from its beginning: give a later time, or a velocity_m_s");
}

void check_corners(const BandPassConfig& band, StageFaults& faults) {
    if (!band.low_hz && !band.high_hz) faults.add("imaging.band_pass", "filters nothing: give low_hz, high_hz or both");
    if (band.low_hz && band.high_hz && *band.low_hz >= *band.high_hz)
        faults.add_of_value("imaging.band_pass.low_hz",
                            "must be below imaging.band_pass.high_hz = " + number_text(*band.high_hz));
}

/// What two mutes leave nothing of, at any offset.
void check_mutes_together(const ImagingConfig& config, StageFaults& faults) {
    const auto& top = config.top_mute;
    const auto& bottom = config.bottom_mute;
    const auto slowness = [](const MuteConfig& mute) { return mute.velocity_m_s ? 1. / *mute.velocity_m_s : 0.; };
    const bool are_lines = top && bottom && top->picks.empty() && bottom->picks.empty();
    if (are_lines && bottom->t0_s <= top->t0_s && slowness(*bottom) <= slowness(*top))
        faults.add_of_value("imaging.bottom_mute.t0_s",
                            "nothing is left at any offset between imaging.top_mute, whose t0_s is " +
                                number_text(top->t0_s) + ", and this mute");
}

void read_picks(MuteConfig& mute) {
    MutePicks picks = read_mute_picks(mute.picks);
    mute.picked = std::move(picks.at_offsets);
    for (const MutePicks::OfTrace& pick : picks.of_traces)
        mute.picked_traces.push_back({pick.shot, pick.receiver, pick.time_s});
}

}  // namespace

MisfitSettings make_misfit_settings(const ImagingConfig& given, double duration_s, const ConfigOrigin& origin) {
    const MisfitRow& misfit = find_row(origin, "imaging.misfit", misfits(), given.misfit);
    ImagingConfig config = given;
    for (std::optional<MuteConfig>* const mute : {&config.top_mute, &config.bottom_mute})
        if (*mute && !(*mute)->picks.empty()) read_picks(**mute);
    StageFaults faults(origin);
    check_offsets(config.offset_m, faults);
    check_window(config.time_window_s, duration_s, faults);
    check_mute_alone(config, duration_s, faults);
    if (config.band_pass) check_corners(*config.band_pass, faults);
    if (faults.empty()) check_mutes_together(config, faults);
    faults.raise_if_any();
    return {&misfit, std::move(config)};
}

void check_band_pass(const ImagingConfig& config, double dt_s, const ConfigOrigin& origin) {
    if (!config.band_pass) return;
    StageFaults faults(origin);
    const auto check = [&](const std::optional<double>& corner_hz, const char* key) {
        if (corner_hz && *corner_hz >= 0.5 / dt_s)
            faults.add_of_value(key, fmt::format("must be below {:.6g}, half the sampling rate of the seismograms "
                                                 "(output.seismograms.dt_s: {:.6g})",
                                                 0.5 / dt_s, dt_s));
    };
    check(config.band_pass->low_hz, "imaging.band_pass.low_hz");
    check(config.band_pass->high_hz, "imaging.band_pass.high_hz");
    faults.raise_if_any();
}

}  // namespace onda
