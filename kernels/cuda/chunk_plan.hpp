/// \file
/// How planes are best divided among blocks that march along z.
#pragma once

#include <cstdint>

#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/step_facts.hpp"

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

/// The facts' blocks and the planes that these walk through. \param tiles of a plane; \param planes that all chunks
/// update together; \param beyond planes that each chunk loads beyond those that it updates.
void count_blocks(StepFacts& facts, const Chunks& chunks, std::int64_t tiles, std::int64_t planes, double beyond);

}  // namespace onda::cuda
