// The equation of tilted transverse isotropy at constant density.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "kernels/equations/scheme.hpp"
#include "kernels/equations/tti/first_derivative.hpp"
#include "kernels/equations/vti/stiffness.hpp"

namespace onda {

std::vector<double> first_derivative_weights(int space_order) {
    std::vector<double> weights = second_derivative_weights(space_order);
    weights.front() = 0.;
    for (std::size_t m = 1; m < weights.size(); ++m) weights[m] *= 0.5 * static_cast<double>(m);
    return weights;
}

namespace {

enum TiltPlace : std::size_t { kTiltTheta = 3, kTiltPhi };
constexpr std::array kTiltParameters{kVp, kEpsilon, kDelta, kTheta, kPhi};
constexpr std::array<std::string_view, 2> kTiltedStresses{"p", "q"}, kTiltScratch{"g_p", "g_q"};

constexpr double axis_along(int axis, const double* parameters) {
    const double theta = parameters[kTiltTheta], phi = parameters[kTiltPhi];
    if (axis == 2) return std::cos(theta);
    return std::sin(theta) * (axis == 0 ? std::cos(phi) : std::sin(phi));
}
template <int Axis>
constexpr MediumArray axis_array(std::string_view name) {
    return medium_array<[](const double* parameters, double) { return axis_along(Axis, parameters); }>(name, true,
                                                                                                       false);
}
constexpr std::array kTiltArrays{kSquaredStep,         kHorizontalStiffness, kStiffnessCoupling,
                                 axis_array<0>("n_x"), axis_array<1>("n_y"), axis_array<2>("n_z")};

Scheme make_tti(int space_order, Coefficients coefficients) {
    if (coefficients != Coefficients::taylor)
        throw std::invalid_argument("tilted transverse isotropy has Taylor coefficients alone");
    Scheme scheme = make_scheme(Equation::star, space_order, coefficients);
    scheme.equation = Equation::tti;
    return scheme;
}

/// 2 / sqrt(vp^2 max(1, e) S), S the largest symbol of the star: whatever the tilt.
double limit_of_tti(const Scheme& scheme, const std::vector<double>& spacing_m, double vp_max_m_s) {
    const double e = 1. + 2. * std::max(0., scheme.anisotropy.epsilon_max);
    return limit_of_sum_of_axes(scheme, spacing_m, vp_max_m_s) / std::sqrt(e);
}

}  // namespace

const EquationRow kTtiEquation{
    .name = "tti",
    .help = "velocities that depend on the angle from a tilted axis",
    .title = "TTI",
    .stencil = kStarStencil,
    .parameters = kTiltParameters,
    .constants = kConstantDensityConstants,
    .fields = kTiltedStresses,
    .arrays = kTiltArrays,
    .source_density = nullptr,
    .make_scheme = make_tti,
    .halo = [](int radius) { return 2 * radius; },
    .axis_symbol = second_derivative_axis_symbol,
    .symbol = sum_of_axes,
    .stability_limit_s = limit_of_tti,
    .set_float = set_second_derivative_stencil<float>,
    .set_double = set_second_derivative_stencil<double>,
    // Of either field: a difference and a fused multiply-add for each weight of both derivatives, products with n, and
    // what VTI has.
    .operations =
        [](int radius, int dimensions) {
            return 2 * (3 * 2 * radius * dimensions + 12) + 5 + 3 * radius * dimensions + 20;
        },
    .scratch = kTiltScratch,
    .source_factor = volume_injection,
    .share_of_second = share_of_vertical,
};

}  // namespace onda
