#include "kernels/equations/scheme.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/equations/star/stencil.hpp"

namespace onda {

bool has_parameter(const Equation& equation, std::string_view name) {
    return std::ranges::any_of(equation->parameters, [&](const MediumParameter& row) { return row.name == name; });
}

std::string Scheme::description() const {
    std::string text;
    if (!equation->title.empty()) text = std::string(equation->title) + ", ";
    text += "order " + std::to_string(space_order);
    if (coefficients == Coefficients::optimised) text += " with optimised coefficients";
    return time_order == 2 ? text : text + ", order " + std::to_string(time_order) + " in time";
}

double Scheme::axis_symbol(double kh) const {
    return equation->axis_symbol(*this, kh);
}

double Scheme::symbol(const std::vector<double>& k, const std::vector<double>& spacing_m) const {
    std::vector<double> axis(k.size());
    for (std::size_t a = 0; a < k.size(); ++a) axis[a] = axis_symbol(k[a] * spacing_m[a]);
    return equation->symbol(*this, axis, spacing_m);
}

double Scheme::phase_velocity_ratio(const std::vector<double>& k, const std::vector<double>& spacing_m,
                                    double vp_dt_m) const {
    double exact_squared = 0.;
    for (const double component : k) exact_squared += component * component;
    const double exact = std::sqrt(exact_squared), discrete = std::sqrt(symbol(k, spacing_m));
    if (vp_dt_m == 0.) return discrete / exact;
    const double of_step = vp_dt_m * discrete;
    const double chord = time_order == 4 ? of_step * std::sqrt(1. - of_step * of_step / 12.) : of_step;
    return 2. * std::asin(0.5 * chord) / (vp_dt_m * exact);
}

double Scheme::stability_limit_s(const std::vector<double>& spacing_m, double vp_max_m_s) const {
    return (time_order == 4 ? std::sqrt(3.) : 1.) * equation->stability_limit_s(*this, spacing_m, vp_max_m_s);
}

double Scheme::stiffest_m_s(double vp_max_m_s, std::span<const double> lowest, double dt_s) const {
    return equation->stiffening == nullptr ? vp_max_m_s : vp_max_m_s * equation->stiffening(*this, lowest, dt_s);
}

double Scheme::stability_limit_in_layers_s(const std::vector<double>& spacing_m, double vp_max_m_s) const {
    return (time_order == 4 ? std::sqrt(1.5) : 1.) * equation->stability_limit_s(*this, spacing_m, vp_max_m_s);
}

Scheme make_scheme(const Equation& equation, int space_order, Coefficients coefficients) {
    return equation->make_scheme(space_order, coefficients);
}

SecondDerivativeWeights second_derivatives(const Scheme& scheme, const std::array<double, 3>& spacing_m,
                                           int dimensions) {
    SecondDerivativeWeights axes;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (dimensions == 2 && axis == 1) continue;
        const double h = spacing_m[axis];
        for (std::size_t k = 1; k < scheme.weights.size(); ++k) axes[axis].push_back(scheme.weights[k] / (h * h));
    }
    return axes;
}

template <typename T>
Stencil<T> make_stencil(const Scheme& scheme, const std::array<double, 3>& spacing_m, int dimensions) {
    Stencil<T> stencil;
    stencil.radius = scheme.radius();
    stencil.dimensions = dimensions;
    if constexpr (sizeof(T) == 4)
        scheme.equation->set_float(stencil, scheme, spacing_m);
    else
        scheme.equation->set_double(stencil, scheme, spacing_m);
    return stencil;
}

template Stencil<float> make_stencil(const Scheme&, const std::array<double, 3>&, int);
template Stencil<double> make_stencil(const Scheme&, const std::array<double, 3>&, int);

}  // namespace onda
