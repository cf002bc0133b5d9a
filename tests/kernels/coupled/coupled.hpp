/// \file
/// An equation of the tests alone: two pressures, each a wave of velocity vp, that pull at each other with an angular
/// frequency omega [rad/s]. It has everything that the general code must not take for granted: two fields and a
/// parameter that is neither vp nor rho. On an infinite medium p + s travels as a wave of its own, and p - s disperses
/// as omega_k^2 = vp^2 k^2 + 2 omega^2.
///
///     p_tt = vp^2 lap p - omega^2 (p - s)
///     s_tt = vp^2 lap s - omega^2 (s - p)
#pragma once

#include "kernels/equations/equation.hpp"

namespace onda::test {

extern const EquationRow kCoupledEquation;
inline constexpr Equation kCoupled{kCoupledEquation};

/// The coupled equation without the first derivatives that perfectly matched layers need.
Equation coupled_without_layers();

/// EquationRow::on_cuda: of coupled_on_gpu.cu, or null in programs that are linked with coupled_without_gpu.cpp.
const cuda::EquationKernels* coupled_on_cuda();

}  // namespace onda::test
