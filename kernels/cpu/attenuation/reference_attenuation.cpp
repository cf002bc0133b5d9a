// Attenuation as the plain triple loop: what every other kernel of this equation is compared with.
#include "kernels/cpu/any_order.hpp"
#include "kernels/equations/attenuation/memory.hpp"

namespace onda::cpu {
namespace {

/// \param l of the operator at the node. \param first_g the place of the first g among the arrays.
template <typename T>
void advance_node(const StepArguments<T>& a, T l, int first_g, std::int64_t x, std::int64_t y, std::int64_t z) {
    const T p = a.p[x + y * a.pitch + z * a.plane];
    T& q = a.q[x + y * a.pitch + z * a.plane];
    const std::int64_t at = x + y * a.k_pitch + z * a.k_plane;
    T next = leapfrog(p, q, a.k[at], l);
    if (a.memory[0] == nullptr) {
        const MediumView<T>& g = a.medium[first_g];
        next = dragged(g.at[x + y * g.pitch + z * g.plane], p, q, next);
    }
    for (int field = 0; field < kMostMemoryFields && a.memory[field] != nullptr; ++field) {
        T& r = a.memory[field][at];
        const MediumView<T>& g = a.medium[first_g + field];
        const T e = not_followed(p, q, r);
        next = relaxed(g.at[x + y * g.pitch + z * g.plane], e, next);
        r = followed(a.of_class[field][node_class(x, y, z)], e, r);
    }
    q = next;
}

/// \param l_at(x, y, z) the operator at a node.
template <typename T, typename Operator>
void step(const StepArguments<T>& a, int first_g, const Operator& l_at) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny;
            for (std::int64_t x = 0; x < a.nx; ++x) advance_node(a, l_at(x, y, z), first_g, x, y, z);
        }
    }
}

template <typename T>
void step_of_star(const StepArguments<T>& a) {
    step(a, 1, [&a](std::int64_t x, std::int64_t y, std::int64_t z) {
        return laplacian_of(a.p + x + y * a.pitch + z * a.plane, a);
    });
}

template <typename T>
void step_of_density(const StepArguments<T>& a) {
    step(a, 2, [&a](std::int64_t x, std::int64_t y, std::int64_t z) {
        return flux_divergence_of(a.p + x + y * a.pitch + z * a.plane,
                                  a.half_rho + x + y * a.rho_pitch + z * a.rho_plane, a);
    });
}

}  // namespace

template <>
void attenuation_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_star(a);
}
template <>
void attenuation_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_star(a);
}
template <>
void attenuation_density_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_density(a);
}
template <>
void attenuation_density_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_density(a);
}

}  // namespace onda::cpu
