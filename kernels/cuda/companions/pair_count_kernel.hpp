/// \file
/// The kernel that counts pairs of normal numbers: a block a batch.
#pragma once

#include <cstdint>

#include "kernels/companions/pair_counts.hpp"
#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

inline constexpr int kPairThreads = 256, kThreadPairs = static_cast<int>(kBatchPairs) / kPairThreads;

/// Sums and counts of a thread, and of those that it has joined with its own.
struct ThreadSums {
    double sx = 0., sy = 0.;
    int counts[kPairCounts] = {};

    __device__ __forceinline__ void add(const NormalPair& pair) {
        sx += pair.x;
        sy += pair.y;
        const int at = pair.count();
        // Compared with every number, the counts stay in registers.
        ONDA_UNROLL
        for (int l = 0; l < kPairCounts; ++l) counts[l] += at == l ? 1 : 0;
    }
    __device__ __forceinline__ void add(const ThreadSums& other) {
        sx += other.sx;
        sy += other.sy;
        ONDA_UNROLL
        for (int l = 0; l < kPairCounts; ++l) counts[l] += other.counts[l];
    }
};

/// Each thread counts kThreadPairs consecutive pairs; the sums of a block are joined by halves, thread i and i + half,
/// always in this order. Shared memory: ThreadSums of every thread. \param sums of batch first + blockIdx.x.
static __global__ void __launch_bounds__(kPairThreads)
    count_pairs_kernel(const __grid_constant__ PositionedRandom random, std::int64_t first, PairSums* sums) {
    auto* const shared = reinterpret_cast<ThreadSums*>(shared_memory());
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t pair = (first + blockIdx.x) * kBatchPairs + thread * kThreadPairs;
    RandomCursor cursor = random.from(static_cast<std::uint64_t>(2 * pair));
    ThreadSums mine;
    for (int i = 0; i < kThreadPairs; ++i) {
        const double u1 = cursor.next(), u2 = cursor.next();
        const PolarPoint point = PolarPoint::from(u1, u2);
        if (point.is_accepted()) mine.add(point.normal());
    }
    shared[thread] = mine;
    for (int half = kPairThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) shared[thread].add(shared[thread + half]);
    }
    if (thread != 0) return;
    PairSums batch;
    batch.sx = shared[0].sx;
    batch.sy = shared[0].sy;
    for (int l = 0; l < kPairCounts; ++l) batch.counts[l] = shared[0].counts[l];
    sums[blockIdx.x] = batch;
}

}  // namespace onda::cuda
