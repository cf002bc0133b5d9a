#include "kernels/equations/scheme.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "kernels/equations/coefficients/optimised_weights.hpp"
#include "kernels/equations/coefficients/zero_sum.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda {
namespace {

constexpr std::array kWaveOperators{
    WaveOperatorInfo{WaveOperator::star, "star", "the Laplacian from neighbours on the axes"},
    WaveOperatorInfo{WaveOperator::compact, "compact27", "the Laplacian from the 26 (in 2-D 8) nearest nodes, order 2"},
    WaveOperatorInfo{WaveOperator::variable_density, "variable_density", "rho vp^2 div(1/rho grad p)"},
};

/// -L h^2 from the symbols s_x, s_y, s_z of the second differences: with p(-1) + p(1) = (2 - s) p on each axis the
/// weights of 27 nodes become these of products of s.
double compact_symbol(const CompactWeights& w, const std::array<double, 3>& s) {
    const double pairs = s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
    return (w.face + 4. * w.edge + 4. * w.corner) * (s[0] + s[1] + s[2]) - (w.edge + 2. * w.corner) * pairs +
           w.corner * s[0] * s[1] * s[2];
}

struct Extremes {
    double smallest, largest;
};

/// Over all wavenumbers: the symbol is linear in each s, which goes from 0 to 4, so that its extremes are at corners.
Extremes extreme_symbols(const CompactWeights& w, std::size_t dimensions) {
    Extremes extremes{0., 0.};
    for (unsigned corner = 1; corner < 1u << dimensions; ++corner) {
        const double value = compact_symbol(w, {corner & 1u ? 4. : 0., corner & 2u ? 4. : 0., corner & 4u ? 4. : 0.});
        extremes = {std::min(extremes.smallest, value), std::max(extremes.largest, value)};
    }
    return extremes;
}

}  // namespace

std::string Scheme::description() const {
    std::string text;
    if (has_density()) text = "variable density, ";
    if (wave_operator == WaveOperator::compact) text = std::string(name(wave_operator)) + ", ";
    text += "order " + std::to_string(space_order);
    return coefficients == Coefficients::optimised ? text + " with optimised weights" : text;
}

double Scheme::axis_symbol(double kh) const {
    if (has_density()) return staggered_symbol(weights, kh);
    return second_derivative_symbol(weights, kh);
}

double Scheme::symbol(const std::vector<double>& k, const std::vector<double>& spacing_m) const {
    std::array<double, 3> axis{};
    for (std::size_t a = 0; a < k.size(); ++a) axis[a] = axis_symbol(k[a] * spacing_m[a]);
    if (wave_operator == WaveOperator::compact) return compact_symbol(compact, axis) / (spacing_m[0] * spacing_m[0]);
    double sum = 0.;
    for (std::size_t a = 0; a < k.size(); ++a) sum += axis[a] / (spacing_m[a] * spacing_m[a]);
    return sum;
}

double Scheme::phase_velocity_ratio(const std::vector<double>& k, const std::vector<double>& spacing_m,
                                    double vp_dt_m) const {
    double exact_squared = 0.;
    for (const double component : k) exact_squared += component * component;
    const double exact = std::sqrt(exact_squared), discrete = std::sqrt(symbol(k, spacing_m));
    if (vp_dt_m == 0.) return discrete / exact;
    return 2. * std::asin(0.5 * vp_dt_m * discrete) / (vp_dt_m * exact);
}

double Scheme::stability_limit_s(const std::vector<double>& spacing_m, double vp_max_m_s) const {
    if (wave_operator == WaveOperator::compact)
        return 2. * spacing_m[0] / (vp_max_m_s * std::sqrt(extreme_symbols(compact, spacing_m.size()).largest));
    // Taylor weights peak at the Nyquist wavenumber; other weights need not, so the whole band is searched.
    constexpr int samples = 1024;
    double largest = 0.;
    for (int i = 1; i <= samples; ++i) largest = std::max(largest, axis_symbol(std::numbers::pi * i / samples));
    double sum = 0.;
    for (const double h : spacing_m) sum += largest / (h * h);
    return 2. / (vp_max_m_s * std::sqrt(sum));
}

std::span<const WaveOperatorInfo> wave_operators() {
    return kWaveOperators;
}

std::string_view name(WaveOperator wave_operator) {
    return std::ranges::find(kWaveOperators, wave_operator, &WaveOperatorInfo::wave_operator)->name;
}

Scheme make_scheme(WaveOperator wave_operator, int space_order, Coefficients coefficients) {
    const bool optimised = coefficients == Coefficients::optimised;
    if (wave_operator == WaveOperator::compact) {
        if (space_order != 2 || optimised)
            throw std::invalid_argument("the compact stencil has order 2 and one set of weights");
        return make_compact_scheme(kIsotropic);
    }
    if (wave_operator == WaveOperator::variable_density)
        return {wave_operator,
                space_order,
                optimised ? optimised_staggered_weights(space_order) : staggered_weights(space_order),
                coefficients,
                {}};
    const auto weights = optimised ? optimised_second_derivative_weights : second_derivative_weights;
    return {wave_operator, space_order, weights(space_order), coefficients, {}};
}

Scheme make_compact_scheme(const CompactWeights& w) {
    const double of_constant = w.centre + 6. * w.face + 12. * w.edge + 8. * w.corner;
    const double of_long_waves = w.face + 4. * w.edge + 4. * w.corner;
    if (!(std::abs(of_constant) <= 1e-5 * std::abs(w.centre)) || !(std::abs(of_long_waves - 1.) <= 1e-5))
        throw std::invalid_argument(
            "weights A B C D of a Laplacian have A + 6 B + 12 C + 8 D = 0 and B + 4 C + 4 D = 1; these give " +
            std::to_string(of_constant) + " and " + std::to_string(of_long_waves));
    if (extreme_symbols(w, 3).smallest < 0.)
        throw std::invalid_argument("weights A B C D make some short waves grow, whatever the time step");
    return {WaveOperator::compact, 2, second_derivative_weights(2), Coefficients::taylor, w};
}

template <typename T>
Stencil<T> make_stencil(const Scheme& scheme, const std::array<double, 3>& spacing_m, int dimensions) {
    Stencil<T> stencil;
    stencil.radius = scheme.radius();
    stencil.dimensions = dimensions;
    if (scheme.wave_operator == WaveOperator::compact) set_compact(stencil, scheme.compact, spacing_m[0]);
    SecondDerivativeWeights axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (dimensions == 2 && axis == 1) continue;
        const double h = spacing_m[axis], power = scheme.has_density() ? h : h * h;
        for (std::size_t k = 1; k < scheme.weights.size(); ++k) axes[axis].push_back(scheme.weights[k] / power);
    }
    if (scheme.has_density())
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t k = 0; k < axes[axis].size(); ++k)
                stencil.axis[axis][k + 1] = static_cast<T>(axes[axis][k]);
    else
        set_second_derivatives(stencil, axes);
    return stencil;
}

template Stencil<float> make_stencil(const Scheme&, const std::array<double, 3>&, int);
template Stencil<double> make_stencil(const Scheme&, const std::array<double, 3>&, int);

}  // namespace onda
