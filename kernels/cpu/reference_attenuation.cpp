// Attenuation as the plain triple loop: what every other kernel of this equation is compared with.
#include "kernels/cpu/any_order.hpp"
#include "kernels/equations/attenuation/memory.hpp"

namespace onda::cpu {
namespace {

template <typename T>
void advance_node(const StepArguments<T>& a, std::int64_t x, std::int64_t y, std::int64_t z) {
    const T* const p = a.p + x + y * a.pitch + z * a.plane;
    T* const q = a.q + x + y * a.pitch + z * a.plane;
    const std::int64_t at = x + y * a.k_pitch + z * a.k_plane;
    T next = leapfrog(*p, *q, a.k[at], laplacian_of(p, a));
    for (int field = 0; field < kMostMemoryFields && a.memory[field] != nullptr; ++field) {
        T& r = a.memory[field][at];
        const MediumView<T>& g = a.medium[1 + field];
        const T e = not_followed(*p, *q, r);
        next = relaxed(g.at[x + y * g.pitch + z * g.plane], e, next);
        r = followed(a.of_class[field][node_class(x, y, z)], e, r);
    }
    *q = next;
}

template <typename T>
void step(const StepArguments<T>& a) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row)
            for (std::int64_t x = 0; x < a.nx; ++x) advance_node(a, x, row % a.ny, row / a.ny);
    }
}

}  // namespace

template <>
void attenuation_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void attenuation_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
