#include "solver/discretisation/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/number_text.hpp"

namespace onda {
namespace {

void check_values(const ConfigOrigin& origin, const std::string& key, const std::vector<double>& values,
                  bool positive) {
    for (const double value : values)
        if (!std::isfinite(value) || (positive && value <= 0.))
            origin.fault(key, fmt::format("{}: must be {}", value, positive ? "positive" : "a number"));
}

void check_shape(const GridConfig& config, const ConfigOrigin& origin) {
    const std::size_t dimensions = config.shape.size();
    if (dimensions != 2 && dimensions != 3)
        origin.fault("grid.shape", fmt::format("{}: must be [nx, nz] or [nx, ny, nz]", config.shape));
    if (*std::ranges::min_element(config.shape) < 2)
        origin.fault("grid.shape", fmt::format("{}: every axis needs at least 2 nodes", config.shape));
    if (config.spacing_m.size() != 1 && config.spacing_m.size() != dimensions)
        origin.fault("grid.spacing_m",
                     fmt::format("{}: must be one number or {}, one per axis", config.spacing_m, dimensions));
    if (!config.origin_m.empty() && config.origin_m.size() != dimensions)
        origin.fault("grid.origin_m", fmt::format("{}: must be {} numbers", config.origin_m, dimensions));
    check_values(origin, "grid.spacing_m", config.spacing_m, true);
    check_values(origin, "grid.origin_m", config.origin_m, false);
}

/// Positions are compared to kSamePlace of a spacing: they must be represented that finely.
void check_nodes_are_distinct(const Grid& grid, const std::string& key, const ConfigOrigin& origin) {
    constexpr double most = kSamePlace / std::numeric_limits<double>::epsilon();
    for (int axis = 0; axis < 3; ++axis) {
        const double farthest = std::max(std::abs(grid.origin_m[axis]), std::abs(last_m(grid, axis)));
        if (!grid.has_axis(axis) || farthest <= most * grid.spacing_m[axis]) continue;
        origin.value_fault(key,
                           fmt::format("{} reaches {} m, too far from 0 to tell positions {} m apart; choose an origin "
                                       "nearer to 0",
                                       "xyz"[axis], number_text(farthest), number_text(grid.spacing_m[axis])));
    }
}

}  // namespace

std::string shape_text(const Grid& grid) {
    return grid.dimensions == 2 ? fmt::format("{} x {}", grid.n[0], grid.n[2])
                                : fmt::format("{} x {} x {}", grid.n[0], grid.n[1], grid.n[2]);
}

Grid make_grid(const GridConfig& config, const ConfigOrigin& origin) {
    check_shape(config, origin);
    Grid grid;
    grid.dimensions = config.dimensions();
    for (std::size_t axis = 0, i = 0; axis < 3; ++axis) {
        if (!grid.has_axis(static_cast<int>(axis))) continue;
        grid.n[axis] = config.shape[i];
        grid.spacing_m[axis] = config.spacing_m.size() == 1 ? config.spacing_m[0] : config.spacing_m[i];
        grid.origin_m[axis] = config.origin_m.empty() ? 0. : config.origin_m[i];
        ++i;
    }
    check_nodes_are_distinct(grid, config.origin_m.empty() ? "grid.spacing_m" : "grid.origin_m", origin);
    return grid;
}

int axis_outside(const Grid& grid, const Position& position_m) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const double slack = kSamePlace * grid.spacing_m[axis];
        const double low = grid.origin_m[axis] - slack, high = last_m(grid, axis) + slack;
        if (!(position_m[axis] >= low && position_m[axis] <= high)) return axis;  // NaN, too
    }
    return -1;
}

namespace {

/// For positions far outside a grid whose spacing is too small for metres.
std::string kilometres_hint(const Grid& grid, const Position& position_m) {
    constexpr double small_m = 1.,
                     far = 10.;  // a spacing of seismics is larger; how many times as far as the grid goes
    const double spacing_m = *std::ranges::min_element(grid.spacing_m);
    bool is_far = false;
    Grid in_metres = grid;
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const double extent_m = last_m(grid, axis) - grid.origin_m[axis];
        is_far = is_far || std::abs(position_m[axis] - grid.origin_m[axis]) > far * extent_m;
        in_metres.spacing_m[axis] *= 1e3;
    }
    if (spacing_m >= small_m || !is_far || axis_outside(in_metres, position_m) >= 0) return "";
    return fmt::format("; is grid.spacing_m = {} in km? Write {}", number_text(spacing_m),
                       number_text(std::round(spacing_m * 1e9) / 1e6));
}

/// "; z points down: write 20", for -20, if that is inside.
std::string depth_hint(const Grid& grid, const Position& position_m) {
    Position below_m = position_m;
    below_m[2] = -position_m[2];
    if (!(position_m[2] < grid.origin_m[2]) || position_m[2] >= 0. || axis_outside(grid, below_m) >= 0) return "";
    return fmt::format("; z points down: write {}", number_text(below_m[2]));
}

/// For a position that would be inside if the shape began with nz.
std::string order_hint(const Grid& grid, const Position& position_m) {
    Grid turned = grid;
    std::swap(turned.n[0], turned.n[2]);
    if (turned.n[0] == grid.n[0] || axis_outside(turned, position_m) >= 0) return "";
    return grid.dimensions == 2
               ? fmt::format("; the order of grid.shape is [nx, nz]: write [{}, {}] if x has {} nodes", turned.nx(),
                             turned.nz(), turned.nx())
               : fmt::format("; the order of grid.shape is [nx, ny, nz]: write [{}, {}, {}] if x has {} nodes",
                             turned.nx(), turned.ny(), turned.nz(), turned.nx());
}

}  // namespace

std::string outside_hint(const Grid& grid, const Position& position_m) {
    for (const auto hint : {kilometres_hint, depth_hint, order_hint})
        if (std::string text = hint(grid, position_m); !text.empty()) return text;
    return "";
}

bool check_inside(const Grid& grid, const Position& position_m, const std::string& key, StageFaults& faults) {
    const int axis = axis_outside(grid, position_m);
    if (axis < 0) return true;
    faults.add_of_value(key, fmt::format("{} = {} is outside the grid, which spans {} to {} m{}", "xyz"[axis],
                                         number_text(position_m[axis]), number_text(grid.origin_m[axis]),
                                         number_text(last_m(grid, axis)), outside_hint(grid, position_m)));
    return false;
}

std::array<std::int64_t, 3> nearest_node(const Grid& grid, const Position& position_m) {
    std::array<std::int64_t, 3> node{};
    for (std::size_t a = 0; a < 3; ++a) {
        const double index = (position_m[a] - grid.origin_m[a]) / grid.spacing_m[a];
        node[a] = std::clamp<std::int64_t>(std::llround(index), 0, grid.n[a] - 1);
    }
    return node;
}

}  // namespace onda
