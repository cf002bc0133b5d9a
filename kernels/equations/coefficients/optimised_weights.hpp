/// \file
/// Finite-difference weights that keep the phase velocity over the widest band, instead of at long waves only.
///
/// Taylor weights spend all their freedom at wavenumber zero. Optimised ones keep the first condition of Taylor's (the
/// derivative is right for long waves, to second order) and spread the rest: the relative error of the phase velocity
/// goes up and down between -kPhaseTolerance and +kPhaseTolerance as often as there are free weights, which by
/// Chebyshev's theorem makes the band of wavenumbers within the tolerance as wide as it can be. He, Zhang & Yao (2019),
/// Geophysics 84(3), S137-S147, find such weights by the exchange algorithm of Remez for a given band; here the
/// tolerance is given, and the band follows. On the idea: Holberg (1987), Geophys. Prospect. 35, 629-655; Tam & Webb
/// (1993), J. Comput. Phys. 107, 262-281.
#pragma once

#include <vector>

namespace onda {

/// Largest relative error of the phase velocity within the band of optimised weights: a hundredth of a wavelength in a
/// hundred wavelengths of travel. Zhang & Yao (2013), J. Comput. Phys. 250, 511-526, show that tolerances much above it
/// spoil long paths.
inline constexpr double kPhaseTolerance = 1e-4;

/// Weights c_0 … c_r of the centred second derivative, in the form of second_derivative_weights(). Order 2 has no
/// weight to spare: it is Taylor's.
/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
std::vector<double> optimised_second_derivative_weights(int space_order);

/// Weights d_1 … d_r (element 0 is not used) of the first derivative half-way between nodes, on unit spacing,
///     df/dx(0) ~ sum_k d_k (f(k - 1/2) - f(1/2 - k)).
/// Two of these in a row, as in div (1/rho grad p), keep the phase velocity within kPhaseTolerance.
/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
std::vector<double> optimised_staggered_weights(int space_order);

}  // namespace onda
