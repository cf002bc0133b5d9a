/// \file
/// Smoothing of values on the nodes of a grid, models as well as gradients, by a Helmholtz equation whose length may
/// vary from node to node: (I - div lambda^2 grad) u = f, solved by conjugate gradients.
///
/// In a homogeneous medium a wave of wavenumber k is damped by 1 / (1 + lambda^2 k^2): to a half at the wavelength
/// 2 pi lambda. With lambda proportional to the wavelength of the waves that a model is found with, smoothing removes
/// everywhere what these cannot resolve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace onda {

/// When a smoothing is good enough.
struct SmoothingGoal {
    double tolerance = 1e-8;               ///< |f - A u| / |f|, from 1e-14 to 1
    std::int64_t most_iterations = 10000;  ///< after which it is given up
};

struct Smoothed {
    std::vector<double> values;  ///< [z][y][x], x fastest
    std::int64_t iterations;     ///< of conjugate gradients
    double residual;             ///< |f - A u| / |f|, of the values; 0 where f = 0
};

/// Smooths values on the nodes of a grid. Second differences, lambda^2 at faces the mean of both nodes, and nothing
/// flows through the edges of the grid: the operator is symmetric, constants stay what they are, to the bit, and so
/// does, up to rounding, the mean of all values, whatever the tolerance. The same bits for any number of threads. The
/// number of iterations grows with the largest lambda / spacing.
/// \param grid of 1 to 3 axes with more than one node. \param values [z][y][x], finite.
/// \param lengths_m lambda: one for all nodes, or one for each; finite, 0 or more. Nodes of length 0 among others of
///     length 0 stay what they are.
/// \throws Error(config) for sizes that do not fit, and values, lengths, spacings and goals that are not as above;
///     Error(unstable) if the goal is not reached.
[[nodiscard]] Smoothed smooth_by_lengths(const Grid& grid, const std::vector<double>& values,
                                         std::span<const double> lengths_m, const SmoothingGoal& goal = {});

/// lambda as a part of the local wavelength, for smooth_by_lengths(): part vp / f.
/// \param vp_m_s of each node [m/s], more than 0. \param frequency_hz more than 0. \param part 0 or more.
/// \throws Error(config) for others.
[[nodiscard]] std::vector<double> parts_of_wavelengths(std::span<const double> vp_m_s, double frequency_hz,
                                                       double part);

}  // namespace onda
