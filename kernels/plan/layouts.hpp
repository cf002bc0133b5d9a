/// \file
/// How the arrays of a set-up lie in the memory of a device.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/equations/equation.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// What layouts depend on beside the problem.
struct LayoutRules {
    std::int64_t element_bytes = 4;
    std::int64_t halo_unit = 1;  ///< halos along x are multiples of this many elements
};

/// The layout of an array with at least these nodes of halo on either side of each axis.
inline Layout padded_layout(const Grid& grid, std::array<std::int64_t, 3> halo, const LayoutRules& rules) {
    halo[0] = (halo[0] + rules.halo_unit - 1) / rules.halo_unit * rules.halo_unit;
    return {grid, halo, static_cast<int>(rules.element_bytes)};
}

/// Nodes of an array of the medium beyond the faces of each axis.
inline std::array<std::int64_t, 3> medium_halo(const Problem& problem, const MediumArray& array) {
    const std::int64_t r = array.has_halo ? problem.scheme.radius() : 0;
    return {r, problem.grid.dimensions == 3 ? r : 0, r};
}

/// The layout of an array of the medium.
inline Layout medium_layout(const Problem& problem, const MediumArray& array, LayoutRules rules) {
    rules.element_bytes = problem.medium.element_bytes(rules.element_bytes);
    return padded_layout(problem.grid, medium_halo(problem, array), rules);
}

/// The layout of a memory field: that of k in numbers.
inline Layout memory_layout(const Problem& problem, const LayoutRules& rules) {
    return padded_layout(problem.grid, {}, rules);
}

/// The layout of a time level of a field. \param grid the problem's, or that of several shots side by side.
inline Layout field_layout(const Problem& problem, const Grid& grid, const LayoutRules& rules) {
    const std::int64_t r = problem.scheme.halo();
    return padded_layout(grid, {r, grid.dimensions == 3 ? r : 0, r}, rules);
}

}  // namespace onda
