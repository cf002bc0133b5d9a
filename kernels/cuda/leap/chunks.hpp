/// \file
/// Which planes a block of a leap updates.
#pragma once

#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

/// Planes [begin, end).
struct ChunkOfPlanes {
    int begin, end;
};

/// Blocks begin in the order of their index: the chunks are along z, the slowest of the three.
template <typename T>
__device__ __forceinline__ ChunkOfPlanes chunk_of_block(const LeapArguments<T>& a) {
    const int which = static_cast<int>(blockIdx.z), shorter = which - a.long_chunks;
    const int begin = shorter < 0 ? which * a.chunk : a.long_chunks * a.chunk + shorter * a.short_chunk;
    const int end = begin + (shorter < 0 ? a.chunk : a.short_chunk), planes = a.end[2] - a.begin[2];
    return {a.begin[2] + begin, a.begin[2] + (end < planes ? end : planes)};
}

}  // namespace onda::cuda
