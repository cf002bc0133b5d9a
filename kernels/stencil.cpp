#include "kernels/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace onda {

std::vector<double> second_derivative_weights(int space_order) {
    if (space_order < 2 || space_order > kMaxSpaceOrder || space_order % 2 != 0)
        throw std::invalid_argument("space order " + std::to_string(space_order) + ": must be even, 2 to " +
                                    std::to_string(kMaxSpaceOrder));
    const int r = space_order / 2;
    std::vector<double> c(r + 1, 0.);
    double ratio = 1.;  // (r!)^2 / ((r-k)! (r+k)!)
    for (int k = 1; k <= r; ++k) {
        ratio *= static_cast<double>(r - k + 1) / static_cast<double>(r + k);
        c[k] = (k % 2 == 1 ? 2. : -2.) * ratio / (static_cast<double>(k) * k);
    }
    for (int k = r; k >= 1; --k) c[0] -= 2. * c[k];  // smallest first: a constant has no second derivative
    return c;
}

double second_derivative_symbol(const std::vector<double>& weights, double kh) {
    // sum_k 2 c_k (1 - cos kh k), written with sines so that small kh loses no digits
    double symbol = 0.;
    for (std::size_t k = weights.size() - 1; k >= 1; --k) {
        const double s = std::sin(0.5 * kh * static_cast<double>(k));
        symbol += 4. * weights[k] * s * s;
    }
    return symbol;
}

double stability_limit_s(const std::vector<double>& weights, const std::vector<double>& spacing_m, double vp_max_m_s) {
    // Taylor weights peak at the Nyquist wavenumber; other weights need not, so the whole band is searched.
    constexpr int samples = 1024;
    double largest = 0.;
    for (int i = 1; i <= samples; ++i)
        largest = std::max(largest, second_derivative_symbol(weights, std::numbers::pi * i / samples));
    double sum = 0.;
    for (const double h : spacing_m) sum += largest / (h * h);
    return 2. / (vp_max_m_s * std::sqrt(sum));
}

template <typename T>
Stencil<T> make_stencil(const std::vector<double>& weights, const std::array<double, 3>& spacing_m, int dimensions) {
    Stencil<T> stencil;
    stencil.radius = static_cast<int>(weights.size()) - 1;
    stencil.dimensions = dimensions;
    double centre = 0.;
    for (int axis = 0; axis < 3; ++axis) {
        if (dimensions == 2 && axis == 1) continue;
        const double h2 = spacing_m[axis] * spacing_m[axis];
        centre += weights[0] / h2;
        for (int k = 1; k <= stencil.radius; ++k) stencil.axis[axis][k] = static_cast<T>(weights[k] / h2);
    }
    stencil.centre = static_cast<T>(centre);
    return stencil;
}

template Stencil<float> make_stencil(const std::vector<double>&, const std::array<double, 3>&, int);
template Stencil<double> make_stencil(const std::vector<double>&, const std::array<double, 3>&, int);

}  // namespace onda
