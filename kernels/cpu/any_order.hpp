/// \file
/// The operators of any order, as plain loops: of the reference, and of sets that are compiled plain.
#pragma once

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

/// L(p) at *p, in the canonical order of kernels/equations/star/stencil.hpp.
template <typename T>
inline T laplacian_of(const T* p, const StepArguments<T>& a) {
    const Stencil<T>& s = a.stencil;
    T l = s.centre * p[0];
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[0][k], p[-k] + p[k], l);
    if (s.dimensions == 3)
        for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[1][k], p[-k * a.pitch] + p[k * a.pitch], l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], p[-k * a.plane], l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], p[k * a.plane], l);
    return l;
}

/// p and s = rho / 2 of one node along one axis, for the canonical order of kernels/equations/density/staggered.hpp.
template <typename T>
struct Line {
    const T* p;
    const T* s;
    std::int64_t stride, s_stride;
    const T* d;
    int radius;

    T buoyancy(std::int64_t i) const { return T(1) / (s[i * s_stride] + s[(i + 1) * s_stride]); }

    /// The flux between nodes i and i + 1, nearest pairs first.
    T flux(std::int64_t i) const {
        T sum = d[1] * (p[(i + 1) * stride] - p[i * stride]);
        for (int k = 2; k <= radius; ++k) sum = fused(d[k], p[(i + k) * stride] - p[(i + 1 - k) * stride], sum);
        return buoyancy(i) * sum;
    }

    /// The same, from the first node to the last.
    T flux_in_order(std::int64_t i) const {
        T sum = -d[radius] * p[(i + 1 - radius) * stride];
        for (int k = radius - 1; k >= 1; --k) sum = fused(-d[k], p[(i + 1 - k) * stride], sum);
        for (int k = 1; k <= radius; ++k) sum = fused(d[k], p[(i + k) * stride], sum);
        return buoyancy(i) * sum;
    }
};

/// div(1/rho grad p) at *p.
template <typename T>
inline T flux_divergence_of(const T* p, const T* s, const StepArguments<T>& a) {
    const int r = a.stencil.radius;
    const Line<T> x{p, s, 1, 1, a.stencil.axis[0], r}, y{p, s, a.pitch, a.rho_pitch, a.stencil.axis[1], r},
        z{p, s, a.plane, a.rho_plane, a.stencil.axis[2], r};
    T l = x.d[1] * (x.flux(0) - x.flux(-1));
    for (int k = 2; k <= r; ++k) l = fused(x.d[k], x.flux(k - 1) - x.flux(-k), l);
    if (a.stencil.dimensions == 3)
        for (int k = 1; k <= r; ++k) l = fused(y.d[k], y.flux(k - 1) - y.flux(-k), l);
    for (int k = r; k >= 1; --k) l = fused(-z.d[k], z.flux_in_order(-k), l);
    for (int k = 1; k <= r; ++k) l = fused(z.d[k], z.flux_in_order(k - 1), l);
    return l;
}

}  // namespace
}  // namespace onda::cpu
