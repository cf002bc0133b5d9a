/// \file
/// The absorbing layers of a grid as boxes of nodes with recursions along the same axes: what takes the adjoint field
/// out of the layers' stretched coordinates (kernels/imaging/correlation.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/imaging/flux_axes.hpp"
#include "kernels/plan/shell.hpp"
#include "kernels/setup.hpp"

namespace onda {

/// Nodes whose recursions run along the same axes.
struct LayerBox {
    Box nodes;
    std::int64_t first = 0;  ///< nodes of the boxes before it
    /// Where the memory of each axis begins, a value a node, among that of all boxes; -1 where it has none.
    std::array<std::int64_t, 3> memory{-1, -1, -1};
};

/// The recursion of each coordinate of an axis: bz = b z, y = c (x - bz), z <- bz + a y, with c = 1 / (1 + a). Without
/// a layer a is 0.
struct LayerProfile {
    std::vector<double> a, b, c;
};

/// A grid apart: its layers, and the box between them.
struct LayerBoxes {
    std::array<LayerProfile, 3> axis;
    Box inner;
    std::vector<LayerBox> boxes;  ///< disjoint, at most 26
    std::int64_t nodes = 0;       ///< of all boxes
    std::int64_t memory = 0;      ///< values that they remember
};

/// The layers of a problem. \throws std::invalid_argument where opposite layers overlap.
LayerBoxes layer_boxes(const Problem& problem);

// With variable density a step applies -k sum over axes of (1 + Z) D* b (1 + Psi) D, Psi and Z the filters of the
// memory of layers along the axis (kernels/boundaries/cpml_math.hpp). The boxes of half nodes have those beyond a
// layer's face with it. All throw as layer_boxes().

/// On half nodes of an axis, what makes of D nu, in the order of the adjoint run, that with which the misfit's
/// derivative with respect to the buoyancy is correlated: 1 + Psi along the axis, and the inverse of 1 + Z along the
/// others.
LayerBoxes adjoint_flux_boxes(const Problem& problem, const FluxAxis& flux);
/// On half nodes of an axis, 1 + Psi of it, in the order of the forward run.
LayerBoxes stretched_flux_boxes(const Problem& problem, const FluxAxis& flux);
/// On nodes, 1 + Z of an axis, in the order of the forward run.
LayerBoxes stretched_node_boxes(const Problem& problem, int axis);

}  // namespace onda
