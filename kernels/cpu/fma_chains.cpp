// Enough chains to hide the latency of an fma behind those of the others: 4 cycles, two units, and some to spare.
#include "kernels/cpu/arithmetic.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

template <typename T>
std::int64_t run(std::int64_t times, T factor, T term, T* sum) {
    constexpr int chains = 12;
    const Vector<T> by = splat(factor), plus = splat(term);
    Vector<T> x[chains];
    for (int i = 0; i < chains; ++i) x[i] = splat(term * T(i));
    for (std::int64_t n = 0; n < times; ++n) {
#pragma GCC unroll 12
        for (int i = 0; i < chains; ++i) x[i] = fused(x[i], by, plus);
    }
    for (int i = 1; i < chains; ++i) x[0] += x[i];
    *sum = x[0][0];
    return times * chains * kLanes<T> * 2;
}

}  // namespace

template <>
std::int64_t fma_chains<ONDA_ISA, float>(std::int64_t times, float factor, float term, float* sum) {
    return run(times, factor, term, sum);
}
template <>
std::int64_t fma_chains<ONDA_ISA, double>(std::int64_t times, double factor, double term, double* sum) {
    return run(times, factor, term, sum);
}

}  // namespace onda::cpu
