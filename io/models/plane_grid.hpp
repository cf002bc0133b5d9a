/// \file
/// A regular grid in the plane, in any direction, fitted to coordinates that were rounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace onda {

using PlanePoint = std::array<double, 2>;  ///< x and y [m]

/// Node (column, row) lies at first_m + column * along_columns_m + row * along_rows_m.
struct PlaneGrid {
    PlanePoint first_m{}, along_columns_m{}, along_rows_m{};
    /// Standard deviations of the two steps, along each axis, if coordinates are rounded to steps of resolution_m.
    double column_error_m = 0., row_error_m = 0.;
    /// Errors that the rounding of the ends of a row, or a column, cannot exceed: on short lines less than three
    /// standard deviations.
    double most_column_error_m = 0., most_row_error_m = 0.;
    double farthest_m = 0.;    ///< the largest distance of a coordinate from its node
    std::size_t farthest = 0;  ///< the node where it is

    /// Distances of neighbouring nodes: rounded to the fewest decimals that differ by less than three standard
    /// deviations and the largest error. Of one column, or one row, 0.
    [[nodiscard]] PlanePoint spacing_m() const;
    /// Directions of columns and rows, clockwise from y, 0 to 360 degrees.
    [[nodiscard]] PlanePoint azimuths_deg() const;
    /// Whether the two directions are perpendicular, within one part in a hundred or three standard deviations.
    [[nodiscard]] bool is_rectangular() const;
};

/// The grid with the least sum of squared distances from its nodes to the coordinates (linear regression on the
/// indices; on a full rectangle the two are independent, and each step is Σ (i - ī) r / Σ (i - ī)²). \param
/// coordinates_m of the nodes, row after row; \param columns, rows how many there are: their product is the number of
/// coordinates. \param resolution_m of every coordinate, for the errors.
PlaneGrid fit_plane_grid(std::span<const PlanePoint> coordinates_m, std::int64_t columns, std::int64_t rows,
                         double resolution_m);

}  // namespace onda
