/// \file
/// Sources at nodes of absorbing strips: what they add there so that reciprocity holds.
///
/// With perfectly matched layers a step applies A = -k Sum_axes (1 + Z) D* b (1 + Psi) D, where Psi and Z are the
/// recursive filters of the layers' memory variables (kernels/boundaries/cpml_math.hpp), functions of the place along
/// their axis alone. Y^-1 A is symmetric for Y = k W^-1 G Prod_axes (1 + Z), with G the taper of a sponge and W halving
/// the nodes of rigid walls: the response H to a source field obeys H Y = (H Y)^T. A point that radiates Y w s, w its
/// interpolation weights, and one that records by the same w can therefore be exchanged. Where no strip is, Y is k
/// W^-1, as always.
///
/// In the stretched coordinates of the layer 1 + Z is what becomes of the delta function: 1/s_x delta(x - x_s).
#pragma once

#include <array>
#include <cstdint>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "kernels/shot/shot.hpp"

namespace onda {

/// What all strips of a problem make of a source at a node.
NodeFilter filter_of_strips(const Problem& problem, const std::array<std::int64_t, 3>& node);

/// Sources whose nodes in strips have their filtered signals, nodes with the same filter as a row of their own. Sources
/// without such nodes come back as they are, to the bit; so do the rows of their nodes elsewhere.
///
/// Reciprocity is exact to rounding for star and density, single steps and leaps, order 4 in time with perfectly
/// matched layers, where opposite layers, or a layer and an opposite mirror, leave a few nodes between them; for the
/// compact operator where all layers lie across one axis.
/// \param samples how many values of the signals are of use: filtered ones last longer than they came.
Sources with_filters_of_strips(const Medium& medium, Sources sources, std::int64_t samples);

}  // namespace onda
