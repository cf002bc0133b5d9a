#include "io/pictures/thinned_marks.hpp"

#include <algorithm>
#include <cmath>

namespace onda {
namespace {

/// The distinct coordinates along an axis, ascending; what differs by less than `same` is one.
std::vector<double> lines_along(std::span<const std::array<double, 2>> places, std::size_t axis, double same) {
    std::vector<double> lines;
    for (const auto& place : places) lines.push_back(place[axis]);
    std::ranges::sort(lines);
    const auto end = std::unique(lines.begin(), lines.end(), [same](double a, double b) { return b - a < same; });
    lines.erase(end, lines.end());
    return lines;
}

/// The least step between lines, which are about evenly spaced, that leaves them `least` apart.
std::size_t step_of(const std::vector<double>& lines, double least) {
    if (lines.size() < 2) return 1;
    const double spacing = (lines.back() - lines.front()) / static_cast<double>(lines.size() - 1);
    return static_cast<std::size_t>(std::max(1., std::ceil(least / spacing * (1. - 1e-9))));
}

std::vector<std::size_t> every(std::size_t count, std::size_t step) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < count; i += step) kept.push_back(i);
    return kept;
}

/// Half of the distances between neighbours in the list are less.
double usual_distance(std::span<const std::array<double, 2>> places) {
    std::vector<double> distances;
    for (std::size_t i = 1; i < places.size(); ++i)
        distances.push_back(std::hypot(places[i][0] - places[i - 1][0], places[i][1] - places[i - 1][1]));
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    return *middle;
}

}  // namespace

std::vector<std::size_t> evenly_thinned(std::span<const std::array<double, 2>> places, double least) {
    if (places.size() < 2 || !(least > 0.)) return every(places.size(), 1);
    const double same = 0.02 * least;
    const std::vector<double> columns = lines_along(places, 0, same), rows = lines_along(places, 1, same);
    const bool is_grid = columns.size() * rows.size() <= 2 * places.size();
    if (!is_grid) {
        const double usual = usual_distance(places);
        const double step = usual > 0. ? std::ceil(least / usual * (1. - 1e-9)) : static_cast<double>(places.size());
        return every(places.size(), static_cast<std::size_t>(std::clamp(step, 1., static_cast<double>(places.size()))));
    }
    const std::size_t across = step_of(columns, least), down = step_of(rows, least);
    const auto number = [](const std::vector<double>& lines, double at) {
        return static_cast<std::size_t>(std::ranges::upper_bound(lines, at) - lines.begin()) - 1;
    };
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (number(columns, places[i][0]) % across == 0 && number(rows, places[i][1]) % down == 0) kept.push_back(i);
    return kept;
}

}  // namespace onda
