// Vertical transverse isotropy as the plain triple loop: what every other kernel of this equation is compared with.
#include "kernels/cpu/kernel.hpp"
#include "kernels/equations/vti/vti.hpp"

namespace onda::cpu {
namespace {

template <typename T>
void advance_node(const StepArguments<T>& a, T vertical_centre, std::int64_t x, std::int64_t y, std::int64_t z) {
    const Stencil<T>& s = a.stencil;
    const std::int64_t node = x + y * a.pitch + z * a.plane;
    const T *const p = a.p + node, *const q = a.further_p[0] + node;
    T l = centre_of_sum(s.centre, vertical_centre, p[0], q[0]), v = vertical_centre * q[0];
    for (int i = 1; i <= s.radius; ++i) l = fused(s.axis[0][i], p[-i] + p[i], l);
    if (s.dimensions == 3)
        for (int i = 1; i <= s.radius; ++i) l = fused(s.axis[1][i], p[-i * a.pitch] + p[i * a.pitch], l);
    for (const std::int64_t plane : {-a.plane, a.plane})
        for (int i = 1; i <= s.radius; ++i) {
            l = fused(s.axis[2][i], q[i * plane], l);
            v = fused(s.axis[2][i], q[i * plane], v);
        }
    const auto of = [&](const MediumView<T>& array) { return array.at[x + y * array.pitch + z * array.plane]; };
    const T k = of(a.medium[0]), e = of(a.medium[1]), d = of(a.medium[2]);
    a.q[node] = next_horizontal(p[0], a.q[node], k, e, d, l, v);
    a.further_q[0][node] = next_vertical(q[0], a.further_q[0][node], k, d, l, v);
    if (T* const strain = a.further_q[1]) strain[node] = next_strain(a.further_p[1][node], strain[node], k, l, v);
}

template <typename T>
void step(const StepArguments<T>& a) {
    const T centre = vertical_centre(a.stencil);
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
            for (std::int64_t x = 0; x < a.nx; ++x) advance_node(a, centre, x, row % a.ny, row / a.ny);
    }
}

}  // namespace

template <>
void vti_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void vti_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
