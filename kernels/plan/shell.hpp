/// \file
/// Where a grid applies k L twice at once, and where with something in between: the shell.
///
/// A leap is two time steps only where nothing else happens in between: no strip, no image of a mirror. So nodes near
/// faces, the shell, step singly, from level n to n + 1 and on to n + 2. The nodes that leap begin where both
/// applications find plain nodes; the level n + 1 is needed as far again as the operator reaches from the last node of
/// the shell. With strips that change W + r nodes, those are the first W + 2r and W + 3r nodes of an axis.
///
/// A step of order 4 in time applies strips and images with k L, twice: in its shell it first computes u = A p, strips
/// and all, in the place of the odd level, and then p[n+1] from it. Where u is kept (Problem::keeps_applied) all nodes
/// are its shell. Strips that are no part of the operator act after the step and make no shell. Its second pass reads
/// p[n-1], which kernels may have overwritten in front of the box, from a whole vector on: so this box begins on one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/equations/star/leap.hpp"
#include "kernels/equations/star/whole_vectors.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// A box of nodes: [low, high) along x, y, z; empty if it has none along some axis.
struct Box {
    std::array<std::int64_t, 3> low{}, high{};

    [[nodiscard]] bool empty() const { return low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2]; }
    [[nodiscard]] std::int64_t points() const {
        return empty() ? 0 : (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
    }
    [[nodiscard]] bool contains(const std::array<std::int64_t, 3>& node) const {
        for (std::size_t a = 0; a < 3; ++a)
            if (node[a] < low[a] || node[a] >= high[a]) return false;
        return true;
    }
    /// The box without so many nodes at each face; what is left of an axis may be nothing.
    [[nodiscard]] Box without(const std::array<std::int64_t, 6>& widths) const {
        Box inner = *this;
        for (std::size_t a = 0; a < 3; ++a) {
            inner.low[a] = std::min(low[a] + widths[2 * a], high[a]);
            inner.high[a] = std::max(high[a] - widths[2 * a + 1], inner.low[a]);
        }
        return inner;
    }
    bool operator==(const Box&) const = default;
};

/// The parts of a grid in a leap, or in a step of order 4 in time.
struct Shell {
    Box grid;    ///< all nodes
    Box leap;    ///< those that leap; all others of the grid step singly
    Box no_odd;  ///< those whose level n + 1, or u, nobody needs: within `leap`, as far inside as the operator reaches

    [[nodiscard]] bool empty() const { return leap == grid; }
};

/// The nodes inside a face that do not leap, on a grid that has as many.
inline std::int64_t shell_width(const Problem& problem, int face) {
    if (!problem.grid.has_axis(face / 2)) return 0;
    std::int64_t reach = 0;
    for (const auto& strip : problem.strips)
        if (problem.stepping == Stepping::leap || strip->in_operator())
            reach = std::max(reach, strip->reach(problem, face));
    // Beyond a zero face p and k L(p) are zero at every level: it needs no shell.
    if (reach == 0 && problem.halos[static_cast<std::size_t>(face)] == Halo::zero) return 0;
    const std::int64_t width = reach + problem.scheme.radius();
    if (face > 0 || problem.stepping == Stepping::leap) return width;
    return (width + kWholeVectors - 1) / kWholeVectors * kWholeVectors;
}

/// The nodes inside a face whose level n + 1, or u, is computed, on a grid that has as many.
inline std::int64_t odd_width(const Problem& problem, int face) {
    const std::int64_t shell = shell_width(problem, face);
    return shell > 0 ? shell + problem.scheme.radius() : 0;
}

/// The parts of the grid of a problem.
inline Shell shell_of(const Problem& problem) {
    std::array<std::int64_t, 6> leap{}, odd{};
    for (int face = 0; face < 6; ++face) {
        leap[static_cast<std::size_t>(face)] = shell_width(problem, face);
        odd[static_cast<std::size_t>(face)] = odd_width(problem, face);
    }
    Shell shell;
    shell.grid = {{}, problem.grid.n};
    if (problem.keeps_applied) return shell;
    shell.leap = shell.grid.without(leap);
    shell.no_odd = shell.grid.without(odd);
    return shell;
}

/// Whether some nodes have an odd level, or u.
inline bool has_odd_level(const Problem& problem) {
    return problem.applications() == Applications::twice && !shell_of(problem).empty();
}

/// The factors of what a problem applies once and twice (Applications::twice).
template <typename T>
constexpr LeapWeights<T> leap_weights(const Problem& problem) {
    return problem.stepping == Stepping::leap ? LeapWeights<T>{} : kFourthOrder<T>;
}

/// The nodes whose odd level is kept, a box inside each face: the ends of all rows, then the rows near y faces between
/// them, then the planes near z faces between those. So a slab of the grid has its planes of the boxes near x and y
/// faces, and one at an end those near its z face. Some may be empty.
inline std::array<Box, 6> odd_boxes(const Shell& shell) {
    std::array<Box, 6> boxes;
    Box rest = shell.grid;
    for (const std::size_t axis : {0U, 1U, 2U}) {
        for (Box* box : {&boxes[2 * axis], &boxes[2 * axis + 1]}) *box = rest;
        boxes[2 * axis].high[axis] = shell.no_odd.low[axis];
        boxes[2 * axis + 1].low[axis] = shell.no_odd.high[axis];
        rest.low[axis] = shell.no_odd.low[axis];
        rest.high[axis] = shell.no_odd.high[axis];
    }
    return boxes;
}

}  // namespace onda
