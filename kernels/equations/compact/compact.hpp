/// \file
/// The compact Laplacian: the 27 (in 2-D 9) nearest nodes with one weight each for the centre (A), its 6 face, 12 edge
/// and 8 corner neighbours (B, C, D), and the one order of operations that every kernel follows.
///
/// Each plane is summed once: c, the node; e, its 4 neighbours in the plane; d, the 4 at the plane's corners. It serves
/// three Laplacians, its own and those of the planes on either side:
///     own = A c + B e + C d,  side = B c + C e + D d,  L(z) = (side(z - 1) + own(z)) + side(z + 1),
/// in the order in which planes arrive. In 2-D a plane is a row: c, and e = p(x - 1) + p(x + 1); weights are those of
/// the same operator on a field that is constant along y.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// A, B, C, D on unit spacing.
struct CompactWeights {
    double centre = 0., face = 0., edge = 0., corner = 0.;
};

/// The isotropic one: d_x^2 + d_y^2 + d_z^2 + h^2 / 6 (d_x^2 d_y^2 + d_y^2 d_z^2 + d_z^2 d_x^2) + D h^4 d_x^2 d_y^2
/// d_z^2 of second differences d^2, whose error is h^2 / 12 of the biharmonic operator for any D: C + 2 D = 1/6, and A,
/// B follow from consistency (Kumar 2004, J. Comput. Phys. 201, 109-118; O'Reilly & Beck 2006, Int. J. Numer. Meth.
/// Eng.; Patra & Karttunen 2006, Numer. Meth. PDE 22, 936-953). D = 1/48 is the largest that costs nothing: up to it
/// the stability limit is that of the 19-point stencil (D = 0), c dt / h = sqrt(3) / 2, and the error at order h^4
/// differs least between directions, by (kh)^4 / 720. The often used 1/30 allows 0.807 and differs by (kh)^4 / 540.
inline constexpr CompactWeights kIsotropic{-200. / 48., 20. / 48., 6. / 48., 1. / 48.};

template <typename V>
struct PlaneSums {
    V own, side;
};

/// \param w A, B, C, D over h^2 (Stencil::compact). V: a number, or a vector that `fma` knows.
template <int Dims, typename V, typename W, typename Fma>
ONDA_HOST_DEVICE PlaneSums<V> plane_sums(V c, V e, [[maybe_unused]] V d, const W* w, const Fma& fma) {
    const V own = fma(w[1], e, w[0] * c), side = fma(w[2], e, w[1] * c);
    if constexpr (Dims == 3)
        return {fma(w[2], d, own), fma(w[3], d, side)};
    else
        return {own, side};
}

struct ScalarFma {
    template <typename T>
    ONDA_HOST_DEVICE T operator()(T a, T b, T c) const {
        return fused(a, b, c);
    }
};

/// The sums of the plane around *q.
template <typename T, int Dims>
ONDA_HOST_DEVICE PlaneSums<T> plane_sums_at(const T* q, std::int64_t pitch, const T* w) {
    const T x_pair = q[-1] + q[1];
    if constexpr (Dims == 2) return plane_sums<2>(*q, x_pair, T(0), w, ScalarFma{});
    const T e = x_pair + (q[-pitch] + q[pitch]);
    const T d = (q[-pitch - 1] + q[-pitch + 1]) + (q[pitch - 1] + q[pitch + 1]);
    return plane_sums<3>(*q, e, d, w, ScalarFma{});
}

template <typename T, int Dims>
ONDA_HOST_DEVICE T compact_laplacian(const T* q, std::int64_t pitch, std::int64_t plane, const T* w) {
    const T below = plane_sums_at<T, Dims>(q - plane, pitch, w).side;
    const T own = plane_sums_at<T, Dims>(q, pitch, w).own;
    return (below + own) + plane_sums_at<T, Dims>(q + plane, pitch, w).side;
}

}  // namespace onda
