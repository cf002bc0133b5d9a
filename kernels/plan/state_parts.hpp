/// \file
/// The names and extents under which every device gives the state of a strip (StatePart).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// The state of one memory variable of a strip. \param face 2 * axis + (0 low, 1 high); \param width of the strip;
/// \param variable "psi" or "zeta".
inline StatePart strip_state(const Grid& grid, int face, std::int64_t width, const char* variable,
                             std::int64_t element_bytes) {
    constexpr const char* faces[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    return {std::string("cpml.") + faces[face] + "." + variable, strip_grid(grid, face, width).n, element_bytes};
}

}  // namespace onda
