/// \file
/// Weights of derivatives, their symbols, and the one canonical update every kernel follows.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/host_device.hpp"

namespace onda {

inline constexpr int kMaxSpaceOrder = 16;
inline constexpr int kMaxRadius = kMaxSpaceOrder / 2;

/// \throws std::invalid_argument unless it is even, 2 … 16.
void check_order(int space_order);

/// Weights c_0 … c_r of the centred second derivative of even order 2r on unit spacing,
///     d2f/dx2 ~ c_0 f(0) + sum_k c_k (f(k) + f(-k)).
/// Closed form of Fornberg (1988), Math. Comp. 51: c_k = 2 (-1)^(k+1) (r!)^2 / (k^2 (r-k)! (r+k)!).
/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
std::vector<double> second_derivative_weights(int space_order);

/// Weights d_1 … d_r (d_0 = 0 is unused) of the first derivative halfway between two nodes, of even order 2r on unit
/// spacing:  df/dx(1/2) ~ sum_k d_k (f(k) - f(1-k)).
/// Closed form of Fornberg & Ghrist (1999), SIAM J. Numer. Anal. 37:
///     d_k = (-1)^(k+1) ((2r-1)!!)^2 / (2^(2r-2) (r+k-1)! (r-k)! (2k-1)^2).
/// \param space_order even, 2 … 16; std::invalid_argument otherwise.
std::vector<double> staggered_weights(int space_order);

/// The symbol of two such derivatives in a row, (2 sum_k d_k sin((k - 1/2) kh))^2: what -h^2 d2f/dx2 is to waves.
double staggered_symbol(const std::vector<double>& weights, double kh);

/// -L(k) h^2 for one axis at angular wavenumber k: the exact symbol of the discrete second derivative.
/// \param weights c_0 … c_r; \param kh wavenumber times spacing [rad].
double second_derivative_symbol(const std::vector<double>& weights, double kh);

/// Premultiplied weights, the same for every kernel and backend: axis[a][k] is c_k / h_a^2, and the centre minus the
/// sum of all others, to the last bit (kernels/equations/coefficients/zero_sum.hpp); for variable density axis[a][k] =
/// d_k / h_a.
template <typename T>
struct Stencil {
    int radius = 0;
    int dimensions = 3;
    T centre = 0;
    T compact[4] = {};  ///< A, B, C, D over h^2 of kernels/equations/compact/compact.hpp; zeros for other operators
    T axis[3][kMaxRadius + 1] = {};  ///< x, y, z; index 0 unused. Plain arrays: kernel sources call no inline functions
};

ONDA_HOST_DEVICE float fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
ONDA_HOST_DEVICE double fused(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}

/// l + sum_k w_k (q(-k) + q(k)), k = 1 … R, nearest first. Unrolled by recursion, which every compiler vectorises.
template <typename T, int R, int K = 1>
ONDA_HOST_DEVICE T add_pairs(const T* q, std::int64_t stride, const T* w, T l) {
    if constexpr (K > R)
        return l;
    else
        return add_pairs<T, R, K + 1>(q, stride, w, fused(w[K], q[-K * stride] + q[K * stride], l));
}

/// l + sum_k w_k q(k), k = 1 … R, nearest first; a negative stride looks backward.
template <typename T, int R, int K = 1>
ONDA_HOST_DEVICE T add_half(const T* q, std::int64_t stride, const T* w, T l) {
    if constexpr (K > R)
        return l;
    else
        return add_half<T, R, K + 1>(q, stride, w, fused(w[K], q[K * stride], l));
}

/// The part of the canonical Laplacian that one plane holds: centre, x pairs, y pairs.
template <typename T, int Dims, int R>
ONDA_HOST_DEVICE T in_plane_laplacian(const T* q, std::int64_t pitch, const Stencil<T>& s) {
    const T l = add_pairs<T, R>(q, 1, s.axis[0], s.centre * q[0]);
    if constexpr (Dims == 3)
        return add_pairs<T, R>(q, pitch, s.axis[1], l);
    else
        return l;
}

/// The canonical order of operations of the Laplacian at *q, in 3-D or (Dims = 2) in x-z:
/// centre, x pairs, y pairs, backward half of z, forward half of z in order of arrival.
/// Every kernel on every backend performs exactly these roundings.
template <typename T, int Dims, int R>
ONDA_HOST_DEVICE T laplacian(const T* q, std::int64_t pitch, std::int64_t plane, const Stencil<T>& s) {
    const T l = in_plane_laplacian<T, Dims, R>(q, pitch, s);
    return add_half<T, R>(q, plane, s.axis[2], add_half<T, R>(q, -plane, s.axis[2], l));
}

/// p+ = 2p - p- + k L(p),  k = (vp dt)^2
template <typename T>
ONDA_HOST_DEVICE T leapfrog(T q, T p_prev, T k, T laplacian_of_q) {
    return fused(k, laplacian_of_q, fused(T(2), q, -p_prev));
}

}  // namespace onda
