/// \file
/// The place of a group of warps in a ring of buffers that it shares with another.
#pragma once

#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

/// Barriers of a ring of buffers: a buffer is full when it can be read, and empty when it can be filled again. Both
/// sides count the buffers they have passed.
template <int Size>
class RingPlace {
public:
    [[nodiscard]] __device__ __forceinline__ int buffer() const { return buffer_; }
    /// The phase of "full" that is waited for; that of "empty" is the other one.
    [[nodiscard]] __device__ __forceinline__ int phase() const { return phase_; }
    __device__ __forceinline__ void next() {
        if (++buffer_ == Size) {
            buffer_ = 0;
            phase_ ^= 1;
        }
    }

private:
    int buffer_ = 0, phase_ = 0;
};

}  // namespace onda::cuda
