/// \file
/// Between what runs compute with, k, and the velocity of every node: derivatives of a misfit, and perturbations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "kernels/unset_vector.hpp"
#include "solver/discretisation/computed_grid.hpp"
#include "solver/imaging/node_values.hpp"

namespace onda {

/// dJ/dvp [misfit per m/s] at every computed node, [z][y][x], in the place of the sum of
/// (p[n+1] - p[n]) (nu[n+1] - nu[n+2]) (GradientRun::image): dJ/dk = W / (k^2 G) of it, with W halving the nodes of
/// rigid faces and G the taper of a sponge, and k = (vp dt)^2, times rho with variable density, which stays as it is. 0
/// on free surfaces. \param readers of the medium on the computed grid.
NodeValues gradient_of_vp(NodeValues image, const Problem& problem, const MediumReaders& readers, double dt_s);

/// Fills whole planes of an image, from plane `first` along z on: as many as there is room for.
using ImagePlanes = std::function<void(std::int64_t first, std::span<double> planes)>;
/// Those of values on all nodes of a grid, which live as long.
ImagePlanes planes_of(std::span<const double> values, const Grid& grid);

/// fold_to_inner() of gradient_of_vp(), of which a few planes at a time are there.
template <typename T>
UnsetVector<T> folded_gradient_of_vp(const ImagePlanes& image, const Problem& problem, const MediumReaders& readers,
                                     double dt_s, const ComputedGrid& computed, const Grid& inner);
/// The most nodes that are there.
std::int64_t nodes_of_planes_together(const ComputedGrid& computed, const Grid& inner);

/// dk/k [1] of every computed node for a perturbation dvp [m/s], [z][y][x]: 2 dvp/vp, with rho as it is; 0 on free
/// surfaces. \param readers of the medium on the computed grid.
std::vector<double> relative_change_of_k(std::span<const double> dvp, const Problem& problem,
                                         const MediumReaders& readers);

/// The derivative with respect to values on the inner grid, of which every node beyond has that of the nearest inner
/// node: a node of a face takes the sum over its copies, in the order of the computed grid. T is float or double.
template <typename T>
UnsetVector<T> fold_to_inner(std::span<const double> gradient, const ComputedGrid& computed, const Grid& inner);
/// An image on the nodes of a window of its grid without gaps, [z][y][x]. T is float or double.
template <typename T>
UnsetVector<T> values_in(const Window& window, const ImagePlanes& image, const Grid& grid);
/// The transpose of fold_to_inner(): values on the inner grid on every computed node, that of the nearest inner node.
std::vector<double> extend_from_inner(std::span<const double> values, const ComputedGrid& computed, const Grid& inner);

}  // namespace onda
