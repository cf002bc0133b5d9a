/// \file
/// How planes are best divided among blocks that march along z.
#pragma once

#include <cstdint>

#include "kernels/cuda/arguments.hpp"

namespace onda::cuda {

/// What blocks march through.
struct Marches {
    std::int64_t planes = 0;
    std::int64_t tiles = 0;            ///< of a plane
    std::int64_t resident = 1;         ///< blocks at a time on the whole GPU
    std::int64_t reach = 0;            ///< what a chunk costs beyond its own planes, in planes
    std::int64_t longest = INT32_MAX;  ///< planes of a chunk
};

/// The chunks with which the last block ends soonest.
Chunks best_chunks(const Marches& marches);

/// How many chunks so many planes make.
std::int64_t chunk_count(const Chunks& chunks, std::int64_t planes);

}  // namespace onda::cuda
