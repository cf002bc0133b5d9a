#include "kernels/shot/trace_weights.hpp"

#include "kernels/cpu/kernel.hpp"
#include "kernels/cpu/simd.hpp"

namespace onda::cpu {
namespace {

/// Rows, or lanes, in registers.
using Part = VectorOf<double>::type;
constexpr std::int64_t kPart = sizeof(Part) / sizeof(double), kParts = kWeightRows / kPart;
static_assert(kWeightRows == kTraceLanes);

inline __attribute__((always_inline)) void load(const double* from, Part& values) {
    __builtin_memcpy(&values, from, sizeof values);
}
inline __attribute__((always_inline)) void store(double* to, const Part& values) {
    __builtin_memcpy(to, &values, sizeof values);
}

/// Traces that are weighed together: their sums fill half of the registers.
constexpr std::int64_t kTogether = 8 / kParts;

template <std::int64_t N, typename T>
void weigh(const double* weight, std::int64_t count, const T* const* traces, double* sums) {
    const T* trace[N];
    Part sum[N][kParts] = {};
    for (std::int64_t i = 0; i < N; ++i) trace[i] = traces[i];
    for (std::int64_t k = 0; k < count; ++k) {
        Part of_sample[kParts];
        for (std::int64_t p = 0; p < kParts; ++p) load(weight + k * kWeightRows + p * kPart, of_sample[p]);
        for (std::int64_t i = 0; i < N; ++i) {
            const auto value = static_cast<double>(trace[i][k]);
            for (std::int64_t p = 0; p < kParts; ++p) sum[i][p] = sum[i][p] + of_sample[p] * value;
        }
    }
    for (std::int64_t i = 0; i < N; ++i)
        for (std::int64_t p = 0; p < kParts; ++p) store(sums + i * kWeightRows + p * kPart, sum[i][p]);
}

template <typename T>
void weigh_all(const double* weight, std::int64_t count, const T* const* traces, std::int64_t number, double* sums) {
    std::int64_t i = 0;
    for (; i + kTogether <= number; i += kTogether) weigh<kTogether>(weight, count, traces + i, sums + i * kWeightRows);
    for (; i < number; ++i) weigh<1>(weight, count, traces + i, sums + i * kWeightRows);
}

}  // namespace

template <>
void weigh_samples<ONDA_ISA, float>(const double* weight, std::int64_t count, const float* const* traces,
                                    std::int64_t number, double* sums) {
    weigh_all(weight, count, traces, number, sums);
}
template <>
void weigh_samples<ONDA_ISA, double>(const double* weight, std::int64_t count, const double* const* traces,
                                     std::int64_t number, double* sums) {
    weigh_all(weight, count, traces, number, sums);
}

template <>
void add_weighted_rows<ONDA_ISA>(const double* weight, std::int64_t count, const double* x, double* adjoint) {
    static_assert(kWeightRows == 8);
    for (std::int64_t p = 0; p < kParts; ++p) {
        Part row[kWeightRows];
        for (std::int64_t r = 0; r < kWeightRows; ++r) load(x + r * kTraceLanes + p * kPart, row[r]);
        for (std::int64_t k = 0; k < count; ++k) {
            const double* const w = weight + k * kWeightRows;
            double* const at = adjoint + k * kTraceLanes + p * kPart;
            const Part of_0 = w[0] * row[0] + w[4] * row[4], of_1 = w[1] * row[1] + w[5] * row[5],
                       of_2 = w[2] * row[2] + w[6] * row[6], of_3 = w[3] * row[3] + w[7] * row[7];
            Part sum;
            load(at, sum);
            store(at, sum + ((of_0 + of_2) + (of_1 + of_3)));
        }
    }
}

}  // namespace onda::cpu
