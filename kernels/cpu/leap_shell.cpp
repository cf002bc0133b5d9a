// The nodes near faces that step singly while the others leap (kernels/plan/shell.hpp).
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

template <typename T, int Dims, int R>
void step_nodes(const StepArguments<T>& a, std::int64_t row, std::int64_t k_row, std::int64_t begin, std::int64_t end) {
    const T* const p = a.p + row;
    const T* const before = a.before + row;
    T* const q = a.q + row;
    const T* const k = a.k + k_row;
    // q may be the level before: a node reads that of its own only.
#pragma omp simd
    for (std::int64_t x = begin; x < end; ++x)
        q[x] = leapfrog(p[x], before[x], k[x], laplacian<T, Dims, R>(p + x, a.pitch, a.plane, a.stencil));
}

template <typename T, int Dims, int R>
struct LeapShell {
    static void step(const StepArguments<T>& a) {
        const NodeBox& inner = a.box;
#pragma omp parallel num_threads(a.threads)
        {
            const FlushDenormals<T> flush;
            const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
            for (std::int64_t row = rows.begin; row < rows.end; ++row) {
                const std::int64_t y = row % a.ny, z = row / a.ny;
                const std::int64_t at = y * a.pitch + z * a.plane, k_at = y * a.k_pitch + z * a.k_plane;
                const bool crosses = !inner.is_empty() && y >= inner.low[1] && y < inner.high[1] && z >= inner.low[2] &&
                                     z < inner.high[2];
                step_nodes<T, Dims, R>(a, at, k_at, 0, crosses ? inner.low[0] : a.nx);
                if (crosses) step_nodes<T, Dims, R>(a, at, k_at, inner.high[0], a.nx);
            }
        }
    }
};

}  // namespace

template <>
void leap_shell_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<LeapShell>(a);
}
template <>
void leap_shell_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<LeapShell>(a);
}

}  // namespace onda::cpu
