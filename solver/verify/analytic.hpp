/// \file
/// Exact solutions of  p_tt / c^2 - laplacian(p) = s(t) delta(x)  and of its discrete form.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "kernels/setup.hpp"

namespace onda::verify {

/// A source signature s(t), t in seconds; zero before t = 0.
using Signature = std::function<double(double)>;

/// The pressure at distance r [m] and time t [s] of a point source in 3-D: s(t - r/c) / (4 pi r).
double greens_function_3d(const Signature& s, double r, double c, double t);

/// The pressure of a line source (2-D), 1/(2 pi) int s(t - tau) H(tau - r/c) / sqrt(tau^2 - r^2/c^2) dtau: the time
/// domain of the Hankel solution (i/4) H_0(omega r / c). With tau = (r/c) cosh u it is a smooth integral over u, whose
/// trapezoidal sum converges faster than any power as s and its derivatives vanish at t = 0.
double greens_function_2d(const Signature& s, double r, double c, double t);

/// One axis of a mode of the discrete Laplacian in a box.
struct AxisMode {
    std::vector<double> shape;  ///< one value a node, amplitude at most 1
    double kh = 0.;             ///< wavenumber times spacing [rad]
};

/// The mode with `half_waves` (half) waves between two faces. Mirrors reflect about the first and the last node, so
/// every order of the stencil sees a sine or cosine continued for ever: free-free sin(m pi i / (n-1)), rigid-rigid
/// cos(m pi i / (n-1)), free-rigid and rigid-free with m - 1/2. Zero faces continue a sine only for a stencil of
/// radius 1: sin(m pi (i+1) / (n+1)).
/// \throws std::invalid_argument for a pair of faces without an exact mode.
AxisMode axis_mode(Halo low, Halo high, std::int64_t nodes, int half_waves, int radius);

/// The angular frequency omega of the fully discrete scheme: sin(omega dt / 2) = (c dt / 2) sqrt(symbol).
/// \param k wavenumber [rad/m] and \param spacing_m along each axis that has a derivative.
double discrete_frequency(const Scheme& scheme, const std::vector<double>& k, const std::vector<double>& spacing_m,
                          double c, double dt);

/// The Ricker wavelet (1 - 2 a) exp(-a), a = (pi f0 (t - t0))^2, spectrum 2 f^2 / (sqrt(pi) f0^3) exp(-f^2 / f0^2):
/// used where a promise must not depend on the survey's own wavelets.
double ricker(double peak_frequency_hz, double t0_s, double t_s);

/// The relative L2 error ||a - b||_2 / ||b||_2 over all samples of all traces.
double relative_l2(std::span<const double> a, std::span<const double> b);

}  // namespace onda::verify
