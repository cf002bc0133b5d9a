#include "kernels/equations/coefficients/zero_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace onda {
namespace {

/// The finest quantum of which a number of this size can be an even multiple.
template <typename T>
double finest_quantum(double size) {
    return std::ldexp(1., std::ilogb(size) - std::numeric_limits<T>::digits);
}

/// \param quantize sets the weights as multiples of a quantum; \param sum of the canonical order on a field of ones.
template <typename T, typename Quantize, typename Sum>
void with_zero_sum(double size, const Quantize& quantize, const Sum& sum) {
    constexpr double largest = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::min();
    if (!(size < largest && size * std::numeric_limits<T>::epsilon() > smallest))
        throw std::invalid_argument(
            "the finite-difference coefficients do not fit the precision: choose another grid spacing");
    // Twice as coarse where rounding made the centre outgrow its binade, or where one axis outweighs the others so far
    // that a partial sum along it needs another digit.
    double quantum = finest_quantum<T>(size);
    for (int attempt = 0; attempt < 4; ++attempt, quantum *= 2.) {
        quantize(quantum);
        if (sum() == T(0)) return;
    }
    throw std::logic_error("weights that sum to zero were not found");
}

/// A function of the wavenumber at samples of theta = kh up to 2.4 rad, 2.6 points per wavelength.
constexpr std::size_t kSamples = 17;
constexpr double kTie = 1e-6;  // relative: closer than this, the mathematical library may decide which is less
using Samples = std::array<double, kSamples>;

double theta_at(std::size_t sample) {
    return std::max(1e-4, 2.4 * static_cast<double>(sample) / (kSamples - 1));
}

double product(const Samples& a, const Samples& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
}

void add(Samples& to, double factor, const Samples& row) {
    for (std::size_t i = 0; i < kSamples; ++i) to[i] += factor * row[i];
}

/// What weights of 1 do to symbol / theta^2: w_k as 2 (1 - cos k theta), and the sets of integer weights that make the
/// powers of s = 2 (1 - cos theta). Every set of integers is a sum of such sets, which are much less alike.
struct Lattice {
    std::vector<Samples> weight, power;
    std::vector<std::vector<double>> integers;  ///< of power j: w_1 … w_r

    explicit Lattice(std::size_t r) : weight(r), power(r), integers(r, std::vector<double>(r, 0.)) {
        for (std::size_t j = 0; j < r; ++j) {
            for (std::size_t i = 0; i < kSamples; ++i) {
                const double theta = theta_at(i), s = 2. * std::sin(0.5 * theta);
                weight[j][i] = std::pow(2. * std::sin(0.5 * static_cast<double>(j + 1) * theta) / theta, 2);
                power[j][i] = std::pow(s * s, static_cast<double>(j + 1)) / (theta * theta);
            }
            // s^n = sum_k (-1)^(k+1) binomial(2n, n+k) 2 (1 - cos k theta)
            double binomial = 1.;
            const std::size_t n = j + 1;
            for (std::size_t m = 1; m <= n; ++m) binomial *= static_cast<double>(n + m) / static_cast<double>(m);
            for (std::size_t k = 1; k <= n; ++k) {
                binomial *= static_cast<double>(n - k + 1) / static_cast<double>(n + k);
                integers[j][k - 1] = (k % 2 == 1 ? 1. : -1.) * std::round(binomial);
            }
        }
    }
};

struct Rounded {
    std::vector<double> integers;
    double error = 0.;  ///< sum of the squares of the samples
};

/// Integers whose function is near that of `exact`, by Babai's nearest plane (1986), Combinatorica 6: one direction
/// after the other, each by what is orthogonal to those still to come.
/// \param order of the directions, the last one first.
Rounded nearest_plane(const Lattice& lattice, const std::vector<double>& exact, const std::vector<std::size_t>& order) {
    std::vector<Samples> orthogonal;
    for (const std::size_t j : order) {
        Samples row = lattice.power[j];
        for (const Samples& before : orthogonal) add(row, -product(row, before) / product(before, before), before);
        orthogonal.push_back(row);
    }
    Rounded rounded{std::vector<double>(exact.size(), 0.)};
    Samples rest{};
    for (std::size_t k = 0; k < exact.size(); ++k) add(rest, exact[k], lattice.weight[k]);
    for (std::size_t i = order.size(); i-- > 0;) {
        // Halves are common in double precision. They go down on every machine, whatever the last bit of its sin and
        // pow.
        const double count =
            std::ceil(product(rest, orthogonal[i]) / product(orthogonal[i], orthogonal[i]) - 0.5 - kTie);
        add(rest, -count, lattice.power[order[i]]);
        for (std::size_t k = 0; k < exact.size(); ++k) rounded.integers[k] += count * lattice.integers[order[i]][k];
    }
    rounded.error = product(rest, rest);
    return rounded;
}

/// w_1 … w_r over the quantum as integers, so that the symbol changes least.
std::vector<double> multiples(const std::vector<double>& weights, double quantum) {
    const std::size_t r = weights.size();
    std::vector<double> whole, fraction;
    for (const double w : weights) {
        whole.push_back(std::floor(w / quantum));
        fraction.push_back(w / quantum - whole.back());
    }
    const Lattice lattice(r);
    std::vector<std::size_t> order(r);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Rounded best{{}, std::numeric_limits<double>::infinity()};
    for (std::size_t turn = 0; turn < 2 * r; ++turn) {
        if (Rounded found = nearest_plane(lattice, fraction, order); found.error < best.error * (1. - kTie))
            best = std::move(found);
        std::rotate(order.begin(), order.begin() + 1, order.end());
        if (turn + 1 == r) std::ranges::reverse(order);
    }
    for (std::size_t k = 0; k < r; ++k) whole[k] += best.integers[k];
    return whole;
}

/// The canonical Laplacian (kernels/equations/star/stencil.hpp) of a field of ones.
template <typename T>
T laplacian_of_ones(const Stencil<T>& s) {
    T l = s.centre;
    for (const int axis : {0, 1})
        for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[axis][k], T(2), l);
    for (int half = 0; half < 2; ++half)
        for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], T(1), l);
    return l;
}

