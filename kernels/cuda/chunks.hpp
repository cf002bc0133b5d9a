/// \file
/// Which planes a block updates that marches along z.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

/// Planes [begin, end).
struct ChunkOfPlanes {
    int begin, end;
};

/// The chunk of this block among the planes [begin, end). Blocks begin in the order of their index, and chunks are
/// along z, the slowest of the three: the long ones come first.
__device__ __forceinline__ ChunkOfPlanes chunk_of_block(const Chunks& chunks, int begin, int end) {
    const int which = static_cast<int>(blockIdx.z), shorter = which - chunks.long_chunks;
    const int first =
        begin + (shorter < 0 ? which * chunks.chunk : chunks.long_chunks * chunks.chunk + shorter * chunks.short_chunk);
    const int last = first + (shorter < 0 ? chunks.chunk : chunks.short_chunk);
    return {first, last < end ? last : end};
}

}  // namespace onda::cuda
