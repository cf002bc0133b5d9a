// The nodes near faces, which the kernels of leaps leave out (kernels/plan/shell.hpp).
#include "kernels/cpu/any_order.hpp"

namespace onda::cpu {
namespace {

/// \tparam R the radius, 0: any, by loops.
template <typename T, int Dims, int R>
ONDA_HOST_DEVICE T laplacian_at(const T* p, const StepArguments<T>& a) {
    if constexpr (R == 0)
        return laplacian_of(p, a);
    else
        return laplacian<T, Dims, R>(p, a.pitch, a.plane, a.stencil);
}

/// \param k of the row.
template <typename T, int Dims, int R, ShellPass Pass, typename K>
void step_nodes(const StepArguments<T>& a, std::int64_t row, const K& k, std::int64_t begin, std::int64_t end) {
    const T* const p = a.p + row;
    const T* const before = a.before + row;
    T* const q = a.q + row;
    // q may be the level before: a node reads that of its own only.
#pragma omp simd
    for (std::int64_t x = begin; x < end; ++x)
        q[x] = shell_node<Pass>(a.weights, p[x], before[x], q[x], k[x], laplacian_at<T, Dims, R>(p + x, a));
}

template <typename T, int Dims, int R, ShellPass Pass, typename K>
void step(const StepArguments<T>& a, const K& k) {
    const NodeBox& inner = a.box;
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny;
            const std::int64_t at = y * a.pitch + z * a.plane;
            const K k_row = k + (y * a.k_pitch + z * a.k_plane);
            const bool crosses =
                !inner.is_empty() && y >= inner.low[1] && y < inner.high[1] && z >= inner.low[2] && z < inner.high[2];
            step_nodes<T, Dims, R, Pass>(a, at, k_row, 0, crosses ? inner.low[0] : a.nx);
            if (crosses) step_nodes<T, Dims, R, Pass>(a, at, k_row, inner.high[0], a.nx);
        }
    }
}

template <typename T, int Dims, int R, typename K>
void pass(const StepArguments<T>& a, const K& k) {
    switch (a.pass) {
        case ShellPass::step: return step<T, Dims, R, ShellPass::step>(a, k);
        case ShellPass::inner: return step<T, Dims, R, ShellPass::inner>(a, k);
        case ShellPass::outer: return step<T, Dims, R, ShellPass::outer>(a, k);
    }
}

template <typename T, int Dims, int R>
struct Shell {
    static void step(const StepArguments<T>& a) {
        if constexpr (sizeof(T) == sizeof(float))
            if (a.coded_k.storage != Storage::full) return pass<T, Dims, R>(a, a.coded_k);
        pass<T, Dims, R>(a, a.k);
    }
};

template <typename T>
void step_of_shell(const StepArguments<T>& a) {
#if defined(ONDA_PLAIN)
    Shell<T, 3, 0>::step(a);
#else
    step_of_order<Shell>(a);
#endif
}

}  // namespace

template <>
void leap_shell_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_shell(a);
}
template <>
void leap_shell_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_shell(a);
}

}  // namespace onda::cpu
