/// \file
/// The one interpolation kernel of Onda, for positions between nodes, times between samples and shifts of volumes.
#pragma once

#include <cmath>
#include <numbers>

namespace onda {

/// The modified Bessel function of the first kind and order 0, x in -25 … 25, to a few units of rounding: all terms of
/// its power series are positive. The standard library's takes ten times longer.
constexpr double bessel_i0(double x) {
    const double q = 0.25 * x * x;
    double term = 1., sum = 1.;
    for (double k = 1.; term > 1e-17 * sum; ++k) sum += term *= q / (k * k);
    return sum;
}

/// I1(x) / x of the modified Bessel function of order 1, likewise.
constexpr double bessel_i1_over_x(double x) {
    const double q = 0.25 * x * x;
    double term = 0.5, sum = 0.5;
    for (double k = 1.; term > 1e-17 * sum; ++k) sum += term *= q / (k * (k + 1.));
    return sum;
}

/// The kernel sinc(x) under a Kaiser window that ends at |x| = half_width:
///     sin(pi x) / (pi x) * I0(beta sqrt(1 - (x / half_width)^2)) / I0(beta).
/// Hicks (2002), Geophysics 67(1), eq. 6-8.
class KaiserSinc {
public:
    constexpr KaiserSinc(double half_width, double beta)
        : half_width_(half_width), beta_(beta), peak_(bessel_i0(beta)) {}

    double operator()(double x) const {
        if (x == 0.) return 1.;
        const double u = x / half_width_;
        if (std::abs(u) >= 1.) return 0.;
        return std::sin(std::numbers::pi * x) / (std::numbers::pi * x) * bessel_i0(beta_ * std::sqrt(1. - u * u)) /
               peak_;
    }

    /// The derivative of the kernel, within the window.
    [[nodiscard]] double slope(double x) const {
        const double u = x / half_width_;
        if (x == 0. || std::abs(u) >= 1.) return 0.;
        const double at = std::numbers::pi * x, z = beta_ * std::sqrt(1. - u * u), sinc = std::sin(at) / at;
        return ((std::cos(at) - sinc) / x * bessel_i0(z) -
                sinc * beta_ * beta_ * u / half_width_ * bessel_i1_over_x(z)) /
               peak_;
    }

private:
    double half_width_, beta_, peak_;
};

}  // namespace onda
