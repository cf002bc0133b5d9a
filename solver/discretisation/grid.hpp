/// \file
/// The grid that a configuration describes, and which positions lie on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

using Position = std::array<double, 3>;  ///< (x, y, z) [m]; y = 0 in 2-D

/// Positions closer than this fraction of a spacing count as the same place: on a node, on a face, inside the grid. Far
/// above the rounding of positions, and far below what any wave notices.
inline constexpr double kSamePlace = 1e-6;

/// The grid of a configuration. \throws Error(config), also for nodes so far from 0 that double precision does not tell
/// kSamePlace there.
Grid make_grid(const GridConfig& config, const ConfigOrigin& origin);

/// The shape of a grid in words: "301 x 201" or "100 x 100 x 50".
std::string shape_text(const Grid& grid);

/// Position of the last node along an axis [m].
inline double last_m(const Grid& grid, int axis) {
    return grid.origin_m[axis] + static_cast<double>(grid.n[axis] - 1) * grid.spacing_m[axis];
}

/// The node nearest to a position, clamped to the grid.
std::array<std::int64_t, 3> nearest_node(const Grid& grid, const Position& position_m);

/// The first axis along which a position lies outside the grid, beyond kSamePlace; -1 if it lies inside.
int axis_outside(const Grid& grid, const Position& position_m);
/// What a position outside the grid may be meant as: "; is grid.spacing_m = 0.01 in km? Write 10" for one far outside a
/// small grid that would lie inside it, were its spacing in km; that z points down, for a height; that nx comes before
/// nz, for one that would lie inside a grid of that shape. Empty for others.
std::string outside_hint(const Grid& grid, const Position& position_m);
/// Adds an error of the position that is written at `key` if it lies outside the grid. \return whether it lies inside.
bool check_inside(const Grid& grid, const Position& position_m, const std::string& key, StageFaults& faults);

}  // namespace onda
