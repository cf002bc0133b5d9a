/// \file
/// Premultiplied weights of second derivatives whose sum is exactly zero in the precision of the run.
///
/// Weights that are rounded one by one sum to some s != 0, a few 1e-7 of the centre's: the operator then adds s p, so
/// that the mean pressure of a closed room grows like exp(vp sqrt(s) t), and long waves travel wrong by s / (2 k^2).
/// Here all weights are multiples of one quantum, a power of two, and the centre is minus the sum of the others: every
/// partial sum of the canonical order is then exact for a field of ones.
///
/// Rounding each to its nearest multiple would leave errors of up to 1e-5 in the symbol of long waves at order 16,
/// where weight k counts k^2 times. So the multiples are chosen together, for the least error of the symbol down to 2.6
/// points per wavelength: in single precision the phase velocity changes by about 2e-7 where the spacings are equal.
/// Where they are not, the quantum is that of the finest axis, and along one that is n times coarser the velocity
/// changes by up to about 2e-7 n^2.
#pragma once

#include <array>
#include <vector>

#include "kernels/equations/compact/compact.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// w_1 … w_r [1/m^2] of the second derivative along x, y, z; empty where the axis has no derivative.
using SecondDerivativeWeights = std::array<std::vector<double>, 3>;

/// Sets Stencil::axis and Stencil::centre.
/// \throws std::invalid_argument where the weights do not fit the precision.
template <typename T>
void set_second_derivatives(Stencil<T>& stencil, const SecondDerivativeWeights& weights);

/// Sets Stencil::compact for Stencil::dimensions. The centre (A) is minus the sum of the others, whatever it was.
/// \throws std::invalid_argument where the weights do not fit the precision.
template <typename T>
void set_compact(Stencil<T>& stencil, const CompactWeights& weights, double spacing_m);

}  // namespace onda
