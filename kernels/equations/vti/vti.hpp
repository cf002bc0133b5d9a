/// \file
/// Vertical transverse isotropy: the one canonical order of operations of a node, on every device.
///
/// The second-order form of the pseudo-acoustic equations of Duveneck et al. (2008, SEG Expanded Abstracts 27): p and q
/// are the horizontal and the vertical stress, with Thomsen's epsilon and delta, e = 1 + 2 epsilon, d = sqrt(1 + 2
/// delta), h = (d_xx + d_yy) p and v = d_zz q,
///     p[n+1] = 2 p[n] - p[n-1] + k (e h + d v),    q[n+1] = 2 q[n] - q[n-1] + k (d h + v).
/// Here l = h + v is summed in the order of the star, and v a second time by itself: e h + d v is e l + (d - e) v, and
/// d h + v is d l + (1 - d) v. Where epsilon and delta are 0 both are l to the bit, and p and q stay the pressure of
/// the star. e and d are multiples of kAnisotropyQuantum, so that d - e and 1 - d are exact in single precision: the
/// matrix
/// [[e, d], [d, 1]] that acts on (h, v) is symmetric and, since d^2 <= e exactly, not indefinite in any precision. That
/// is what the energy, which does not grow, rests on (docs/theory.md).
///
/// For gradients there is a third field beside these, s[n+1] = 2 s[n] - s[n-1] + k h: k times the horizontal strain, of
/// which both stresses are made, p = d q + (e - d^2) s. Nothing reads it at other nodes.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// What e and d are multiples of: up to 16 they have room in a float.
inline constexpr double kAnisotropyQuantum = 0x1p-20;

/// The centre of the second derivative along z alone: exact, as all weights are multiples of one quantum
/// (kernels/equations/coefficients/zero_sum.hpp).
template <typename T>
ONDA_HOST_DEVICE T vertical_centre(const Stencil<T>& s) {
    T sum = 0;
    for (int k = 1; k <= s.radius; ++k) sum += s.axis[2][k];
    return T(-2) * sum;
}

/// The centre of l, where p and q are the stresses at the node.
template <typename T>
ONDA_HOST_DEVICE T centre_of_sum(T centre, T vertical_centre, T p, T q) {
    return fused(vertical_centre, q - p, centre * p);
}

/// p[n+1] of a node. \param l, v of it.
template <typename T>
ONDA_HOST_DEVICE T next_horizontal(T p, T p_prev, T k, T e, T d, T l, T v) {
    return leapfrog(p, p_prev, k, fused(d - e, v, e * l));
}

/// q[n+1] of a node.
template <typename T>
ONDA_HOST_DEVICE T next_vertical(T q, T q_prev, T k, T d, T l, T v) {
    return leapfrog(q, q_prev, k, fused(T(1) - d, v, d * l));
}

/// s[n+1] of a node.
template <typename T>
ONDA_HOST_DEVICE T next_strain(T s, T s_prev, T k, T l, T v) {
    return leapfrog(s, s_prev, k, l - v);
}

/// What receivers and snapshots see of both stresses, p where they are the same: their mean over the axes.
/// \param share of q: 1/3, in 2-D 1/2.
template <typename T>
ONDA_HOST_DEVICE T mean_stress(T share, T p, T q) {
    return fused(share, q - p, p);
}

}  // namespace onda
