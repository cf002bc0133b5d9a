/// \file
/// The centred first derivative that tilted media are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/setup.hpp"

namespace onda {

/// Weights D_1 … D_r of the centred first derivative of even order 2r on unit spacing, after an unused D_0: df/dx ~
/// sum_m D_m (f(m) - f(-m)), D_m = (-1)^(m+1) (r!)^2 / (m (r-m)! (r+m)!) (Fornberg 1988, Math. Comp. 51).
/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
std::vector<double> first_derivative_weights(int space_order);

/// Sets D_m / h along each axis that the grid has, for an equation that takes first derivatives: one with scratch
/// fields.
template <typename T>
void set_first_derivatives(const Problem& problem, T (&first)[3][kMaxRadius + 1]) {
    if (problem.scheme.equation->scratch.empty()) return;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (problem.grid.has_axis(static_cast<int>(axis)))
            std::ranges::transform(
                first_derivative_weights(problem.scheme.space_order), first[axis],
                [h = problem.grid.spacing_m[axis]](double weight) { return static_cast<T>(weight / h); });
}

}  // namespace onda
