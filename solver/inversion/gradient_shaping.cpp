#include "solver/inversion/gradient_shaping.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "solver/imaging/finished_image.hpp"
#include "solver/model/helmholtz_smoothing.hpp"

namespace onda {
namespace {

/// An error that leaves x'My and y'Mx alike to 1e-5, which methods of optimisation presume.
constexpr SmoothingGoal kShapingGoal{.tolerance = 1e-6};

/// Shots share their receivers.
std::vector<Position> without_copies(std::span<const Position> points_m) {
    std::vector<Position> once(points_m.begin(), points_m.end());
    std::ranges::sort(once);
    once.erase(std::unique(once.begin(), once.end()), once.end());
    return once;
}

/// First and last + 1 of the nodes along an axis that lie within a radius of a position; all of an axis that the grid
/// does not have.
std::pair<std::int64_t, std::int64_t> nodes_within(const Grid& grid, std::size_t axis, double position_m,
                                                   double radius_m) {
    if (!grid.has_axis(static_cast<int>(axis))) return {0, grid.n[axis]};
    const auto last = static_cast<double>(grid.n[axis] - 1), h = grid.spacing_m[axis];
    const double place_m = position_m - grid.origin_m[axis];
    const double low = std::clamp(std::ceil((place_m - radius_m) / h), 0., last + 1.);
    const double high = std::clamp(std::floor((place_m + radius_m) / h), -1., last);
    return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high) + 1};
}

/// The square of a distance along an axis.
double square_along(const Grid& grid, std::size_t axis, std::int64_t node, double position_m) {
    if (!grid.has_axis(static_cast<int>(axis))) return 0.;
    const double distance_m = grid.origin_m[axis] + static_cast<double>(node) * grid.spacing_m[axis] - position_m;
    return distance_m * distance_m;
}

/// Lowers the squares of the distances [m^2] of a plane of nodes to those from a point.
void lower_to_distance(const Grid& grid, std::int64_t z, const Position& point_m, double radius_m,
                       std::span<double> plane) {
    const double along_z = square_along(grid, 2, z, point_m[2]);
    if (along_z >= radius_m * radius_m) return;
    const auto xs = nodes_within(grid, 0, point_m[0], radius_m), ys = nodes_within(grid, 1, point_m[1], radius_m);
    for (std::int64_t y = ys.first; y < ys.second; ++y) {
        const double along_yz = along_z + square_along(grid, 1, y, point_m[1]);
        for (std::int64_t x = xs.first; x < xs.second; ++x) {
            double& square = plane[static_cast<std::size_t>(y * grid.nx() + x)];
            square = std::min(square, along_yz + square_along(grid, 0, x, point_m[0]));
        }
    }
}

/// Divides by the mean over nodes that are not held.
void make_mean_one(std::span<float> values, const std::vector<bool>& held) {
    double sum = 0., count = 0.;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (held[i]) continue;
        sum += static_cast<double>(values[i]);
        count += 1.;
    }
    if (!(sum > 0.)) return;
    for (float& value : values) value = static_cast<float>(static_cast<double>(value) * count / sum);
}

}  // namespace

std::vector<bool> held_nodes(const Grid& grid, std::span<const float> vp_start, const InversionConfig& config,
                             std::span<const float> mask) {
    std::vector<bool> held = nodes_in_water(vp_start, config.water_m_s);
    held.resize(vp_start.size());
    for (std::size_t i = 0; i < mask.size(); ++i)
        if (mask[i] == 0.F) held[i] = true;
    if (!(config.hold_depth_m > 0.)) return held;
    const double planes = std::floor(config.hold_depth_m / grid.spacing_m[2] + kSamePlace) + 1.;
    const std::int64_t count =
        grid.nx() * grid.ny() * static_cast<std::int64_t>(std::min(planes, static_cast<double>(grid.nz())));
    std::fill_n(held.begin(), count, true);
    return held;
}

std::vector<float> radial_taper(const Grid& grid, std::span<const Position> points_m, double radius_m) {
    std::vector<float> taper(static_cast<std::size_t>(grid.points()), 1.F);
    if (!(radius_m > 0.)) return taper;
    const std::vector<Position> points = without_copies(points_m);
    const auto nodes_of_plane = static_cast<std::size_t>(grid.nx() * grid.ny());
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        std::vector<double> squares(nodes_of_plane, radius_m * radius_m);
        for (const Position& point_m : points) lower_to_distance(grid, z, point_m, radius_m, squares);
        for (std::size_t i = 0; i < nodes_of_plane; ++i)
            if (squares[i] < radius_m * radius_m)
                taper[static_cast<std::size_t>(z) * nodes_of_plane + i] =
                    static_cast<float>(0.5 - 0.5 * std::cos(std::numbers::pi * std::sqrt(squares[i]) / radius_m));
    }
    return taper;
}

GradientShaping::GradientShaping(const Grid& grid, const InversionConfig& config, std::span<const float> vp_m_s,
                                 double frequency_hz, std::span<const Position> sources_m,
                                 std::span<const Position> receivers_m, const std::vector<bool>& held,
                                 std::span<const float> mask)
    : grid_(grid),
      illuminates_(config.precondition == "illumination"),
      floor_(config.floor),
      taper_(radial_taper(grid, sources_m, config.source_taper_m)),
      held_(held) {
    if (!illuminates_ && config.precondition != "none")
        throw std::invalid_argument("an inversion preconditioned by what is no illumination");
    if (held_.empty()) held_.resize(taper_.size());
    const std::vector<float> of_receivers = radial_taper(grid, receivers_m, config.receiver_taper_m);
    for (std::size_t i = 0; i < taper_.size(); ++i) taper_[i] = held_[i] ? 0.F : taper_[i] * of_receivers[i];
    for (std::size_t i = 0; i < mask.size(); ++i) taper_[i] *= mask[i];
    if (config.smooth_wavelengths > 0.)
        lengths_m_ = parts_of_wavelengths(std::vector<double>(vp_m_s.begin(), vp_m_s.end()), frequency_hz,
                                          config.smooth_wavelengths);
}

void GradientShaping::set_illumination(std::span<const float> source, std::span<const float> receiver) {
    diagonal_.clear();
    if (!illuminates_ || source.empty()) return;
    // Divided as values of the size of the illumination are: quotients of order one, in whatever unit it is.
    double size = static_cast<double>(*std::ranges::max_element(source));
    if (!receiver.empty()) size = std::sqrt(size * static_cast<double>(*std::ranges::max_element(receiver)));
    if (!(size > 0.)) return;
    diagonal_.assign(source.size(), static_cast<float>(size));
    divide_by_illumination(diagonal_, source, receiver, receiver.empty() ? "source" : "both", floor_);
    make_mean_one(diagonal_, held_);
}

std::vector<double> GradientShaping::smoothed(std::vector<double> values) const {
    if (lengths_m_.empty()) return values;
    return smooth_by_lengths(grid_, values, lengths_m_, kShapingGoal).values;
}

void GradientShaping::apply(std::span<float> block) const {
    std::vector<double> values(block.size());
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(block[i]) * static_cast<double>(taper_[i]);
    values = smoothed(std::move(values));
#pragma omp parallel for
    for (std::size_t i = 0; i < diagonal_.size(); ++i) values[i] *= static_cast<double>(diagonal_[i]);
    values = smoothed(std::move(values));
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i)
        block[i] = static_cast<float>(values[i] * static_cast<double>(taper_[i]));
}

}  // namespace onda
