/// \file
/// What the equations of constant density share: one parameter, one field, one array.
#pragma once

#include <array>
#include <string_view>

#include "kernels/equations/parameters.hpp"

namespace onda {

inline constexpr std::array<std::string_view, 1> kPressureField{"p"};

/// (vp dt)^2. \param parameters vp first.
inline double squared_step(const double* parameters, double dt_s) {
    const double step = parameters[0] * dt_s;
    return step * step;
}

inline constexpr std::array kConstantDensityParameters{kVp};
inline constexpr std::array kConstantDensityConstants{kRho};
inline constexpr std::array kConstantDensityArrays{medium_array<squared_step>("k", false, true)};

// What equations of second derivatives along the axes have in common.
double second_derivative_axis_symbol(const Scheme& scheme, double kh);
template <typename T>
void set_second_derivative_stencil(Stencil<T>& stencil, const Scheme& scheme, const std::array<double, 3>& spacing_m);
/// The factor of the second derivative along one axis: -d_xx = D* D.
Factor second_derivative_factor(const Scheme& scheme);

/// -L(k) of operators that are sums over axes.
double sum_of_axes(const Scheme& scheme, const std::vector<double>& axis, const std::vector<double>& spacing_m);
/// The stability limit of such operators: the shortest waves along every axis at once.
double limit_of_sum_of_axes(const Scheme& scheme, const std::vector<double>& spacing_m, double vp_max_m_s);

}  // namespace onda
