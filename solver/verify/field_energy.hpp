/// \file
/// The energy of a field that the leapfrog scheme keeps.
#pragma once

#include <functional>
#include <span>

#include "solver/verify/experiment.hpp"

namespace onda::verify {

/// What a node counts in the inner product that makes L symmetric: a node on a rigid wall stands for half a cell, one
/// on a free surface holds no pressure.
double node_share(const Experiment& e, const std::array<std::int64_t, 3>& node);

/// c_0, c_1, … of the operator along an axis; with variable density for a density of 1.
std::vector<double> axis_weights(const Scheme& scheme);

/// E = 1/2 sum (p+ - p)^2 / (vp dt)^2 - 1/2 sum p+ L(p): what the leapfrog scheme keeps exactly where nothing absorbs.
/// L is a plain loop; density is constant. \param vp_m_s of a node.
double staggered_energy(const Experiment& e, const std::function<double(const std::array<std::int64_t, 3>&)>& vp_m_s,
                        std::span<const double> now, std::span<const double> previous);

}  // namespace onda::verify
