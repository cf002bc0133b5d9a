/// \file
/// From the image of a gradient run to the derivative of the misfit with respect to the velocity of every node.
#pragma once

#include <span>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "solver/discretisation/computed_grid.hpp"

namespace onda {

/// dJ/dvp [misfit per m/s] at every computed node, [z][y][x], from the sum of (p[n+1] - p[n]) (nu[n+1] - nu[n+2])
/// (GradientRun::image): dJ/dk = W / (k^2 G) of it, with W halving the nodes of rigid faces and G the taper of a
/// sponge, and k = (vp dt)^2, times rho with variable density, which stays as it is. 0 on free surfaces.
/// \param readers of the medium on the computed grid.
std::vector<double> gradient_of_vp(std::span<const double> image, const Problem& problem, const MediumReaders& readers,
                                   double dt_s);

/// The derivative with respect to values on the inner grid, of which every node beyond has that of the nearest inner
/// node: a node of a face takes those of its copies.
std::vector<double> fold_to_inner(std::span<const double> gradient, const ComputedGrid& computed, const Grid& inner);

}  // namespace onda
