// The equation of constant density, with the Laplacian from neighbours on the axes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/equations/coefficients/optimised_weights.hpp"
#include "kernels/equations/coefficients/zero_sum.hpp"
#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/scheme.hpp"

namespace onda {

double sum_of_axes(const Scheme&, const std::vector<double>& axis, const std::vector<double>& spacing_m) {
    double sum = 0.;
    for (std::size_t a = 0; a < axis.size(); ++a) sum += axis[a] / (spacing_m[a] * spacing_m[a]);
    return sum;
}

double limit_of_sum_of_axes(const Scheme& scheme, const std::vector<double>& spacing_m, double vp_max_m_s) {
    // Taylor coefficients peak at the Nyquist wavenumber; others need not, so the whole band is searched.
    constexpr int samples = 1024;
    double largest = 0.;
    for (int i = 1; i <= samples; ++i) largest = std::max(largest, scheme.axis_symbol(std::numbers::pi * i / samples));
    double sum = 0.;
    for (const double h : spacing_m) sum += largest / (h * h);
    return 2. / (vp_max_m_s * std::sqrt(sum));
}

double second_derivative_axis_symbol(const Scheme& scheme, double kh) {
    return second_derivative_symbol(scheme.weights, kh);
}

template <typename T>
void set_second_derivative_stencil(Stencil<T>& stencil, const Scheme& scheme, const std::array<double, 3>& spacing_m) {
    set_second_derivatives(stencil, second_derivatives(scheme, spacing_m, stencil.dimensions));
}
template void set_second_derivative_stencil(Stencil<float>&, const Scheme&, const std::array<double, 3>&);
template void set_second_derivative_stencil(Stencil<double>&, const Scheme&, const std::array<double, 3>&);

Factor second_derivative_factor(const Scheme& scheme) {
    return factor_of(scheme.weights);
}

namespace {

Scheme make_star(int space_order, Coefficients coefficients) {
    const auto weights =
        coefficients == Coefficients::optimised ? optimised_second_derivative_weights : second_derivative_weights;
    return {Equation::star, space_order, weights(space_order), coefficients, {}};
}

}  // namespace

const FactorRow kStarFactor{
    [](int) { return FactorKind::star; },
    second_derivative_factor,
    [](int) { return 0; },
    [](int radius) { return radius + 1; },
};

const EquationRow kStarEquation{
    .name = "star",
    .help = "the Laplacian from neighbours on the axes",
    .title = "",
    .stencil = kStarStencil,
    .parameters = kConstantDensityParameters,
    .constants = kConstantDensityConstants,
    .fields = kPressureField,
    .arrays = kConstantDensityArrays,
    .source_density = nullptr,
    .make_scheme = make_star,
    .halo = [](int radius) { return radius; },
    .axis_symbol = second_derivative_axis_symbol,
    .symbol = sum_of_axes,
    .stability_limit_s = limit_of_sum_of_axes,
    .set_float = set_second_derivative_stencil<float>,
    .set_double = set_second_derivative_stencil<double>,
    .factor = &kStarFactor,
    // Centre 1; a pair of x or y 3; a value of z 2; leapfrog 4.
    .operations = [](int radius, int dimensions) { return 5 + 3 * radius * (dimensions - 1) + 4 * radius; },
};

}  // namespace onda
