#include "kernels/scheme.hpp"

#include "kernels/stencil.hpp"

namespace onda {

double Scheme::axis_symbol(double kh) const {
    return second_derivative_symbol(weights, kh);
}

double Scheme::stability_limit_s(const std::vector<double>& spacing_m, double vp_max_m_s) const {
    return onda::stability_limit_s(weights, spacing_m, vp_max_m_s);
}

Scheme make_scheme(WaveOperator wave_operator, int space_order) {
    return {wave_operator, space_order, second_derivative_weights(space_order)};
}

}  // namespace onda
