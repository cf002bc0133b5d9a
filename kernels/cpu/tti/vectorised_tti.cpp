// Tilted transverse isotropy: OpenMP over rows, SIMD along x, in two passes over the grid.
#include "kernels/cpu/tti/tti_rows.hpp"
#include "kernels/equations/tti/tti.hpp"

namespace onda::cpu {
namespace {

template <typename T, int Dims, int R>
struct Vectorised {
    /// n . D of the values of a row at node x.
    static ONDA_HOST_DEVICE T tilted(const StepArguments<T>& a, const TiltMedium<T>& medium, const T* p,
                                     std::int64_t x) {
        const auto along = [&](int axis, std::int64_t stride) __attribute__((always_inline)) {
            const auto at = [ from = p + x, stride ](int m) __attribute__((always_inline)) {
                return from[m * stride];
            };
            return add_differences<T, R>(a.first[axis], at, T(0));
        };
        const T d_y = Dims == 3 ? along(1, a.pitch) : T(0);
        return along_axis(medium.n[0][x], medium.n[1][x], medium.n[2][x], along(0, 1), d_y, along(2, a.plane));
    }

    /// sum_i D_i (n_i g) at node x.
    static ONDA_HOST_DEVICE T tilted_twice(const StepArguments<T>& a, const TiltMedium<T>& medium, const T* g,
                                           std::int64_t x) {
        const auto along = [&](int axis, std::int64_t stride, std::int64_t n_stride, T sum)
            __attribute__((always_inline)) {
            const auto at =
                [ n = medium.n[axis] + x, from = g + x, stride, n_stride ](int m) __attribute__((always_inline)) {
                return n[m * n_stride] * from[m * stride];
            };
            return add_differences<T, R>(a.first[axis], at, sum);
        };
        T sum = along(0, 1, 1, T(0));
        if constexpr (Dims == 3) sum = along(1, a.pitch, medium.n_pitch, sum);
        return along(2, a.plane, medium.n_plane, sum);
    }

    static void first_pass(const StepArguments<T>& a, const TiltRow& row) {
        const TiltMedium<T> medium(a, row.y, row.z);
        const std::int64_t at = row.y * a.pitch + row.z * a.plane;
        const T *const p = a.p + at, *const q = a.further_p[0] + at;
        T* const __restrict g_p = a.scratch_field[0] + at, * const __restrict g_q = a.scratch_field[1] + at;
#pragma omp simd
        for (std::int64_t x = row.begin; x < row.end; ++x) g_p[x] = tilted(a, medium, p, x);
#pragma omp simd
        for (std::int64_t x = row.begin; x < row.end; ++x) g_q[x] = tilted(a, medium, q, x);
    }

    static void second_pass(const StepArguments<T>& a, std::int64_t y, std::int64_t z) {
        const TiltMedium<T> medium(a, y, z);
        const std::int64_t at = y * a.pitch + z * a.plane;
        const T *const p = a.p + at, *const q = a.further_p[0] + at;
        const T *const g_p = a.scratch_field[0] + at, *const g_q = a.scratch_field[1] + at;
        T* const __restrict p_next = a.q + at, * const __restrict q_next = a.further_q[0] + at;
#pragma omp simd
        for (std::int64_t x = 0; x < a.nx; ++x) {
            const T v = tilted_twice(a, medium, g_q, x);
            const T l =
                laplacian<T, Dims, R>(p + x, a.pitch, a.plane, a.stencil) + (v - tilted_twice(a, medium, g_p, x));
            p_next[x] = next_horizontal(p[x], p_next[x], medium.k[x], medium.e[x], medium.d[x], l, v);
            q_next[x] = next_vertical(q[x], q_next[x], medium.k[x], medium.d[x], l, v);
        }
    }

    static void step(const StepArguments<T>& a) {
#pragma omp parallel num_threads(a.threads)
        {
            const FlushDenormals<T> flush;
            for_tilt_rows(a, [&](const TiltRow& row) { first_pass(a, row); });
#pragma omp barrier
            const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
            for (std::int64_t row = rows.begin; row < rows.end; ++row) second_pass(a, row % a.ny, row / a.ny);
        }
    }
};

}  // namespace

template <>
void tti_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<Vectorised>(a);
}
template <>
void tti_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<Vectorised>(a);
}

}  // namespace onda::cpu
