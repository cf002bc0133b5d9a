#include "kernels/equations/star/stencil.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace onda {

void check_order(int space_order) {
    if (space_order < 2 || space_order > kMaxSpaceOrder || space_order % 2 != 0)
        throw std::invalid_argument("space order " + std::to_string(space_order) + ": must be even, 2 to " +
                                    std::to_string(kMaxSpaceOrder));
}

std::vector<double> second_derivative_weights(int space_order) {
    check_order(space_order);
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

std::vector<double> staggered_weights(int space_order) {
    check_order(space_order);
    const int r = space_order / 2;
    std::vector<double> d(r + 1, 0.);
    double term = 4.;  // 4 ((2r-1)!!)^2 / (4^r (r+k-1)! (r-k)!), at k = 1 first
    for (int j = 1; j <= r; ++j) term *= (2. * j - 1.) * (2. * j - 1.) / (4. * j * (j < r ? j : 1.));
    for (int k = 1; k <= r; ++k) {
        d[k] = (k % 2 == 1 ? 1. : -1.) * term / ((2. * k - 1.) * (2. * k - 1.));
        term *= static_cast<double>(r - k) / static_cast<double>(r + k);
    }
    return d;
}

double staggered_symbol(const std::vector<double>& weights, double kh) {
    double derivative = 0.;
    for (std::size_t k = weights.size() - 1; k >= 1; --k)
        derivative += 2. * weights[k] * std::sin((static_cast<double>(k) - 0.5) * kh);
    return derivative * derivative;
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

}  // namespace onda
