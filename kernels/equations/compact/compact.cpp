// The equation of constant density, with the Laplacian from the 26 (in 2-D 8) nearest nodes.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/equations/coefficients/zero_sum.hpp"
#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/scheme.hpp"

namespace onda {
namespace {

/// -L h^2 from the symbols s_x, s_y, s_z of the second differences: with p(-1) + p(1) = (2 - s) p on each axis the
/// coefficients of 27 nodes become these of products of s.
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

Scheme make_compact(int space_order, Coefficients coefficients) {
    if (space_order != 2 || coefficients == Coefficients::optimised)
        throw std::invalid_argument("the compact stencil has order 2 and a single set of coefficients");
    return make_compact_scheme(kIsotropic);
}

double symbol(const Scheme& scheme, const std::vector<double>& axis, const std::vector<double>& spacing_m) {
    std::array<double, 3> s{};
    std::copy(axis.begin(), axis.end(), s.begin());
    return compact_symbol(scheme.compact, s) / (spacing_m[0] * spacing_m[0]);
}

double stability_limit_s(const Scheme& scheme, const std::vector<double>& spacing_m, double vp_max_m_s) {
    const double largest = extreme_symbols(scheme.compact, spacing_m.size()).largest;
    return 2. * spacing_m[0] / (vp_max_m_s * std::sqrt(largest));
}

template <typename T>
void set_stencil(Stencil<T>& stencil, const Scheme& scheme, const std::array<double, 3>& spacing_m) {
    set_compact(stencil, scheme.compact, spacing_m[0]);
    set_second_derivative_stencil(stencil, scheme, spacing_m);
}

constexpr FactorRow kFactor{
    [](int dimensions) { return dimensions == 3 ? FactorKind::compact_3d : FactorKind::compact_2d; },
    second_derivative_factor,
    [](int) { return 0; },
    [](int radius) { return radius + 1; },
};

}  // namespace

Scheme make_compact_scheme(const CompactWeights& w) {
    const double of_constant = w.centre + 6. * w.face + 12. * w.edge + 8. * w.corner;
    const double of_long_waves = w.face + 4. * w.edge + 4. * w.corner;
    if (!(std::abs(of_constant) <= 1e-5 * std::abs(w.centre)) || !(std::abs(of_long_waves - 1.) <= 1e-5))
        throw std::invalid_argument(
            "coefficients A B C D of a Laplacian satisfy A + 6 B + 12 C + 8 D = 0 and B + 4 C + 4 D = 1; these give " +
            std::to_string(of_constant) + " and " + std::to_string(of_long_waves));
    if (extreme_symbols(w, 3).smallest < 0.)
        throw std::invalid_argument("with these coefficients A B C D some short waves grow, whatever the time step");
    return {Equation::compact, 2, second_derivative_weights(2), Coefficients::taylor, w};
}

const EquationRow kCompactEquation{
    .name = "compact27",
    .help = "the Laplacian from the 26 (in 2-D 8) nearest nodes, order 2",
    .title = "compact27",
    .stencil = {"compact27",
                "the 26 nearest nodes, in 2-D the 8 nearest: order 2, the same error in all directions, longer time "
                "steps"},
    .parameters = kConstantDensityParameters,
    .constants = kConstantDensityConstants,
    .fields = kPressureField,
    .arrays = kConstantDensityArrays,
    .source_density = nullptr,
    .make_scheme = make_compact,
    .halo = [](int radius) { return radius; },
    .axis_symbol = second_derivative_axis_symbol,
    .symbol = symbol,
    .stability_limit_s = stability_limit_s,
    .set_float = set_stencil<float>,
    .set_double = set_stencil<double>,
    .factor = &kFactor,
    .equal_spacings = true,
    .only_order = 2,
    // e and d 3 each (in 2-D e 1), own and side 5 each (3), their sum 2, leapfrog 4.
    .operations = [](int, int dimensions) { return dimensions == 3 ? 22 : 13; },
};

}  // namespace onda
