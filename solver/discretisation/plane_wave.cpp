#include "solver/discretisation/plane_wave.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "kernels/equations/tti/first_derivative.hpp"

namespace onda {
namespace {

double exact_symbol(const DirectionalMedium& medium, const std::array<double, 3>& k) {
    double along = 0., square = 0.;
    for (std::size_t a = 0; a < 3; ++a) {
        along += medium.axis[a] * k[a];
        square += k[a] * k[a];
    }
    return compressional_symbol(medium.epsilon, medium.delta, square - along * along, along * along);
}

/// sum_m 2 D_m sin(m kh) / h: -i times the symbol of the centred first derivative.
double first_derivative_symbol(const std::vector<double>& weights, double k, double h) {
    double sum = 0.;
    for (std::size_t m = 1; m < weights.size(); ++m) sum += 2. * weights[m] * std::sin(static_cast<double>(m) * k * h);
    return sum / h;
}

double discrete_symbol(const Scheme& scheme, const DirectionalMedium& medium, const std::array<double, 3>& k,
                       const std::array<double, 3>& spacing_m) {
    std::array<double, 3> axis{};
    for (std::size_t a = 0; a < 3; ++a)
        axis[a] = scheme.axis_symbol(k[a] * spacing_m[a]) / (spacing_m[a] * spacing_m[a]);
    if (!has_parameter(scheme.equation, "theta"))
        return compressional_symbol(medium.epsilon, medium.delta, axis[0] + axis[1], axis[2]);
    const std::vector<double> weights = first_derivative_weights(scheme.space_order);
    double along = 0.;
    for (std::size_t a = 0; a < 3; ++a) along += medium.axis[a] * first_derivative_symbol(weights, k[a], spacing_m[a]);
    const double vertical = along * along;
    return compressional_symbol(medium.epsilon, medium.delta, axis[0] + axis[1] + axis[2] - vertical, vertical);
}

}  // namespace

double phase_velocity(const DirectionalMedium& medium, const std::array<double, 3>& direction) {
    return std::sqrt(exact_symbol(medium, direction));
}

double phase_velocity_ratio(const Scheme& scheme, const DirectionalMedium& medium, const std::array<double, 3>& k,
                            const std::array<double, 3>& spacing_m, double vp_dt_m) {
    const double discrete = std::sqrt(discrete_symbol(scheme, medium, k, spacing_m));
    const double exact = std::sqrt(exact_symbol(medium, k));
    return vp_dt_m == 0. ? discrete / exact : 2. * std::asin(0.5 * vp_dt_m * discrete) / (vp_dt_m * exact);
}

std::complex<double> fitted_wavenumber(const RelaxationFit& fit, const Mechanisms& mechanisms, double frequency_hz,
                                       double dt_s) {
    const double omega = 2. * std::numbers::pi * frequency_hz, chord = 0.5 * omega * dt_s;
    std::complex<double> compliance = 1.;
    for (int l = 0; l < fit.relaxation().mechanisms; ++l)
        compliance += mechanisms.strength[static_cast<std::size_t>(l)] /
                      std::complex<double>(1., omega * fit.time_s(l) / std::sqrt(1. - chord * chord));
    return std::sqrt(mechanisms.compliance * compliance);
}

double quality_factor(const std::complex<double>& wavenumber) {
    const std::complex<double> square = wavenumber * wavenumber;
    return square.real() / -square.imag();
}

}  // namespace onda
