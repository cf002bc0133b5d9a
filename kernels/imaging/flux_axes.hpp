/// \file
/// The places halfway between nodes where the equation of variable density takes its first derivatives
/// (kernels/equations/density/staggered.hpp), for what images take of them.
///
/// Along an axis the operator is D* b D: D p lies on half nodes, and so does the buoyancy b. Beyond a face without a
/// mirror there are as many half nodes as D* reaches, with the buoyancy of the face's nodes; those beyond a mirror are
/// images of those inside, and are not among them. Beside a cut D takes nodes of the neighbour's planes, which are
/// those of the halo there once FieldSet::exchange_planes() has brought them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/plan/shell.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// What lies at a place of an axis that may be beyond its faces: a value of the axis, times a sign; 0 where there is
/// none, of value 0.
struct AxisImage {
    std::int64_t from = 0;
    int sign = 0;
};

/// The half nodes of a slab at its cuts; where nothing is cut, both are the same.
enum class HalfNodes {
    owned,   ///< those behind its own nodes: each is that of one slab
    reached  ///< all that D* of its own nodes takes
};

/// The half nodes of one axis.
struct FluxAxis {
    int axis = 0;
    std::int64_t first = 0;                ///< the node before half node 0: 0 or less
    std::array<std::int64_t, 3> n{};       ///< half nodes along x, y, z: those of nodes but along the axis
    std::array<std::int64_t, 2> beyond{};  ///< nodes beyond the low and the high end that D takes: 0 but at cuts
    std::vector<double> weights;           ///< d_k / spacing, k = 1 … r
    std::vector<AxisImage> nodes;          ///< D at half node i: sum of d_k (nodes[i + r + k - 1] - nodes[i + r - k])
    /// D* at node i, of HalfNodes::reached: sum of d_k (halves[i + r - k] - halves[i + r + k - 1])
    std::vector<AxisImage> halves;

    [[nodiscard]] std::int64_t points() const { return n[0] * n[1] * n[2]; }
    [[nodiscard]] std::int64_t radius() const { return static_cast<std::int64_t>(weights.size()); }
    /// Of a compact array [z][y][x] of half nodes.
    [[nodiscard]] std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return x + n[0] * (y + n[1] * z);
    }
};

/// Those of the axes that a problem has. \throws std::invalid_argument for another equation.
std::vector<FluxAxis> flux_axes(const Problem& problem, HalfNodes which = HalfNodes::owned);
/// The nodes of a field that D takes at these half nodes: those of the problem, and beside cuts some beyond them.
Box nodes_of_fluxes(const Problem& problem, HalfNodes which);

}  // namespace onda
