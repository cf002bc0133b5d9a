/// \file
/// The convolutional perfectly matched layer of one face, the same on host and device: Pasalic and McGarry (2010), SEG
/// Expanded Abstracts 29, for the second-order wave equation; Komatitsch and Martin (2007), Geophysics 72, for the
/// memory variables.
///
///     g    = b D p                         first derivative between nodes; b = 1/rho with variable density, else 1
///     psi  = b_psi psi + a_psi g           g + psi is the stretched derivative
///     zeta = b_zeta zeta + a_zeta D*(g + psi)
///     p+  -= k (D* psi + zeta)             at nodes
///
/// p+ already holds the step with the plain operator L, so D must be its factor, -L = D* b D along the axis, D* the
/// transpose of D: what remains is the stretched operator to the last wavenumber. With any other D the difference would
/// be left unstretched: short waves are reflected, and grow where the difference is negative. The operator of variable
/// density is made of its factor; kernels/boundaries/cpml.cpp finds that of the star.
///
/// A strip is walked towards its face: node t = 0 … W lies t nodes beyond the strip's inner edge, values t of g and psi
/// between nodes t and t + 1. psi lives at t = 0 … W - 1, zeta at 1 … W; node W is the face.
#pragma once

#include "kernels/equations/density/staggered.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// The reach of the factor D of an operator: g(t) = sum_j h_j p(t + first + j), j = 0 … count - 1. Then node t takes
/// values t - first - count + 1 … t - first of g and psi, and psi reaches nodes from `first` on.
template <int R>
struct StarFactor {
    static constexpr int first = 0, count = R + 1, smoothed_dimensions = 0;
    static constexpr bool has_density = false, couples = false;
};
/// The star's, of an equation whose fields share what it gives (LayerCoupling of kernels/equations/equation.hpp).
template <int R>
struct VtiFactor : StarFactor<R> {
    static constexpr bool couples = true;
};
template <int R>
struct DensityFactor {
    static constexpr int first = 1 - R, count = 2 * R, smoothed_dimensions = 0;
    static constexpr bool has_density = true, couples = false;
};
/// The factor of the compact operator: D is that of order 2, and p the weighted mean over the plane across the axis
/// that the operator takes of the planes on either side: with that of the axis alone short waves grow where two layers
/// meet.
template <int Dims>
struct CompactFactor {
    static constexpr int first = 0, count = 2, smoothed_dimensions = Dims;
    static constexpr bool has_density = false, couples = false;
};
/// The factors, for a choice at run time.
enum class FactorKind { star, density, compact_2d, compact_3d, vti };
inline constexpr int kMaxFactorWeights = 2 * kMaxRadius;

/// The sum of h_j at(j), in the order of j.
template <typename T, int Count, typename At>
ONDA_HOST_DEVICE T weighted_sum(const T* h, const At& at) {
    T sum = h[0] * at(Index<0>{});
    unroll<1, Count>([&](auto j) __attribute__((always_inline)) { sum = fused(h[j.value], at(j), sum); });
    return sum;
}

/// Strides to the neighbours in the plane across an axis; in 2-D `second` is not used.
struct PlaneStrides {
    std::int64_t first = 0, second = 0;
};
ONDA_HOST_DEVICE PlaneStrides plane_across(int axis, int dimensions, std::int64_t pitch, std::int64_t plane) {
    if (axis == 0) return dimensions == 3 ? PlaneStrides{pitch, plane} : PlaneStrides{plane, 0};
    return axis == 1 ? PlaneStrides{1, plane} : PlaneStrides{1, pitch};
}

/// The value that D differentiates at *p. \param w weights of the node, its neighbours in the plane, and those across
/// corners.
template <typename T, typename F>
ONDA_HOST_DEVICE T smoothed(const T* p, [[maybe_unused]] PlaneStrides s, [[maybe_unused]] const T* w) {
    if constexpr (F::smoothed_dimensions == 0)
        return *p;
    else if constexpr (F::smoothed_dimensions == 2)
        return fused(w[1], p[-s.first] + p[s.first], w[0] * *p);
    else {
        const T sides = (p[-s.first] + p[s.first]) + (p[-s.second] + p[s.second]);
        const T corners =
            (p[-s.first - s.second] + p[s.first - s.second]) + (p[-s.first + s.second] + p[s.first + s.second]);
        return fused(w[2], corners, fused(w[1], sides, w[0] * *p));
    }
}

/// A memory variable of the next step.
template <typename T>
ONDA_HOST_DEVICE T remember(T a, T b, T memory, T value) {
    return fused(b, memory, a * value);
}

/// p+ with the share of the strip. \param share D* psi + zeta.
template <typename T>
ONDA_HOST_DEVICE T with_strip(T k, T share, T p_next) {
    return fused(-k, share, p_next);
}

/// The first node of a strip that is in the grid: `first` of the factor, or later where the strip fills its axis.
ONDA_HOST_DEVICE int first_strip_node(int first, std::int64_t n, int width) {
    const int in_grid = width + 1 - static_cast<int>(n);
    return first > in_grid ? first : in_grid;
}

/// Node t = 0 of a strip: the last before its inner edge. \param high the face at the end of the axis.
ONDA_HOST_DEVICE std::int64_t node_before_strip(std::int64_t n, int width, bool high) {
    return high ? n - 1 - width : width;
}

}  // namespace onda
