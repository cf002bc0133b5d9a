/// \file
/// The aperture of shots: the part of the grid that each of them is computed on.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/grid/grid.hpp"
#include "solver/survey/positions.hpp"

namespace onda {

/// The nodes within a distance, measured along x and along y, of the sources and receivers of a shot; every depth of
/// them, for what a shot records comes from below its spread.
class Aperture {
public:
    /// \param limit_m the distance, 0 or more. \param least_nodes along x and y of any part; more than the grid has
    /// means all of them.
    Aperture(const Grid& grid, double limit_m, std::int64_t least_nodes)
        : grid_(grid), limit_m_(limit_m), least_nodes_(least_nodes) {}

    [[nodiscard]] double limit_m() const { return limit_m_; }
    /// The part, in nodes of the grid. \param spread the box round sources and receivers, inside the grid.
    [[nodiscard]] Window part(const PositionBox& spread) const;

private:
    Grid grid_;
    double limit_m_;
    std::int64_t least_nodes_;
};

/// The nodes of a part of a grid, at their positions.
Grid grid_of_part(const Grid& grid, const Window& part);

/// What of a window of the whole grid lies in a part of it.
struct WindowInPart {
    Window window;                        ///< in nodes of the part; without points where nothing does
    std::array<std::int64_t, 3> first{};  ///< where that begins in the whole window, in its points
};
WindowInPart window_in_part(const Window& of_grid, const Window& part);
/// Puts the values of what lies in the part, [z][y][x], into those of the whole window; leaves the others.
void put_into_window(const Window& of_grid, const WindowInPart& in_part, std::span<const float> values,
                     std::span<float> whole);
/// The values of what lies in the part, [z][y][x], of those of the whole window.
std::vector<float> taken_from_window(const Window& of_grid, const WindowInPart& in_part, std::span<const float> whole);

}  // namespace onda
