#include "kernels/equations/coefficients/optimised_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <utility>

#include "kernels/equations/star/stencil.hpp"

namespace onda {
namespace {

/// A derivative whose symbol is linear in its weights w_1 … w_r.
struct Derivative {
    /// What weight k contributes to symbol / exact symbol at kh = theta > 0.
    double (*share)(int k, double theta);
    /// What weight k contributes to symbol / exact symbol at theta = 0, where the shares of a consistent derivative sum
    /// to 1.
    double (*share_of_long_waves)(int k);
    /// What symbol / exact symbol may differ from 1 by.
    double tolerance;
};

// symbol / theta^2 is the square of phase velocity over velocity: between (1 - tolerance)^2 and (1 + tolerance)^2.
constexpr Derivative kSecond{[](int k, double theta) {
                                 const double s = std::sin(0.5 * k * theta) / (0.5 * theta);
                                 return s * s;
                             },
                             [](int k) { return static_cast<double>(k * k); }, kPhaseTolerance*(2. - kPhaseTolerance)};
constexpr Derivative kStaggered{[](int k, double theta) { return std::sin((k - 0.5) * theta) / (0.5 * theta); },
                                [](int k) { return 2. * k - 1.; }, kPhaseTolerance};

double relative_error(const Derivative& derivative, std::span<const double> weights, double theta) {
    double sum = -1.;
    for (std::size_t k = 0; k < weights.size(); ++k)
        sum += weights[k] * derivative.share(static_cast<int>(k) + 1, theta);
    return sum;
}

/// Solves rows of n coefficients and a right-hand side by elimination with row exchange.
std::vector<double> solve(std::vector<std::vector<double>> rows) {
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i) {
        const auto largest =
            std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end(),
                             [i](const auto& a, const auto& b) { return std::abs(a[i]) < std::abs(b[i]); });
        std::swap(rows[i], *largest);
        for (std::size_t j = i + 1; j < n; ++j) {
            const double factor = rows[j][i] / rows[i][i];
            for (std::size_t k = i; k <= n; ++k) rows[j][k] -= factor * rows[i][k];
        }
    }
    std::vector<double> x(n);
    for (std::size_t i = n; i-- > 0;) {
        x[i] = rows[i][n];
        for (std::size_t k = i + 1; k < n; ++k) x[i] -= rows[i][k] * x[k];
        x[i] /= rows[i][i];
    }
    return x;
}

/// Consistent weights whose errors at the wavenumbers `extrema` are -, +, …, + tolerance, the last one positive: beyond
/// it short waves are too slow, as with any weights.
std::vector<double> weights_through(const Derivative& derivative, std::span<const double> extrema) {
    const std::size_t r = extrema.size() + 1;
    std::vector<std::vector<double>> rows(r, std::vector<double>(r + 1));
    for (std::size_t i = 0; i < r; ++i) {
        const bool last = i == extrema.size();
        for (std::size_t k = 0; k < r; ++k)
            rows[i][k] = last ? derivative.share_of_long_waves(static_cast<int>(k) + 1)
                              : derivative.share(static_cast<int>(k) + 1, extrema[i]);
        const double sign = (extrema.size() - i) % 2 == 1 ? 1. : -1.;
        rows[i][r] = last ? 1. : 1. + sign * derivative.tolerance;
    }
    return solve(std::move(rows));
}

/// Where the error turns, from long to short waves: between two samples of a fine scan, by golden section.
std::vector<double> turning_points(const Derivative& derivative, std::span<const double> weights) {
    constexpr int samples = 300;
    constexpr double step = std::numbers::pi / samples, golden = 0.6180339887498949;
    const auto error = [&](double theta) { return relative_error(derivative, weights, theta); };
    std::vector<double> scan, turns;
    for (int i = 1; i <= samples; ++i) scan.push_back(error(i * step));
    for (std::size_t i = 1; i + 1 < scan.size(); ++i) {
        if ((scan[i] - scan[i - 1]) * (scan[i + 1] - scan[i]) > 0.) continue;
        const double up = scan[i] > scan[i - 1] ? 1. : -1.;
        double low = static_cast<double>(i) * step, high = low + 2. * step;
        while (high - low > 1e-8) {
            const double a = high - golden * (high - low), b = low + golden * (high - low);
            (up * error(a) > up * error(b) ? high : low) = up * error(a) > up * error(b) ? b : a;
        }
        turns.push_back(0.5 * (low + high));
    }
    return turns;
}

/// The exchange of Remez with a given error: weights through ± tolerance at a guess of the extrema; then at the extrema
/// they have; and so on. It settles in ten rounds.
std::vector<double> widest_band(const Derivative& derivative, int space_order) {
    check_order(space_order);
    const auto r = static_cast<std::size_t>(space_order / 2);
    std::vector<double> extrema(r - 1), weights;
    const double band = std::numbers::pi * (1. - 1.64 / static_cast<double>(r));
    for (std::size_t i = 0; i < extrema.size(); ++i)
        extrema[i] = band * std::sin(0.5 * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(r));
    for (int round = 0; round < 40; ++round) {
        weights = weights_through(derivative, extrema);
        std::vector<double> turns = turning_points(derivative, weights);
        if (turns.size() < extrema.size()) break;
        turns.resize(extrema.size());
        double moved = 0.;
        for (std::size_t i = 0; i < turns.size(); ++i) moved = std::max(moved, std::abs(turns[i] - extrema[i]));
        extrema = std::move(turns);
        if (moved < 1e-5) return weights;  // the error at an extremum is flat: settled to 1e-9 of it
    }
    throw std::logic_error("optimised weights: the exchange did not settle");
}

}  // namespace

std::vector<double> optimised_second_derivative_weights(int space_order) {
    std::vector<double> c = widest_band(kSecond, space_order);
    double sum = 0.;
    for (std::size_t k = c.size(); k-- > 0;) sum += c[k];  // smallest first: a constant has no second derivative
    c.insert(c.begin(), -2. * sum);
    return c;
}

std::vector<double> optimised_staggered_weights(int space_order) {
    std::vector<double> d = widest_band(kStaggered, space_order);
    d.insert(d.begin(), 0.);
    return d;
}

}  // namespace onda
