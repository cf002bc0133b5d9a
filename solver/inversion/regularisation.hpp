/// \file
/// Penalties on the roughness of a model, beside the misfit of an inversion.
#pragma once

#include <span>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// What total variation counts as no step: lengths of the gradient below it count by their squares.
inline constexpr double kSmallStep = 1e-3;

/// misfit_scale (tikhonov R_T + total_variation R_TV) of one block of variables, by the weights of section `inversion`.
///
/// With g the length of the gradient from node to node, of forward differences in units of the smallest spacing h of
/// axes with more than one node (a difference along an axis of spacing h_a counts h / h_a times; 0 at its last node),
/// R_T is the mean of g^2 / 2 over all nodes (Tikhonov and Arsenin 1977) and R_TV that of sqrt(g^2 + eps^2) - eps, eps
/// = kSmallStep (Rudin, Osher and Fatemi 1992, Physica D 60; smoothed as by Vogel and Oman 1996, SIAM J. Sci. Comput.
/// 17). The variables are divided by their mean, hence eps is a part of it.
///
/// The same bits for any number of threads.
/// \param x [z][y][x]. \param gradient of the objective in x, [z][y][x]: the exact derivative is added to it, at nodes
/// that are held as well, which count as neighbours of others.
/// \return the penalty; without weights 0, and the gradient stays as it is.
double add_penalty(const Grid& grid, const InversionConfig& config, std::span<const float> x, double misfit_scale,
                   std::span<float> gradient);

}  // namespace onda
