#include "io/models/plane_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace onda {
namespace {

constexpr double kRightAngle = 0.01;  ///< the cosine up to which directions are perpendicular

double length(const PlanePoint& step) {
    return std::hypot(step[0], step[1]);
}

double azimuth_deg(const PlanePoint& direction) {
    const double degrees = std::atan2(direction[0], direction[1]) * 180. / std::numbers::pi;
    return degrees < 0. ? degrees + 360. : degrees;
}

/// The number with the fewest decimals that differs from another by less than `by`.
double rounded_within(double value, double by) {
    constexpr int most_decimals = 9;
    for (int decimals = -static_cast<int>(std::floor(std::log10(value))); decimals <= most_decimals; ++decimals) {
        const double unit = std::pow(10., decimals);
        const double rounded =
            decimals < 0 ? std::round(value * unit) * std::pow(10., -decimals) : std::round(value * unit) / unit;
        if (std::abs(rounded - value) < std::max(by, 1e-9 * value)) return rounded;
    }
    return value;
}

/// Σ (i - ī)² for i = 0 … count - 1.
double spread(std::int64_t count) {
    const auto n = static_cast<double>(count);
    return n * (n * n - 1.) / 12.;
}

}  // namespace

PlanePoint PlaneGrid::spacing_m() const {
    const auto of = [](const PlanePoint& step, double error_m, double most_error_m) {
        return length(step) > 0. ? rounded_within(length(step), std::min(3. * error_m, most_error_m)) : 0.;
    };
    return {of(along_columns_m, column_error_m, most_column_error_m), of(along_rows_m, row_error_m, most_row_error_m)};
}

PlanePoint PlaneGrid::azimuths_deg() const {
    return {azimuth_deg(along_columns_m), azimuth_deg(along_rows_m)};
}

bool PlaneGrid::is_rectangular() const {
    const PlanePoint &u = along_columns_m, &v = along_rows_m;
    const double across = length(u), along = length(v);
    if (!(across > 0.) || !(along > 0.)) return true;
    const double allowed = std::max(kRightAngle, 3. * (column_error_m / across + row_error_m / along));
    return std::abs(u[0] * v[0] + u[1] * v[1]) <= allowed * across * along;
}

PlaneGrid fit_plane_grid(std::span<const PlanePoint> coordinates_m, std::int64_t columns, std::int64_t rows,
                         double resolution_m) {
    const auto column_of = [columns](std::size_t i) {
        return static_cast<double>(static_cast<std::int64_t>(i) % columns);
    };
    const auto row_of = [columns](std::size_t i) {
        return static_cast<double>(static_cast<std::int64_t>(i) / columns);
    };
    const double mid_column = 0.5 * static_cast<double>(columns - 1), mid_row = 0.5 * static_cast<double>(rows - 1);
    const double of_columns = spread(columns) * static_cast<double>(rows);
    const double of_rows = spread(rows) * static_cast<double>(columns);
    PlaneGrid grid;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        // Large coordinates lose no digits in sums of their differences.
        const double reference = coordinates_m.front()[axis];
        double mean = 0., by_column = 0., by_row = 0.;
        for (std::size_t i = 0; i < coordinates_m.size(); ++i) {
            const double value = coordinates_m[i][axis] - reference;
            mean += value;
            by_column += (column_of(i) - mid_column) * value;
            by_row += (row_of(i) - mid_row) * value;
        }
        mean /= static_cast<double>(coordinates_m.size());
        grid.along_columns_m[axis] = columns > 1 ? by_column / of_columns : 0.;
        grid.along_rows_m[axis] = rows > 1 ? by_row / of_rows : 0.;
        grid.first_m[axis] =
            reference + mean - mid_column * grid.along_columns_m[axis] - mid_row * grid.along_rows_m[axis];
    }
    const double error_m = resolution_m / std::sqrt(12.);  // of numbers rounded to whole steps
    if (columns > 1) {
        grid.column_error_m = error_m / std::sqrt(of_columns);
        grid.most_column_error_m = resolution_m / static_cast<double>(columns - 1);
    }
    if (rows > 1) {
        grid.row_error_m = error_m / std::sqrt(of_rows);
        grid.most_row_error_m = resolution_m / static_cast<double>(rows - 1);
    }
    for (std::size_t i = 0; i < coordinates_m.size(); ++i) {
        const auto off = [&](std::size_t axis) {
            return coordinates_m[i][axis] - grid.first_m[axis] - column_of(i) * grid.along_columns_m[axis] -
                   row_of(i) * grid.along_rows_m[axis];
        };
        const double distance_m = std::hypot(off(0), off(1));
        if (distance_m <= grid.farthest_m) continue;
        grid.farthest_m = distance_m;
        grid.farthest = i;
    }
    return grid;
}

}  // namespace onda
