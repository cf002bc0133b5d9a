// The equation of vertical transverse isotropy at constant density.
#include <algorithm>
#include <cmath>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/equations/vti/stiffness.hpp"

namespace onda {

double compressional_symbol(double epsilon, double delta, double horizontal, double vertical) {
    const double sum = (1. + 2. * epsilon) * horizontal + vertical;
    return 0.5 * (sum + std::sqrt(std::max(0., sum * sum - 8. * (epsilon - delta) * horizontal * vertical)));
}

namespace {

/// At this square of the sine of the angle from the axis.
double velocity_ratio(double epsilon, double delta, double sine_squared) {
    return std::sqrt(compressional_symbol(epsilon, delta, sine_squared, 1. - sine_squared));
}

constexpr int kAngles = 256;  ///< velocities change smoothly over an angle

}  // namespace

// Velocities grow with epsilon and with delta.
double slowest_of_directions(const Anisotropy& anisotropy) {
    const double epsilon = anisotropy.epsilon_min, delta = std::min(anisotropy.delta_min, epsilon);
    double slowest = 1.;
    for (int i = 1; i <= kAngles; ++i)
        slowest = std::min(slowest, velocity_ratio(epsilon, delta, static_cast<double>(i) / kAngles));
    return slowest;
}

double fastest_of_directions(const Anisotropy& anisotropy) {
    const double epsilon = anisotropy.epsilon_max, delta = std::min(anisotropy.delta_max, epsilon);
    double fastest = 1.;
    for (int i = 1; i <= kAngles; ++i)
        fastest = std::max(fastest, velocity_ratio(epsilon, delta, static_cast<double>(i) / kAngles));
    return fastest;
}

namespace {

constexpr std::array kParameters{kVp, kEpsilon, kDelta};
constexpr std::array<std::string_view, 3> kStressesAndStrain{"p", "q", "s"};

constexpr std::array kArrays{kSquaredStep, kHorizontalStiffness, kStiffnessCoupling};

template <const EquationRow& row>
Scheme make_vti(int space_order, Coefficients coefficients) {
    Scheme scheme = make_scheme(Equation::star, space_order, coefficients);
    scheme.equation = row;
    return scheme;
}

/// 2 / (vp sqrt(largest symbol)), whatever the medium is like within the bounds of its anisotropy.
double limit_of_vti(const Scheme& scheme, const std::vector<double>& spacing_m, double vp_max_m_s) {
    const Anisotropy& a = scheme.anisotropy;
    const auto shortest_waves = [&](const std::vector<double>& along) {
        const double limit_s = limit_of_sum_of_axes(scheme, along, 1.);
        return 4. / (limit_s * limit_s);
    };
    const double vertical = shortest_waves({spacing_m.back()});
    const double horizontal = shortest_waves({spacing_m.begin(), spacing_m.end() - 1});
    const double largest =
        compressional_symbol(a.epsilon_max, std::min(a.delta_max, a.epsilon_max), horizontal, vertical);
    return 2. / (vp_max_m_s * std::sqrt(largest));
}

template <bool with_strain>
constexpr std::array<LayerCoupling, 3> kCouplings{
    {{0, {"e", "d"}, with_strain}, {0, {"e", "d"}, with_strain}, {1, {"d", ""}}}};

template <bool with_strain>
const FactorRow kVtiFactor{
    [](int) { return FactorKind::vti; },   second_derivative_factor, [](int) { return 0; },
    [](int radius) { return radius + 1; }, kCouplings<with_strain>,
};

/// Operations of the stresses: centres 5; a pair of x or y 3; a value of z 2 for l and 2 for v; e l + (d - e) v and the
/// like 8; leapfrogs 8.
int operations_of_stresses(int radius, int dimensions) {
    return 21 + 3 * radius * (dimensions - 1) + 8 * radius;
}

template <const EquationRow& row, bool with_strain>
constexpr EquationRow make_row(std::string_view name, std::string_view help, const EquationRow* of_gradients) {
    return {
        .name = name,
        .help = help,
        .title = "VTI",
        .stencil = kStarStencil,
        .parameters = kParameters,
        .constants = kConstantDensityConstants,
        .fields = std::span(kStressesAndStrain).first(with_strain ? 3 : 2),
        .arrays = kArrays,
        .source_density = nullptr,
        .make_scheme = make_vti<row>,
        .halo = [](int radius) { return radius; },
        .axis_symbol = second_derivative_axis_symbol,
        .symbol = sum_of_axes,
        .stability_limit_s = limit_of_vti,
        .set_float = set_second_derivative_stencil<float>,
        .set_double = set_second_derivative_stencil<double>,
        .factor = &kVtiFactor<with_strain>,
        .operations = [](int radius,
                         int dimensions) { return operations_of_stresses(radius, dimensions) + (with_strain ? 5 : 0); },
        .source_factor = volume_injection,
        .share_of_second = share_of_vertical,
        .of_gradients = of_gradients,
    };
}

}  // namespace

constinit const EquationRow kVtiEquation = make_row<kVtiEquation, false>(
    "vti", "velocities that depend on the angle from the vertical", &kVtiOfGradientsEquation);
constinit const EquationRow kVtiOfGradientsEquation =
    make_row<kVtiOfGradientsEquation, true>("vti_of_gradients", "the same with a strain, for gradients", nullptr);

}  // namespace onda
