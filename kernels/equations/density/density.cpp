// The equation of variable density, from first derivatives halfway between nodes.
#include "kernels/boundaries/cpml.hpp"
#include "kernels/equations/coefficients/optimised_weights.hpp"
#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/scheme.hpp"

namespace onda {
namespace {

constexpr std::array kParameters{kVp, kRho};

constexpr std::array kArrays{
    medium_array<[](const double* parameters, double dt_s) { return squared_step(parameters, dt_s) * parameters[1]; }>(
        "k", false, true),
    medium_array<[](const double* parameters, double) { return 0.5 * parameters[1]; }>("half_rho", true, false)};

Scheme make_density(int space_order, Coefficients coefficients) {
    const auto weights = coefficients == Coefficients::optimised ? optimised_staggered_weights : staggered_weights;
    return {Equation::variable_density, space_order, weights(space_order), coefficients, {}};
}

template <typename T>
void set_stencil(Stencil<T>& stencil, const Scheme& scheme, const std::array<double, 3>& spacing_m) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (stencil.dimensions == 2 && axis == 1) continue;
        for (std::size_t k = 1; k < scheme.weights.size(); ++k)
            stencil.axis[axis][k] = static_cast<T>(scheme.weights[k] / spacing_m[axis]);
    }
}

Factor factor(const Scheme& scheme) {
    Factor factor{{}, 0.5};
    for (std::size_t k = scheme.weights.size() - 1; k >= 1; --k) factor.weights.push_back(-scheme.weights[k]);
    for (std::size_t k = 1; k < scheme.weights.size(); ++k) factor.weights.push_back(scheme.weights[k]);
    return factor;
}

}  // namespace

const FactorRow kDensityFactor{
    [](int) { return FactorKind::density; },
    factor,
    [](int radius) { return 1 - radius; },
    [](int radius) { return 2 * radius; },
};

const EquationRow kDensityEquation{
    .name = "variable_density",
    .help = "rho vp^2 div(1/rho grad p)",
    .title = "variable density",
    .stencil = kStarStencil,
    .parameters = kParameters,
    .constants = {},
    .fields = kPressureField,
    .arrays = kArrays,
    .source_density = [](const double* arrays) { return 2. * arrays[1]; },
    .make_scheme = make_density,
    .halo = [](int radius) { return 2 * radius - 1; },
    .axis_symbol = [](const Scheme& scheme, double kh) { return staggered_symbol(scheme.weights, kh); },
    .symbol = sum_of_axes,
    .stability_limit_s = limit_of_sum_of_axes,
    .set_float = set_stencil<float>,
    .set_double = set_stencil<double>,
    .factor = &kDensityFactor,
    // Flux and divergence: 3 r + 2 and 3 r - 1 along x, 3 r + 2 and 3 r along y, 4 r + 2 and 4 r along z; leapfrog 4.
    // A reciprocal is one.
    .operations = [](int radius, int dimensions) { return dimensions == 3 ? 20 * radius + 9 : 14 * radius + 7; },
};

}  // namespace onda
