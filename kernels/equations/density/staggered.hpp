/// \file
/// Variable density: the one canonical order of operations for  p_tt = rho vp^2 div(1/rho grad p).
///
/// Derivatives are taken halfway between the nodes (Virieux 1984; here for the pressure alone):
///     F(i+1/2) = b(i+1/2) sum_k d_k (p(i+k) - p(i+1-k)),    div(i) = sum_k d_k (F(i+k-1/2) - F(i-k+1/2)),
/// with d_k of staggered_weights divided by the spacing. The buoyancy between two nodes is that of half a cell of each
/// in series, b(i+1/2) = 2 / (rho(i) + rho(i+1)): the flux through an interface midway between nodes is then right
/// whatever the contrast (Tikhonov & Samarskii 1961). The matrix is -D^T b D, symmetric: energy is kept.
#pragma once

#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// 1/x, correctly rounded. On a device these are the operations of CUDA's own division without its way out for
/// exponents near the ends of the range, where no density is: with it a division takes twice as long.
ONDA_HOST_DEVICE float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fused(y, fused(-x, y, 1.f), y);
#else
    return 1.f / x;
#endif
}
ONDA_HOST_DEVICE double reciprocal(double x) {
    return 1. / x;
}

/// 1/rho between two nodes. \param s half the density at either: kernels are given rho / 2.
template <typename T>
ONDA_HOST_DEVICE T buoyancy(T s, T s_next) {
    return reciprocal(s + s_next);
}

/// sum_k d_k (q(k) - q(1-k)), k = 1 … R, nearest first: the derivative between q(0) and q(1).
template <typename T, int R, int K = 1>
ONDA_HOST_DEVICE T half_step(const T* q, std::int64_t stride, const T* d, T sum) {
    const T pair = q[K * stride] - q[(1 - K) * stride];
    const T next = K == 1 ? d[K] * pair : fused(d[K], pair, sum);
    if constexpr (K == R)
        return next;
    else
        return half_step<T, R, K + 1>(q, stride, d, next);
}

/// The flux F between q(0) and q(1) along x or y. \param s at the node of q(0).
template <typename T, int R>
ONDA_HOST_DEVICE T flux(const T* q, const T* s, std::int64_t stride, std::int64_t s_stride, const T* d) {
    return buoyancy(s[0], s[s_stride]) * half_step<T, R>(q, stride, d, T(0));
}

/// The weight of the j-th of the 2R values of a half step in order of arrival: -d_R … -d_1, d_1 … d_R.
template <typename T>
ONDA_HOST_DEVICE T arrival_weight(const T* d, int radius, int j) {
    return j < radius ? -d[radius - j] : d[j - radius + 1];
}

/// The flux along z, in order of arrival: a kernel that marches along z adds each plane as it comes.
template <typename T, int R>
ONDA_HOST_DEVICE T flux_in_order(const T* q, const T* s, std::int64_t stride, std::int64_t s_stride, const T* d) {
    T sum = arrival_weight(d, R, 0) * q[(1 - R) * stride];
    for (int j = 1; j < 2 * R; ++j) sum = fused(arrival_weight(d, R, j), q[(1 - R + j) * stride], sum);
    return buoyancy(s[0], s[s_stride]) * sum;
}

/// div(1/rho grad p) at *q: x, y (Dims = 3), then the fluxes along z in order of arrival.
/// Every kernel on every backend performs exactly these roundings.
/// \param s half the density at the same node, with strides of its own.
template <typename T, int Dims, int R>
ONDA_HOST_DEVICE T flux_divergence(const T* q, std::int64_t pitch, std::int64_t plane, const T* s, std::int64_t s_pitch,
                                   std::int64_t s_plane, const Stencil<T>& w) {
    const T* const x = w.axis[0];
    const T* const y = w.axis[1];
    const T* const z = w.axis[2];
    T l = x[1] * (flux<T, R>(q, s, 1, 1, x) - flux<T, R>(q - 1, s - 1, 1, 1, x));
    for (int k = 2; k <= R; ++k)
        l = fused(x[k], flux<T, R>(q + k - 1, s + k - 1, 1, 1, x) - flux<T, R>(q - k, s - k, 1, 1, x), l);
    if constexpr (Dims == 3)
        for (int k = 1; k <= R; ++k) {
            const T ahead = flux<T, R>(q + (k - 1) * pitch, s + (k - 1) * s_pitch, pitch, s_pitch, y);
            l = fused(y[k], ahead - flux<T, R>(q - k * pitch, s - k * s_pitch, pitch, s_pitch, y), l);
        }
    for (int j = 0; j < 2 * R; ++j)
        l = fused(arrival_weight(z, R, j),
                  flux_in_order<T, R>(q + (j - R) * plane, s + (j - R) * s_plane, plane, s_plane, z), l);
    return l;
}

}  // namespace onda
