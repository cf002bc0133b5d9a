// The twin: reads p[n], p[n-1] and k, writes p[n+1] in place, and looks at no neighbour (16 bytes a point in float).
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

template <typename T>
void step(const StepArguments<T>& a) {
    for_each_row(a, [&](const T* __restrict p, T* __restrict q, const T* __restrict k, const T*) {
#pragma omp simd
        for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], p[x]);
    });
}

/// With variable density one more array is read.
template <typename T>
void density_step(const StepArguments<T>& a) {
    for_each_row(a, [&](const T* __restrict p, T* __restrict q, const T* __restrict k, const T* __restrict half_rho) {
#pragma omp simd
        for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], half_rho[x] * p[x]);
    });
}

}  // namespace

template <>
void twin_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void twin_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}
template <>
void density_twin_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    density_step(a);
}
template <>
void density_twin_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    density_step(a);
}

}  // namespace onda::cpu
