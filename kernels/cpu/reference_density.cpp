// Variable density as the plain triple loop: what every other kernel of this operator is compared with.
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

// In the canonical order of kernels/equations/density/staggered.hpp, written as plain loops. p and s = rho / 2 of one
// node along one axis.
template <typename T>
struct Line {
    const T* p;
    const T* s;
    std::int64_t stride, s_stride;
    const T* d;
    int radius;

    T buoyancy(std::int64_t i) const { return T(1) / (s[i * s_stride] + s[(i + 1) * s_stride]); }

    // the flux between nodes i and i + 1, nearest pairs first
    T flux(std::int64_t i) const {
        T sum = d[1] * (p[(i + 1) * stride] - p[i * stride]);
        for (int k = 2; k <= radius; ++k) sum = fused(d[k], p[(i + k) * stride] - p[(i + 1 - k) * stride], sum);
        return buoyancy(i) * sum;
    }

    // the same, from the first node to the last
    T flux_in_order(std::int64_t i) const {
        T sum = -d[radius] * p[(i + 1 - radius) * stride];
        for (int k = radius - 1; k >= 1; --k) sum = fused(-d[k], p[(i + 1 - k) * stride], sum);
        for (int k = 1; k <= radius; ++k) sum = fused(d[k], p[(i + k) * stride], sum);
        return buoyancy(i) * sum;
    }
};

// div(1/rho grad p) at *p.
template <typename T>
T flux_divergence_of(const T* p, const T* s, const StepArguments<T>& a) {
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

template <typename T>
void step(const StepArguments<T>& a) {
    for_each_row(a, [&](const T* p, T* q, const T* k, const T* s) {
        for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], flux_divergence_of(p + x, s + x, a));
    });
}

}  // namespace

template <>
void density_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void density_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