/// The compact Laplacian (kernels/equations/compact/compact.hpp) of a field of ones.
template <typename T>
T compact_laplacian_of_ones(const Stencil<T>& s) {
    const T neighbours = s.dimensions == 3 ? T(4) : T(2);
    const auto sums = s.dimensions == 3 ? plane_sums<3>(T(1), neighbours, neighbours, s.compact, ScalarFma{})
                                        : plane_sums<2>(T(1), neighbours, T(0), s.compact, ScalarFma{});
    return (sums.side + sums.own) + sums.side;
}

}  // namespace

template <typename T>
void set_second_derivatives(Stencil<T>& stencil, const SecondDerivativeWeights& weights) {
    double size = 0.;
    for (const std::vector<double>& axis : weights)
        for (const double w : axis) size += 2. * w;
    const auto quantize = [&](double quantum) {
        double sum = 0.;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (weights[axis].empty()) continue;
            const std::vector<double> chosen = multiples(weights[axis], quantum);
            for (std::size_t k = 0; k < chosen.size(); ++k) {
                stencil.axis[axis][k + 1] = static_cast<T>(chosen[k] * quantum);
                sum += chosen[k];
            }
        }
        stencil.centre = static_cast<T>(-2. * sum * quantum);
    };
    with_zero_sum<T>(size, quantize, [&] { return laplacian_of_ones(stencil); });
}

template <typename T>
void set_compact(Stencil<T>& stencil, const CompactWeights& w, double spacing_m) {
    const double h2 = spacing_m * spacing_m;
    const auto quantize = [&](double quantum) {
        // The symbol is linear in B + 4 C + 4 D, which long waves see, in C + 2 D and in D.
        const auto nearest = [unit = h2 * quantum](double weight) { return std::round(weight / unit); };
        const double d = nearest(w.corner), c = nearest(w.edge + 2. * w.corner) - 2. * d;
        const double b = nearest(w.face + 4. * w.edge + 4. * w.corner) - 4. * c - 4. * d;
        const double a = -(6. * b + 12. * c + 8. * d);
        const std::array<double, 4> in_space{a, b, c, d}, in_a_plane{a + 2. * b, b + 2. * c, c + 2. * d, 0.};
        for (std::size_t i = 0; i < 4; ++i)
            stencil.compact[i] = static_cast<T>((stencil.dimensions == 3 ? in_space : in_a_plane)[i] * quantum);
    };
    with_zero_sum<T>(std::abs(w.centre) / h2, quantize, [&] { return compact_laplacian_of_ones(stencil); });
}

template void set_second_derivatives(Stencil<float>&, const SecondDerivativeWeights&);
template void set_second_derivatives(Stencil<double>&, const SecondDerivativeWeights&);
template void set_compact(Stencil<float>&, const CompactWeights&, double);
template void set_compact(Stencil<double>&, const CompactWeights&, double);

}  // namespace onda
