// Variable density as the plain triple loop: what every other kernel of this operator is compared with.
#include "kernels/cpu/any_order.hpp"

namespace onda::cpu {
namespace {

template <typename T>
void step(const StepArguments<T>& a) {
    for_each_row(a, [&](const T* p, T* q, const T* k, const T* s) {
        for (std::int64_t x = 0; x < a.nx; ++x) q[x] = leapfrog(p[x], q[x], k[x], flux_divergence_of(p + x, s + x, a));
    });
}

}  // namespace

template <>
void density_reference_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void density_reference_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
