// The twin: reads p[n], p[n-1] and k, writes p[n+1] in place, and looks at no neighbour (16 bytes a point in float).
#include <omp.h>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

template <typename T>
void step(const StepArguments<T>& a) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny;
            const T* __restrict p = a.p + y * a.pitch + z * a.plane;
            T* __restrict q = a.q + y * a.pitch + z * a.plane;
            const T* __restrict k = a.k + y * a.k_pitch + z * a.k_plane;
#pragma omp simd
            for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], p[x]);
        }
    }
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

}  // namespace onda::cpu
