/// \file
/// The launch of the kernel that counts pairs.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/companions/pair_counts.hpp"

namespace onda::cuda {

/// Queues sums[i] = those of batch i of the range, in device memory. \throws Error if the launch fails.
void queue_pair_counts(const PositionedRandom& random, BatchRange batches, PairSums* sums, cudaStream_t stream);

}  // namespace onda::cuda
