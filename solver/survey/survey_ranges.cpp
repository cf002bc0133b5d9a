#include "solver/survey/survey_ranges.hpp"

#include <algorithm>
#include <cmath>

#include "io/text/number_text.hpp"

namespace onda {
namespace {

constexpr std::size_t kMostShots = 2000, kMostPairs = 1'000'000;

/// The k-th of `count` numbers from 0 to all - 1, spread evenly, both ends among them.
std::size_t spread(std::size_t k, std::size_t count, std::size_t all) {
    return count < 2
               ? 0
               : static_cast<std::size_t>(
                     static_cast<double>(k) * static_cast<double>(all - 1) / static_cast<double>(count - 1) + 0.5);
}

void include(std::optional<PositionBox>& box, const Position& position_m) {
    if (!box) box = PositionBox{position_m, position_m};
    box->include(position_m);
}

void include(std::optional<std::array<double, 2>>& range, double value) {
    if (!range) range = {value, value};
    range = {std::min((*range)[0], value), std::max((*range)[1], value)};
}

}  // namespace

SurveyRanges ranges_of(const Shots& shots) {
    const std::size_t looked_at = std::min(shots.size(), kMostShots), of_each = kMostPairs / looked_at;
    SurveyRanges ranges;
    ranges.shots = looked_at;
    ranges.is_complete = looked_at == shots.size();
    std::optional<PositionBox> sources;
    for (std::size_t i = 0; i < looked_at; ++i) {
        const Shot shot = shots[spread(i, looked_at, shots.size())];
        for (const SourcePoint& source : shot.sources) include(sources, source.position_m);
        const Position& from = shot.sources.front().position_m;
        const std::size_t count = std::min(shot.receivers.size(), of_each);
        ranges.is_complete = ranges.is_complete && count == shot.receivers.size();
        for (std::size_t r = 0; r < count; ++r) {
            const Position at = shot.receivers[spread(r, count, shot.receivers.size())];
            include(ranges.receivers_m, at);
            include(ranges.offsets_m, std::hypot(at[0] - from[0], at[1] - from[1]));
        }
    }
    ranges.sources_m = *sources;
    return ranges;
}

std::string doubt_of_swapped_axes(const SurveyRanges& ranges) {
    if (!ranges.receivers_m) return {};
    const auto [low, high] = *ranges.receivers_m;
    const auto& [from, to] = ranges.sources_m;
    const bool one_depth = low[2] == high[2] && from[0] == to[0] && from[0] == low[2];
    const bool as_receivers = from[2] >= low[0] && to[2] <= high[0];
    if (!one_depth || !as_receivers || from[2] == low[2]) return {};
    return "all sources lie at x = " + number_text(from[0]) +
           " m, which is the depth of the receivers, and at z = " + number_text(from[2]) +
           (to[2] > from[2] ? " to " + number_text(to[2]) : "") + " m: were x and z swapped?";
}

}  // namespace onda
