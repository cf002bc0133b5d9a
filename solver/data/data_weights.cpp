#include "solver/data/data_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <utility>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Rises by half a cosine from 0 to 1 over a taper [s] that begins at an edge, which lies `after_s` back.
/// \param slack_s how close to the edge of a window without a taper a sample lies on it.
double rise(double after_s, double taper_s, double slack_s) {
    if (taper_s <= 0.) return after_s >= -slack_s ? 1. : 0.;
    if (after_s <= 0. || after_s >= taper_s) return after_s > 0. ? 1. : 0.;
    return 0.5 - 0.5 * std::cos(std::numbers::pi * (after_s / taper_s));
}

/// Linear between the picks, constant beyond them.
double picked_time(std::span<const std::array<double, 2>> picks, double offset_m) {
    const auto after = std::ranges::find_if(picks, [&](const auto& pick) { return pick[0] >= offset_m; });
    if (after == picks.begin()) return picks.front()[1];
    if (after == picks.end()) return picks.back()[1];
    const auto& [low_m, low_s] = *std::prev(after);
    const auto& [high_m, high_s] = *after;
    return low_s + (high_s - low_s) * (offset_m - low_m) / (high_m - low_m);
}

/// The pick of a trace; null where there is none.
const TracePick* pick_of(std::span<const TracePick> picks, std::int64_t shot, std::int64_t receiver) {
    const auto place = [](const TracePick& pick) { return std::pair(pick.shot, pick.receiver); };
    const auto found = std::ranges::lower_bound(picks, std::pair(shot, receiver), {}, place);
    return found != picks.end() && place(*found) == std::pair(shot, receiver) ? &*found : nullptr;
}

/// The time at which a mute lies in a trace.
double time_of(const MuteConfig& mute, const TracePlace& place) {
    const double offset_m = absolute_offset_m(place.source_m, place.receiver_m);
    if (!mute.picked_traces.empty()) {
        const TracePick* const pick = pick_of(mute.picked_traces, place.shot, place.receiver);
        if (pick == nullptr) throw std::logic_error("a trace without a pick");
        return mute.t0_s + pick->time_s;
    }
    if (!mute.picked.empty()) return mute.t0_s + picked_time(mute.picked, offset_m);
    return mute.t0_s + (mute.velocity_m_s ? offset_m / *mute.velocity_m_s : 0.);
}

/// From one time on, or up to one time.
struct Edge {
    double at_s, taper_s;
    bool keeps_later;

    [[nodiscard]] double weight(double t_s, double slack_s) const {
        return rise(keeps_later ? t_s - at_s : at_s - t_s, taper_s, slack_s);
    }
};

/// The traces of a shot that count and have no pick.
std::vector<TracePlace> unpicked(const ImagingConfig& config, const MuteConfig& mute, const Shot& shot) {
    std::vector<TracePlace> missing;
    TracePlace place{.source_m = shot.sources.front().position_m, .shot = shot.id, .receiver = 0};
    for (const Position& receiver_m : shot.receivers.list()) {
        place.receiver_m = receiver_m;
        ++place.receiver;
        if (pick_of(mute.picked_traces, place.shot, place.receiver) == nullptr && is_compared(config, place))
            missing.push_back(place);
    }
    return missing;
}

std::vector<Edge> edges_of(const ImagingConfig& config, const TracePlace& place) {
    std::vector<Edge> edges;
    const TimeWindowConfig& window = config.time_window_s;
    if (window.min) edges.push_back({*window.min, window.taper, true});
    if (window.max) edges.push_back({*window.max, window.taper, false});
    if (const auto& mute = config.top_mute) edges.push_back({time_of(*mute, place), mute->taper_s, true});
    if (const auto& mute = config.bottom_mute) edges.push_back({time_of(*mute, place), mute->taper_s, false});
    return edges;
}

}  // namespace

double absolute_offset_m(const Position& source_m, const Position& receiver_m) {
    return std::hypot(receiver_m[0] - source_m[0], receiver_m[1] - source_m[1]);
}

bool is_compared(const ImagingConfig& config, const TracePlace& place) {
    const double offset_m = absolute_offset_m(place.source_m, place.receiver_m);
    const OffsetConfig& range = config.offset_m;
    return config.receivers.contains(place.receiver) && offset_m >= range.min.value_or(0.) &&
           offset_m <= range.max.value_or(kNever);
}

void check_picks(const ImagingConfig& config, const Shots& shots) {
    for (const std::optional<MuteConfig>* const mute : {&config.top_mute, &config.bottom_mute}) {
        if (!*mute || (*mute)->picked_traces.empty()) continue;
        std::vector<TracePlace> missing;
        for (const Shot& shot : shots) std::ranges::move(unpicked(config, **mute, shot), std::back_inserter(missing));
        if (missing.empty()) continue;
        throw Error(
            ExitCode::bad_data,
            fmt::format("{}: has no pick of shot {}, receiver {}{}: give every trace one that imaging.receivers "
                        "and imaging.offset_m do not leave out",
                        shown((*mute)->picks), missing.front().shot, missing.front().receiver,
                        missing.size() > 1 ? fmt::format(", and of {} more traces", missing.size() - 1) : ""));
    }
}

void DataWeights::set(const ImagingConfig& config, const TracePlace& place, std::int64_t samples, double dt_s,
                      double of_trace) {
    const bool is_there = is_compared(config, place);
    weight_.assign(static_cast<std::size_t>(samples), is_there ? of_trace : 0.);
    if (is_there)
        for (const Edge& edge : edges_of(config, place))
            for (std::size_t i = 0; i < weight_.size(); ++i)
                weight_[i] *= edge.weight(static_cast<double>(i) * dt_s, 1e-6 * dt_s);
    excludes_all_ = std::ranges::all_of(weight_, [](double weight) { return weight == 0.; });
}

void DataWeights::apply(std::span<double> trace) const {
    for (std::size_t i = 0; i < weight_.size(); ++i) trace[i] *= weight_[i];
}

}  // namespace onda
