/// \file
/// Weighted sums of the samples of traces (solver/signal/resampling.hpp), compiled for each instruction set. Every
/// product and every sum is rounded by itself, in one order, so that all sets give the same bits.
#pragma once

#include <cstdint>

namespace onda::cpu {

/// Neighbouring sums whose weights lie side by side, [sample][row], and traces that lie so, [sample][lane].
inline constexpr std::int64_t kWeightRows = 8, kTraceLanes = 8;

/// sum[i][row] = sum over k < count of weight[k][row] trace[i][k], in the order of k.
template <typename Isa, typename T>
void weigh_samples(const double* weight, std::int64_t count, const T* const* traces, std::int64_t number, double* sums);

/// The transpose for kTraceLanes traces: adds the sum over the rows of weight[k][row] x[row][lane] to adjoint[k][lane],
/// rows 0 and 4, 1 and 5, 2 and 6, 3 and 7 first.
template <typename Isa>
void add_weighted_rows(const double* weight, std::int64_t count, const double* x, double* adjoint);

/// Those of the best instruction set of this machine.
struct TraceWeights {
    void (*weigh_floats)(const double* weight, std::int64_t count, const float* const* traces, std::int64_t number,
                         double* sums);
    void (*weigh_doubles)(const double* weight, std::int64_t count, const double* const* traces, std::int64_t number,
                          double* sums);
    void (*add_rows)(const double* weight, std::int64_t count, const double* x, double* adjoint);
};
const TraceWeights& trace_weights();

}  // namespace onda::cpu
