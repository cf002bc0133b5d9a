/// \file
/// Two time steps at once, and the one order of operations in which every kernel takes them.
///
/// With A = k L, p[n+1] + p[n-1] = (2 + A) p[n]. Applied twice it gives
///     p[n+2] = (2 + 4 A + A^2) p[n] - p[n-2],
/// which is the recurrence of the even time levels alone: the solution, stability limit, dispersion and symmetry of two
/// single steps, with the memory traffic of one. It is the undamped leapfrog-Chebyshev scheme of two stages, as
/// 2 + 4 A + A^2 = 2 T_2(1 + A / 2): Hochbruck & Sturm (2018), On leap-frog-Chebyshev schemes, CRC Preprint 2018/17.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// A p = k L(p) at a node of the grid; beyond the grid it is zero.
template <typename T>
ONDA_HOST_DEVICE T leap_inner(T k, T laplacian_of_p) {
    return k * laplacian_of_p;
}

/// p[n+2] = 2 p[n] - p[n-2] + 4 A p[n] + A (A p[n]).
/// \param p p[n]; \param p_before p[n-2]; \param u A p[n], as leap_inner() gives it; \param laplacian_of_u of the same
/// order of operations as that of p.
template <typename T>
ONDA_HOST_DEVICE T leap(T p, T p_before, T u, T k, T laplacian_of_u) {
    return fused(k, laplacian_of_u, fused(T(4), u, fused(T(2), p, -p_before)));
}

}  // namespace onda
