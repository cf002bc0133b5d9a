#include "kernels/scheme.hpp"

#include <cmath>

#include "kernels/optimised_weights.hpp"
#include "kernels/stencil.hpp"

namespace onda {

double Scheme::axis_symbol(double kh) const {
    return second_derivative_symbol(weights, kh);
}

double Scheme::symbol(const std::vector<double>& k, const std::vector<double>& spacing_m) const {
    double sum = 0.;
    for (std::size_t a = 0; a < k.size(); ++a) sum += axis_symbol(k[a] * spacing_m[a]) / (spacing_m[a] * spacing_m[a]);
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
    return onda::stability_limit_s(weights, spacing_m, vp_max_m_s);
}

Scheme make_scheme(WaveOperator wave_operator, int space_order, Coefficients coefficients) {
    const auto weights =
        coefficients == Coefficients::optimised ? optimised_second_derivative_weights : second_derivative_weights;
    return {wave_operator, space_order, weights(space_order), coefficients};
}

}  // namespace onda
