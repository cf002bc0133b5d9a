/// \file
/// Plane waves in homogeneous media whose velocity depends on the direction, or that absorb: what the discrete equation
/// makes of them, and what they should be.
#pragma once

#include <array>
#include <complex>

#include "kernels/equations/scheme.hpp"

namespace onda {

/// Thomsen's parameters, delta at most epsilon, and the unit vector of their axis: x, y, z.
struct DirectionalMedium {
    double epsilon = 0., delta = 0.;
    std::array<double, 3> axis{0., 0., 1.};
};

/// Phase velocity of compressional waves over vp, along the unit vector `direction`, of the pseudo-acoustic equation
/// that VTI and TTI solve (docs/theory.md), whose waves have Tsvankin's (1996, Geophysics 61) velocity without shear.
double phase_velocity(const DirectionalMedium& medium, const std::array<double, 3>& direction);

/// Phase velocity of the scheme over phase_velocity(), exactly as its steps have it: 4 sin^2(omega dt / 2) = (vp dt)^2
/// lambda, lambda the larger symbol of docs/theory.md with the symbols of the star and, about a tilted axis, that of
/// the centred first derivative. NaN where the scheme is unstable. \param scheme of VTI, whose axis is vertical, or
/// TTI. \param k wavenumber [rad/m]; along an axis that the grid does not have 0. \param vp_dt_m how far a wave goes
/// along the axis of the medium in a step; 0 leaves the error of space alone.
double phase_velocity_ratio(const Scheme& scheme, const DirectionalMedium& medium, const std::array<double, 3>& k,
                            const std::array<double, 3>& spacing_m, double vp_dt_m);

/// k = omega / c - i alpha over omega / vp that mechanisms have, as wanted_wavenumber() has what is asked for.
/// \param mechanisms of the fit, whose steps are of dt_s; 0: continuous time.
std::complex<double> fitted_wavenumber(const RelaxationFit& fit, const Mechanisms& mechanisms, double frequency_hz,
                                       double dt_s);

/// The quality factor of such a k, Re(k^2) / -Im(k^2).
double quality_factor(const std::complex<double>& wavenumber);

}  // namespace onda
