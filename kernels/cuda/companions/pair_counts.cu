// Launches the kernel that counts pairs of normal numbers.
#include "kernels/cuda/companions/pair_count_kernel.hpp"
#include "kernels/cuda/companions/pair_count_launch.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {

void queue_pair_counts(const PositionedRandom& random, BatchRange batches, PairSums* sums, cudaStream_t stream) {
    if (batches.count == 0) return;
    const auto blocks = static_cast<unsigned>(batches.count);
    launch<double>(count_pairs_kernel, {blocks, kPairThreads, kPairThreads * sizeof(ThreadSums)}, stream, random,
                   batches.first, sums);
}

}  // namespace onda::cuda
