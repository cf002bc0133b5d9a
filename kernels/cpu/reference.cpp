// The plain triple loop: what every other kernel is compared with.
#include "kernels/cpu/any_order.hpp"
#include "kernels/equations/compact/compact.hpp"
#include "kernels/equations/star/leap.hpp"

namespace onda::cpu {
namespace {

/// L(p) at *p, in the canonical order of kernels/equations/compact/compact.hpp.
template <typename T>
T compact_laplacian_of(const T* p, const StepArguments<T>& a) {
    const auto laplacian = a.stencil.dimensions == 3 ? compact_laplacian<T, 3> : compact_laplacian<T, 2>;
    return laplacian(p, a.pitch, a.plane, a.stencil.compact);
}

template <typename T, typename K, typename Laplacian>
void step(const StepArguments<T>& a, const K& k_of_grid, const Laplacian& laplacian_at) {
    for_each_row(a, k_of_grid, [&](const T* p, T* q, const K& k, const T*) {
        for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], laplacian_at(p + x, a));
    });
}

/// u = k L(p) of a node, which beyond the grid is zero.
template <typename T, typename K>
T leap_inner_at(const StepArguments<T>& a, const K& k, std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x < 0 || x >= a.nx || y < 0 || y >= a.ny || z < 0 || z >= a.nz) return T(0);
    return leap_inner(k[x + y * a.k_pitch + z * a.k_plane], laplacian_of(a.p + x + y * a.pitch + z * a.plane, a));
}

/// L(u) of a node, in the order of laplacian_of().
template <typename T, typename K>
T laplacian_of_inner(const StepArguments<T>& a, const K& of_grid, std::int64_t x, std::int64_t y, std::int64_t z) {
    const Stencil<T>& s = a.stencil;
    const auto u = [&](std::int64_t dx, std::int64_t dy, std::int64_t dz) {
        return leap_inner_at(a, of_grid, x + dx, y + dy, z + dz);
    };
    T l = s.centre * u(0, 0, 0);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[0][k], u(-k, 0, 0) + u(k, 0, 0), l);
    if (s.dimensions == 3)
        for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[1][k], u(0, -k, 0) + u(0, k, 0), l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], u(0, 0, -k), l);
    for (int k = 1; k <= s.radius; ++k) l = fused(s.axis[2][k], u(0, 0, k), l);
    return l;
}

template <typename T, typename K>
void leap_step(const StepArguments<T>& a, const K& k) {
    const NodeBox& box = a.box;
#pragma omp parallel for num_threads(a.threads)
    for (std::int64_t z = box.low[2]; z < box.high[2]; ++z) {
        const FlushDenormals<T> flush;
        for (std::int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (std::int64_t x = box.low[0]; x < box.high[0]; ++x) {
                const std::int64_t at = x + y * a.pitch + z * a.plane, k_at = x + y * a.k_pitch + z * a.k_plane;
                a.q[at] = leap(a.weights, a.p[at], a.q[at], leap_inner_at(a, k, x, y, z), k[k_at],
                               laplacian_of_inner(a, k, x, y, z));
            }
    }
}

}  // namespace

template <>
void reference_leap_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    leap_step(a, a.k);
}
template <>
void reference_leap_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    leap_step(a, a.k);
}
template <>
void reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a, a.k, laplacian_of<float>);
}
template <>
void reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a, a.k, laplacian_of<double>);
}
template <>
void reference_coded_step<ONDA_ISA>(const StepArguments<float>& a) {
    step(a, a.coded_k, laplacian_of<float>);
}
template <>
void reference_coded_leap_step<ONDA_ISA>(const StepArguments<float>& a) {
    leap_step(a, a.coded_k);
}
template <>
void reference_compact_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a, a.k, compact_laplacian_of<float>);
}
template <>
void reference_compact_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a, a.k, compact_laplacian_of<double>);
}

}  // namespace onda::cpu
