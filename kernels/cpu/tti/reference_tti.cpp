// Tilted transverse isotropy as plain loops: what every other kernel of this equation is compared with.
#include "kernels/cpu/any_order.hpp"
#include "kernels/cpu/tti/tilt_medium.hpp"
#include "kernels/equations/tti/tti.hpp"

namespace onda::cpu {
namespace {

/// A row of nodes: x from `begin` to `end`.
struct TiltRow {
    std::int64_t y, z, begin, end;
};

/// Calls body(row) for the rows whose g the second of both passes reads: all in the grid, r nodes longer at both ends,
/// and those up to r nodes beyond one face across y or z; each thread for its own.
template <typename T, typename Body>
void for_tilt_rows(const StepArguments<T>& a, const Body& body) {
    const std::int64_t r = a.stencil.radius, beyond_y = a.stencil.dimensions == 3 ? r : 0;
    const std::int64_t along_y = a.ny + 2 * beyond_y, rows = along_y * (a.nz + 2 * r);
    const RowRange mine = rows_of_thread(rows, omp_get_thread_num(), omp_get_num_threads());
    for (std::int64_t row = mine.begin; row < mine.end; ++row) {
        const std::int64_t y = row % along_y - beyond_y, z = row / along_y - r;
        const bool outside_y = y < 0 || y >= a.ny, outside_z = z < 0 || z >= a.nz;
        if (outside_y && outside_z) continue;
        const std::int64_t more = outside_y || outside_z ? 0 : r;
        body(TiltRow{y, z, -more, a.nx + more});
    }
}

// sum_m D_m (f(m) - f(-m)) along an axis, added to a sum
template <typename T, typename ValueAt>
T differences(const StepArguments<T>& a, int axis, T sum, const ValueAt& at) {
    for (int m = 1; m <= a.stencil.radius; ++m) sum = fused(a.first[axis][m], at(m) - at(-m), sum);
    return sum;
}

template <typename T>
T tilted_derivative(const StepArguments<T>& a, const TiltMedium<T>& medium, const T* p, std::int64_t x) {
    const std::int64_t stride[3] = {1, a.pitch, a.plane};
    T d[3] = {};
    for (int axis = 0; axis < 3; ++axis)
        if (axis != 1 || a.stencil.dimensions == 3)
            d[axis] = differences(a, axis, T(0), [&](int m) { return p[x + m * stride[axis]]; });
    return along_axis(medium.n[0][x], medium.n[1][x], medium.n[2][x], d[0], d[1], d[2]);
}

template <typename T>
T tilted_second_derivative(const StepArguments<T>& a, const TiltMedium<T>& medium, const T* g, std::int64_t x) {
    const std::int64_t stride[3] = {1, a.pitch, a.plane}, n_stride[3] = {1, medium.n_pitch, medium.n_plane};
    T sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (axis != 1 || a.stencil.dimensions == 3)
            sum = differences(a, axis, sum,
                              [&](int m) { return medium.n[axis][x + m * n_stride[axis]] * g[x + m * stride[axis]]; });
    return sum;
}

template <typename T>
void step(const StepArguments<T>& a) {
    const T* const fields[2] = {a.p, a.further_p[0]};
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        for_tilt_rows(a, [&](const TiltRow& row) {
            const TiltMedium<T> medium(a, row.y, row.z);
            const std::int64_t at = row.y * a.pitch + row.z * a.plane;
            for (std::int64_t x = row.begin; x < row.end; ++x)
                for (int field = 0; field < 2; ++field)
                    a.scratch_field[field][at + x] = tilted_derivative(a, medium, fields[field] + at, x);
        });
#pragma omp barrier
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny, at = y * a.pitch + z * a.plane;
            const TiltMedium<T> medium(a, y, z);
            for (std::int64_t x = 0; x < a.nx; ++x) {
                const T of_p = tilted_second_derivative(a, medium, a.scratch_field[0] + at, x);
                const T v = tilted_second_derivative(a, medium, a.scratch_field[1] + at, x);
                const T p = a.p[at + x], q = a.further_p[0][at + x];
                const T l = laplacian_of(a.p + at + x, a) + (v - of_p);
                T &p_next = a.q[at + x], &q_next = a.further_q[0][at + x];
                p_next = next_horizontal(p, p_next, medium.k[x], medium.e[x], medium.d[x], l, v);
                q_next = next_vertical(q, q_next, medium.k[x], medium.d[x], l, v);
            }
        }
    }
}

}  // namespace

template <>
void tti_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void tti_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
