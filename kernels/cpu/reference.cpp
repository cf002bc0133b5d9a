// The plain triple loop: what every other kernel is compared with.
#include "kernels/cpu/kernel.hpp"
#include "kernels/equations/compact/compact.hpp"

namespace onda::cpu {
namespace {

// L(p) at *p, in the canonical order of kernels/equations/star/stencil.hpp, written as plain loops.
template <typename T>
T laplacian_of(const T* p, const StepArguments<T>& a) {
    const Stencil<T>& s = a.stencil;
    T l = s.centre * p[0];
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[0][k], p[-k] + p[k], l);
    if (s.dimensions == 3)
        for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[1][k], p[-k * a.pitch] + p[k * a.pitch], l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], p[-k * a.plane], l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], p[k * a.plane], l);
    return l;
}

/// L(p) at *p, in the canonical order of kernels/equations/compact/compact.hpp.
template <typename T>
T compact_laplacian_of(const T* p, const StepArguments<T>& a) {
    const auto laplacian = a.stencil.dimensions == 3 ? compact_laplacian<T, 3> : compact_laplacian<T, 2>;
    return laplacian(p, a.pitch, a.plane, a.stencil.compact);
}

template <typename T, typename Laplacian>
void step(const StepArguments<T>& a, const Laplacian& laplacian_at) {
    for_each_row(a, [&](const T* p, T* q, const T* k, const T*) {
        for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], laplacian_at(p + x, a));
    });
}

}  // namespace

template <>
void reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a, laplacian_of<float>);
}
template <>
void reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a, laplacian_of<double>);
}
template <>
void reference_compact_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a, compact_laplacian_of<float>);
}
template <>
void reference_compact_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a, compact_laplacian_of<double>);
}

}  // namespace onda::cpu
