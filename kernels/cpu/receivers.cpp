#include "kernels/cpu/receivers.hpp"

namespace onda::cpu {
namespace {

template <typename T>
void sample(const ReceiverEntries<T>& entries, RowRange range, const ObservedField<T>& observed, T* samples) {
    const FlushDenormals<T> flush;
    for (std::int64_t r = range.begin; r < range.end; ++r)
        samples[r] = receiver_sum(
            flush, entries.first[r], entries.first[r + 1], [&](std::int64_t i) { return entries.weight[i]; },
            [&](std::int64_t i) { return observed(entries.element[i]); });
}

}  // namespace

template <>
void sample_receivers<ONDA_ISA, float>(const ReceiverEntries<float>& entries, RowRange range,
                                       const ObservedField<float>& observed, float* samples) {
    sample(entries, range, observed, samples);
}
template <>
void sample_receivers<ONDA_ISA, double>(const ReceiverEntries<double>& entries, RowRange range,
                                        const ObservedField<double>& observed, double* samples) {
    sample(entries, range, observed, samples);
}

}  // namespace onda::cpu
