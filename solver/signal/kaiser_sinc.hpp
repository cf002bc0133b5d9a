/// \file
/// The one interpolation kernel of Onda, for positions between nodes and for times between samples.
#pragma once

#include <cmath>
#include <numbers>

namespace onda {

/// The kernel sinc(x) under a Kaiser window that ends at |x| = half_width:
///     sin(pi x) / (pi x) * I0(beta sqrt(1 - (x / half_width)^2)) / I0(beta).
/// Hicks (2002), Geophysics 67(1), eq. 6-8.
inline double kaiser_sinc(double x, double half_width, double beta) {
    if (x == 0.) return 1.;
    const double u = x / half_width;
    if (std::abs(u) >= 1.) return 0.;
    const double window = std::cyl_bessel_i(0., beta * std::sqrt(1. - u * u)) / std::cyl_bessel_i(0., beta);
    return std::sin(std::numbers::pi * x) / (std::numbers::pi * x) * window;
}

}  // namespace onda
