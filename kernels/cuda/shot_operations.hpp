/// \file
/// What a shot does to one node and takes from a few, for the kernels that do it.
#pragma once

#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/equations/star/stencil.hpp"

namespace onda::cuda {

/// Adds all contributions to source node i at step n, in one fixed order. \param p p[n+1].
template <typename T>
__device__ __forceinline__ void add_source(T* p, const SourceNodes<T>& s, int i, std::int64_t n) {
    T value = p[s.element[i]];
    for (std::int64_t e = s.first[i]; e < s.first[i + 1]; ++e) {
        const std::int64_t begin = s.samples[s.row[e]];
        if (n < s.samples[s.row[e] + 1] - begin) value = fused(s.amplitude[e], s.signal[begin + n], value);
    }
    p[s.element[i]] = value;
}

/// Records sample n of receiver r. \param p p[n].
template <typename T>
__device__ __forceinline__ void sample_receiver(const ObservedField<T>& p, const ReceiverNodes<T>& s, std::int64_t r,
                                                std::int64_t n) {
    T value = 0;
    for (std::int64_t e = s.first[r]; e < s.first[r + 1]; ++e) value = fused(s.weight[e], p(s.element[e]), value);
    s.samples[n % s.capacity * s.receivers + r] = value;
}

}  // namespace onda::cuda
