/// \file
/// The sum that a receiver samples, for hosts: on each device and across cuts the same to the bit. And the samples of
/// many receivers, compiled for each instruction set: without one that has it, fma is a call of the C library.
#pragma once

#include <cstdint>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/kernel.hpp"
#include "kernels/equations/observed_field.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda {

/// The weighted sum over entries [first, end) of a receiver, in their order. The argument proves that the rule for
/// denormals holds: without it sums ahead of a wave front, where values are next to nothing, would have bits of their
/// own.
/// \param weight_at, value_at of entry i, in T.
template <typename T, typename WeightAt, typename ValueAt>
T receiver_sum(const cpu::FlushDenormals<T>& /*rule*/, std::int64_t first, std::int64_t end, const WeightAt& weight_at,
               const ValueAt& value_at) {
    T sum = 0;
    for (std::int64_t i = first; i < end; ++i) sum = fused(weight_at(i), value_at(i), sum);
    return sum;
}

namespace cpu {

/// The weighted nodes of receivers: those of r are entries first[r] … first[r + 1] - 1.
template <typename T>
struct ReceiverEntries {
    const std::int64_t *first, *element;
    const T* weight;
};

/// Samples the receivers of a range. \param samples of all receivers.
template <typename Isa, typename T>
void sample_receivers(const ReceiverEntries<T>& entries, RowRange range, const ObservedField<T>& observed, T* samples);

template <typename T>
using SampleFunction = void (*)(const ReceiverEntries<T>& entries, RowRange range, const ObservedField<T>& observed,
                                T* samples);

}  // namespace cpu
}  // namespace onda
