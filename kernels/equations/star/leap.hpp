/// \file
/// Updates that apply A = k L twice, leaps and steps of order 4 in time, and the one order of operations in which every
/// kernel takes them.
///
/// A leap takes two steps at once. p[n+1] + p[n-1] = (2 + A) p[n], applied twice, gives
///     p[n+2] = (2 + 4 A + A^2) p[n] - p[n-2],
/// which is the recurrence of the even time levels alone: the solution, stability limit, dispersion and symmetry of two
/// single steps, with the memory traffic of one. It is the undamped leapfrog-Chebyshev scheme of two stages, as
/// 2 + 4 A + A^2 = 2 T_2(1 + A / 2): Hochbruck & Sturm (2018), On leap-frog-Chebyshev schemes, CRC Preprint 2018/17.
///
/// A step of order 4 in time replaces the next term of the series of 2 cosh(dt d/dt) by the wave equation:
///     p[n+1] = (2 + A + A^2 / 12) p[n] - p[n-1],
/// the modified equation of Dablain (1986), Geophysics 51(1), 54-66. The polynomials differ in two numbers alone.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// The factors of A p and A^2 p in the next level.
template <typename T>
struct LeapWeights {
    T once = 4, twice = 1;
};
template <typename T>
inline constexpr LeapWeights<T> kFourthOrder{T(1), T(1) / T(12)};

/// A p = k L(p) at a node of the grid; beyond the grid it is zero.
template <typename T>
ONDA_HOST_DEVICE T leap_inner(T k, T laplacian_of_p) {
    return k * laplacian_of_p;
}

/// The next level, 2 p - p_before + once u + twice A u. Those of a leap are two steps apart.
/// \param u A p, as leap_inner() gives it; \param laplacian_of_u of the same order of operations as that of p.
template <typename T>
ONDA_HOST_DEVICE T leap(const LeapWeights<T>& w, T p, T p_before, T u, T k, T laplacian_of_u) {
    return fused(w.twice * k, laplacian_of_u, fused(w.once, u, fused(T(2), p, -p_before)));
}

/// What becomes of the nodes near faces that the two applications leave out (kernels/plan/shell.hpp): a single step,
/// or of order 4 in time the first application and then the second.
enum class ShellPass { step, inner, outer };

/// A node of the shell. \param p what the operator is applied to; \param before the level before p, or in the second
/// application p[n], where p is u; \param p_before p[n-1], of the second application.
template <ShellPass Pass, typename T>
ONDA_HOST_DEVICE T shell_node(const LeapWeights<T>& w, T p, T before, T p_before, T k, T laplacian_of_p) {
    if constexpr (Pass == ShellPass::inner)
        return leap_inner(k, laplacian_of_p);
    else if constexpr (Pass == ShellPass::outer)
        return leap(w, before, p_before, p, k, laplacian_of_p);
    else
        return leapfrog(p, before, k, laplacian_of_p);
}

}  // namespace onda
