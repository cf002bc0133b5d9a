#include "solver/data/data_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

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

/// The time at which a mute lies at an offset.
double time_of(const MuteConfig& mute, double offset_m) {
    if (!mute.picked.empty()) return mute.t0_s + picked_time(mute.picked, offset_m);
    return mute.t0_s + (mute.velocity_m_s ? offset_m / *mute.velocity_m_s : 0.);
}

bool holds(const OffsetConfig& range, double offset_m) {
    return offset_m >= range.min.value_or(0.) && offset_m <= range.max.value_or(kNever);
}

/// From one time on, or up to one time.
struct Edge {
    double at_s, taper_s;
    bool keeps_later;

    [[nodiscard]] double weight(double t_s, double slack_s) const {
        return rise(keeps_later ? t_s - at_s : at_s - t_s, taper_s, slack_s);
    }
};

std::vector<Edge> edges_of(const ImagingConfig& config, double offset_m) {
    std::vector<Edge> edges;
    const TimeWindowConfig& window = config.time_window_s;
    if (window.min) edges.push_back({*window.min, window.taper, true});
    if (window.max) edges.push_back({*window.max, window.taper, false});
    if (const auto& mute = config.top_mute) edges.push_back({time_of(*mute, offset_m), mute->taper_s, true});
    if (const auto& mute = config.bottom_mute) edges.push_back({time_of(*mute, offset_m), mute->taper_s, false});
    return edges;
}

}  // namespace

double absolute_offset_m(const Position& source_m, const Position& receiver_m) {
    return std::hypot(receiver_m[0] - source_m[0], receiver_m[1] - source_m[1]);
}

void DataWeights::set(const ImagingConfig& config, const Position& source_m, const Position& receiver_m,
                      std::int64_t samples, double dt_s, double of_trace) {
    weight_.assign(static_cast<std::size_t>(samples), of_trace);
    const double offset_m = absolute_offset_m(source_m, receiver_m);
    if (!holds(config.offset_m, offset_m)) std::ranges::fill(weight_, 0.);
    for (const Edge& edge : edges_of(config, offset_m))
        for (std::size_t i = 0; i < weight_.size(); ++i)
            weight_[i] *= edge.weight(static_cast<double>(i) * dt_s, 1e-6 * dt_s);
    excludes_all_ = std::ranges::all_of(weight_, [](double weight) { return weight == 0.; });
}

void DataWeights::apply(std::span<double> trace) const {
    for (std::size_t i = 0; i < weight_.size(); ++i) trace[i] *= weight_[i];
}

}  // namespace onda
