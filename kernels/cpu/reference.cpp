// The plain triple loop: what every other kernel is compared with.
#include <omp.h>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

// L(p) at *p, in the canonical order of kernels/stencil.hpp, written as plain loops.
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

template <typename T>
void step(const StepArguments<T>& a) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny;
            const T* p = a.p + y * a.pitch + z * a.plane;
            T* q = a.q + y * a.pitch + z * a.plane;
            const T* k = a.k + y * a.k_pitch + z * a.k_plane;
            for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], laplacian_of(p + x, a));
        }
    }
}

}  // namespace

template <>
void reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
