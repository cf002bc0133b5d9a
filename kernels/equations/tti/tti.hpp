/// \file
/// Tilted transverse isotropy: the one canonical order of operations of a node, on every device.
///
/// VTI (kernels/equations/vti/vti.hpp) about an axis n that may differ from node to node. With the centred first
/// derivatives D_i along the axes of the grid,
///     g = n . D,   V = sum_i D_i (n_i g),   H = L - V,
/// L the star, the horizontal derivatives of p become H p and the vertical ones of q V q. V is -(n . D)^T (n . D), and
/// -H is not negative for any n(x), as |n . D p|^2 <= sum |D_i p|^2 and D_i^2 is at most the second derivative of the
/// star: jumps of the tilt are stable. Here l = L p + (V q - V p) and v = V q take the places of those of VTI: where
/// epsilon and delta are 0, p = q, and both stay the pressure of the star to the bit.
#pragma once

#include "kernels/equations/vti/vti.hpp"

namespace onda {

/// sum_m D_m (f(m) - f(-m)) added to a sum, nearest first. \param at f(m).
template <typename T, int R, int M = 1, typename ValueAt>
ONDA_HOST_DEVICE T add_differences(const T* weights, const ValueAt& at, T sum) {
    if constexpr (M > R)
        return sum;
    else
        return add_differences<T, R, M + 1>(weights, at, fused(weights[M], at(M) - at(-M), sum));
}

/// n . D of a node from its derivatives.
template <typename T>
ONDA_HOST_DEVICE T along_axis(T n_x, T n_y, T n_z, T d_x, T d_y, T d_z) {
    return fused(n_z, d_z, fused(n_y, d_y, n_x * d_x));
}

}  // namespace onda
