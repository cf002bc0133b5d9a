/// \file
/// The centred first derivative that tilted media are made of.
#pragma once

#include <vector>

namespace onda {

/// Weights D_1 … D_r of the centred first derivative of even order 2r on unit spacing, after an unused D_0: df/dx ~
/// sum_m D_m (f(m) - f(-m)), D_m = (-1)^(m+1) (r!)^2 / (m (r-m)! (r+m)!) (Fornberg 1988, Math. Comp. 51).
/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
std::vector<double> first_derivative_weights(int space_order);

}  // namespace onda
