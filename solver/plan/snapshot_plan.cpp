#include "solver/plan/snapshot_plan.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/number_text.hpp"
#include "solver/discretisation/grid.hpp"

namespace onda {
namespace {

constexpr const char* kTimes = "output.snapshots.times_s";
constexpr const char* kEvery = "output.snapshots.every_s";
constexpr double kRounding = 1e-9;  // of an interval: the record's end is a multiple of it but for rounding
constexpr const char* kLow = "output.snapshots.window_min_m";
constexpr const char* kHigh = "output.snapshots.window_max_m";

/// The k-th number of a per-axis setting: one for all axes, or pairs (x, z) and triples (x, y, z).
template <typename T>
T on_axis(const std::vector<T>& values, int axis, T otherwise) {
    if (values.empty()) return otherwise;
    if (values.size() == 1) return values.front();
    return values[static_cast<std::size_t>(values.size() == 2 && axis == 2 ? 1 : axis)];
}

/// The hint that whole numbers are halves of times, as those of [0,3, 0,6]; empty where they make no times of the run.
std::string comma_hint(const std::vector<double>& times_s, double duration_s) {
    const auto is_whole = [](double time_s) { return time_s >= 0. && time_s < 1e6 && time_s == std::floor(time_s); };
    if (times_s.size() % 2 != 0 || !std::ranges::all_of(times_s, is_whole)) return "";
    std::string meant;
    double last_s = -1.;
    for (std::size_t i = 0; i < times_s.size(); i += 2) {
        const std::string text = number_text(times_s[i]) + "." + number_text(times_s[i + 1]);
        const double time_s = finite_number(text).value_or(-1.);
        if (!(time_s > last_s && time_s <= duration_s)) return "";
        meant += (meant.empty() ? "" : ", ") + text;
        last_s = time_s;
    }
    return "; if its commas are decimal signs, write [" + meant + "]";
}

void check_times(const std::vector<double>& times_s, double duration_s, StageFaults& faults) {
    const std::string hint = comma_hint(times_s, duration_s);
    for (std::size_t i = 0; i < times_s.size(); ++i) {
        if (i > 0 && !(times_s[i] > times_s[i - 1])) return faults.add_of_value(kTimes, "must ascend" + hint);
        if (times_s[i] < 0.) return faults.add_of_value(kTimes, number_text(times_s[i]) + " s is before the beginning");
        if (!(times_s[i] <= duration_s))
            return faults.add_of_value(kTimes, number_text(times_s[i]) + " s is after the end, time.duration_s = " +
                                                   number_text(duration_s) + hint);
    }
}

void check_interval(const std::optional<double>& every_s, double duration_s, StageFaults& faults) {
    if (every_s && *every_s > duration_s * (1. + kRounding))
        faults.add_of_value(kEvery, "no snapshot: is longer than time.duration_s = " + number_text(duration_s));
}

/// The corners of the window, ascending and inside the grid.
std::array<Position, 2> window_corners(const SnapshotConfig& config, const Grid& grid, StageFaults& faults) {
    Position low = grid.origin_m, high = grid.position_m(grid.nx() - 1, grid.ny() - 1, grid.nz() - 1);
    for (int a = 0; a < 3; ++a)
        if (grid.has_axis(a)) {
            low[a] = on_axis(config.window_min_m, a, low[a]);
            high[a] = on_axis(config.window_max_m, a, high[a]);
        }
    const bool low_inside = check_inside(grid, low, kLow, faults),
               high_inside = check_inside(grid, high, kHigh, faults);
    if (!low_inside || !high_inside) return {low, high};
    for (int a = 0; a < 3; ++a)
        if (grid.has_axis(a) && low[a] > high[a] && !config.window_min_m.empty() && !config.window_max_m.empty()) {
            faults.add_of_value(kHigh, fmt::format("must not lie below window_min_m along {}", "xyz"[a]));
            break;
        }
    return {low, high};
}

/// All nodes between two positions.
Window nodes_between(const std::array<Position, 2>& corners, const Grid& grid, const ConfigOrigin& origin) {
    Window window = Window::whole(grid);
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const auto a = static_cast<std::size_t>(axis);
        const double h = grid.spacing_m[a], slack = kSamePlace * h, low = corners[0][a], high = corners[1][a];
        window.first[a] = static_cast<std::int64_t>(std::ceil((low - slack - grid.origin_m[a]) / h));
        const auto end = static_cast<std::int64_t>(std::floor((high + slack - grid.origin_m[a]) / h));
        if (end < window.first[a]) origin.fault(kHigh, fmt::format("no node lies between {:g} and {:g} m", low, high));
        window.count[a] = end - window.first[a] + 1;
    }
    return window;
}

Window decimated(Window window, const std::vector<std::int64_t>& decimation, const Grid& grid) {
    for (int axis = 0; axis < 3; ++axis) {
        if (!grid.has_axis(axis)) continue;
        const auto a = static_cast<std::size_t>(axis);
        window.step[a] = on_axis(decimation, axis, std::int64_t{1});
        window.count[a] = (window.count[a] - 1) / window.step[a] + 1;
    }
    return window;
}

FileGeometry geometry_of(const Window& window, const Grid& grid) {
    FileGeometry geometry;
    geometry.dimensions = grid.dimensions;
    geometry.shape = window.count;
    geometry.origin_m = grid.position_m(window.first[0], window.first[1], window.first[2]);
    for (std::size_t a = 0; a < 3; ++a) geometry.spacing_m[a] = grid.spacing_m[a] * static_cast<double>(window.step[a]);
    return geometry;
}

}  // namespace

SnapshotPlan plan_snapshots(const SnapshotConfig& config, double duration_s, const Grid& grid,
                            const ConfigOrigin& origin) {
    if (!config.enabled()) return {};
    StageFaults faults(origin);
    check_times(config.times_s, duration_s, faults);
    check_interval(config.every_s, duration_s, faults);
    const auto corners = window_corners(config, grid, faults);
    faults.raise_if_any();
    SnapshotPlan plan;
    const Window all = nodes_between(corners, grid, origin);
    plan.window_nodes = all.count;
    plan.window = decimated(all, config.decimation, grid);
    plan.geometry = geometry_of(plan.window, grid);
    return plan;
}

void check_snapshot_interval(const SnapshotConfig& config, const TimeAxis& time, const ConfigOrigin& origin) {
    if (!config.every_s || *config.every_s >= time.recorded_dt_s() * (1. - kRounding)) return;
    origin.fault(kEvery, fmt::format("{} s is less than {} of {:.6g} s, after which the wavefield is known next: use "
                                     "that or more, or output.snapshots.every_steps: {}",
                                     number_text(*config.every_s), time.stride == 1 ? "the time step" : "a leap",
                                     time.recorded_dt_s(), time.stride));
}

StepSet snapshot_steps(const SnapshotConfig& config, double duration_s, const TimeAxis& time) {
    std::vector<std::int64_t> steps;
    for (const double t : config.times_s) steps.push_back(time.nearest_step(t / time.dt_s));
    if (!config.every_s) return {config.every_steps.value_or(0), time.steps - time.extra_steps, std::move(steps)};
    return {RegularSteps{std::max(1., *config.every_s / time.recorded_dt_s()), time.stride,
                         static_cast<std::int64_t>(std::floor(duration_s / *config.every_s + kRounding))},
            std::move(steps)};
}

}  // namespace onda
