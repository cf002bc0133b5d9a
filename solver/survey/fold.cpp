#include "solver/survey/fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace onda {
namespace {

constexpr double kMostBins = 4e6;    // a wrong coordinate must not fill the memory
constexpr double kNarrow = 0.02;     // a line is no wider than this part of its length
constexpr double kAlongAxis = 1e-6;  // a line that is turned by less lies along an axis
constexpr double kOnEdge = 1e-6;     // of a bin: midpoints so near to the edge of one are rounded alike

/// The direction along which midpoints vary most; nothing where there are none.
std::optional<Midpoint> main_direction(const Midpoints& midpoints) {
    std::optional<Midpoint> first;
    double count = 0., x_mean = 0., y_mean = 0., xx = 0., xy = 0., yy = 0.;
    midpoints([&](const Midpoint& at) {
        if (!first) first = at;
        const double x = at[0] - (*first)[0], y = at[1] - (*first)[1];
        count += 1.;
        x_mean += x, y_mean += y;
        xx += x * x, xy += x * y, yy += y * y;
    });
    if (!first) return {};
    x_mean /= count, y_mean /= count;
    xx -= count * x_mean * x_mean, xy -= count * x_mean * y_mean, yy -= count * y_mean * y_mean;
    const double angle = 0.5 * std::atan2(2. * xy, xx - yy);
    Midpoint direction{std::cos(angle), std::sin(angle)};
    if (std::abs(direction[1]) < kAlongAxis) direction = {1., 0.};
    if (std::abs(direction[0]) < kAlongAxis) direction = {0., 1.};
    return direction;
}

struct Extremes {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] double length() const { return high - low; }
};

/// Of all directions at one visit.
std::array<Extremes, 4> extremes_along(const Midpoints& midpoints, const std::array<Midpoint, 4>& directions) {
    std::array<Extremes, 4> extremes;
    midpoints([&](const Midpoint& at) {
        for (std::size_t i = 0; i < directions.size(); ++i)
            extremes[i].include(at[0] * directions[i][0] + at[1] * directions[i][1]);
    });
    return extremes;
}

}  // namespace

std::size_t Fold::fullest() const {
    return static_cast<std::size_t>(std::ranges::max_element(traces) - traces.begin());
}

std::array<double, 2> Fold::place_m(std::size_t bin) const {
    const auto index = static_cast<std::int64_t>(bin);
    const double column = bin_m * static_cast<double>(index % columns),
                 row = bin_m * static_cast<double>(index / columns);
    return {origin_m[0] + column * along[0] - row * along[1], origin_m[1] + column * along[1] + row * along[0]};
}

Midpoint midpoint_of(const Position& source_m, const Position& receiver_m) {
    return {0.5 * (source_m[0] + receiver_m[0]), 0.5 * (source_m[1] + receiver_m[1])};
}

Fold fold_of(const Midpoints& midpoints, double bin_m) {
    Fold fold;
    fold.bin_m = bin_m;
    const auto direction = main_direction(midpoints);
    if (!direction) return fold;
    fold.along = *direction;
    auto [along, across, along_x, along_y] =
        extremes_along(midpoints, {fold.along, Midpoint{-fold.along[1], fold.along[0]}, {1., 0.}, {0., 1.}});
    fold.is_line = across.length() <= std::max(bin_m, kNarrow * along.length());
    if (!fold.is_line) {
        fold.along = {1., 0.};
        along = along_x;
        across = along_y;
    }
    const auto bins = [&](const Extremes& of) { return std::floor(of.length() / fold.bin_m + 0.5) + 1.; };
    while (bins(along) * (fold.is_line ? 1. : bins(across)) > kMostBins) fold.bin_m *= 2.;
    fold.columns = static_cast<std::int64_t>(bins(along));
    fold.rows = fold.is_line ? 1 : static_cast<std::int64_t>(bins(across));
    const double middle = fold.is_line ? 0.5 * (across.low + across.high) : across.low;
    const Midpoint normal{-fold.along[1], fold.along[0]};
    fold.origin_m = {along.low * fold.along[0] + middle * normal[0], along.low * fold.along[1] + middle * normal[1],
                     0.};
    fold.traces.assign(static_cast<std::size_t>(fold.columns * fold.rows), 0.f);
    const auto index = [&](double distance, std::int64_t count) {
        return std::clamp<std::int64_t>(std::llround(distance / fold.bin_m - kOnEdge), 0, count - 1);
    };
    midpoints([&](const Midpoint& at) {
        const double x = at[0] - fold.origin_m[0], y = at[1] - fold.origin_m[1];
        const std::int64_t column = index(x * fold.along[0] + y * fold.along[1], fold.columns);
        const std::int64_t row = fold.is_line ? 0 : index(y, fold.rows);
        ++fold.traces[static_cast<std::size_t>(row * fold.columns + column)];
    });
    return fold;
}

Fold in_wider_bins(const Fold& fold, std::int64_t most) {
    std::int64_t times = 1;
    const auto bins = [&times](std::int64_t narrow) { return (narrow + times - 1) / times; };
    while (bins(fold.columns) * bins(fold.rows) > most) times *= 2;
    Fold wider = fold;
    wider.columns = bins(fold.columns);
    wider.rows = bins(fold.rows);
    wider.bin_m *= static_cast<double>(times);
    const double shift = 0.5 * (wider.bin_m - fold.bin_m), across = fold.is_line ? 0. : shift;
    wider.origin_m[0] += shift * fold.along[0];
    wider.origin_m[1] += shift * fold.along[1] + across;
    wider.traces.assign(static_cast<std::size_t>(wider.columns * wider.rows), 0.f);
    for (std::int64_t row = 0; row < fold.rows; ++row)
        for (std::int64_t column = 0; column < fold.columns; ++column)
            wider.traces[static_cast<std::size_t>(row / times * wider.columns + column / times)] +=
                fold.traces[static_cast<std::size_t>(row * fold.columns + column)];
    return wider;
}

double usual_bin_m(std::vector<double> distances_m) {
    std::erase(distances_m, 0.);
    if (distances_m.empty()) return 1.;
    const auto middle = distances_m.begin() + std::ssize(distances_m) / 2;
    std::ranges::nth_element(distances_m, middle);
    return 0.5 * *middle;
}

}  // namespace onda
