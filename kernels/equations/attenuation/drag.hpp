/// \file
/// Absorption by drag (Maxwell damping): sigma p_t in the wave equation, which nodes need no memory for.
///
/// A wave exp(i omega t) sees -omega^2 (1 - i sigma / omega) p = c_U^2 (L p + s). Both constants of a node follow from
/// its vp and Q, so that velocity and absorption are those that are asked for at one frequency; at others 1/Q falls as
/// they rise. In the canonical order of kernels/equations/attenuation/memory.hpp it is a memory field that stays 0:
///     p[n+1] = 2 p[n] - p[n-1] + k L(p[n]) - g (p[n] - p[n-1]).
/// With G = sigma dt / (2 cos(theta_0 / 2)), k = (c_U dt)^2 / (1 + G) and g = 2 G / (1 + G) the step is exact for
/// 4 sin^2(theta / 2) (1 - i G cot(theta / 2)) = -(c_U dt)^2 L: what is asked for at the phase theta_0 a step of which
/// the reference frequency is (2 / dt) sin(theta_0 / 2), as that of RelaxationFit.
#pragma once

#include <memory>
#include <span>

#include "kernels/equations/attenuation/relaxation.hpp"
#include "kernels/equations/equation.hpp"

namespace onda {

/// The arrays of media that drag, k and at the end g.
/// \param lossless the equation without loss.
std::shared_ptr<const MediumFit> drag_fit(const EquationRow& lossless, const Relaxation& relaxation, double dt_s);

/// c_U / vp, which grows as Q falls. Nodes of kLossless and more absorb nothing. \param q at the reference frequency.
double drag_stiffening(double q);

/// The largest errors of drag in the band of a relaxation, as RelaxationFit::error() has them. \param q at the
/// reference frequency. \param dt_s 0: of continuous time.
FitError drag_error(const Relaxation& relaxation, double q, double dt_s);

}  // namespace onda
