// The CUDA kernel that counts pairs of normal numbers, run on the host from its own source: counts are those of the
// CPU, sums those of the CPU in another order, whichever threads have the first turn. Takes less than a second.
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "kernels/cuda/companions/pair_count_kernel.hpp"

using namespace onda;

namespace {

constexpr BatchRange kCounted{1000, 2};

std::vector<PairSums> counted_on_device(cuda::Turns turns) {
    std::vector<PairSums> sums(static_cast<std::size_t>(kCounted.count));
    cuda::HostLaunch launch;
    launch.grid = dim3(static_cast<unsigned>(kCounted.count));
    launch.block = dim3(cuda::kPairThreads);
    launch.shared_bytes = cuda::kPairThreads * sizeof(cuda::ThreadSums);
    launch.turns = turns;
    launch.flush_denormals = false;
    cuda::launch_on_host(launch, cuda::count_pairs_kernel, PositionedRandom::nas(), kCounted.first, sums.data());
    return sums;
}

}  // namespace

TEST_CASE("a block counts the pairs of its batch") {
    const std::vector<PairSums> sums = counted_on_device(cuda::Turns::forward);
    std::vector<PairSums> expected(sums.size());
    cpu::make_pair_counter()->count(PositionedRandom::nas(), kCounted, expected);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        CAPTURE(i);
        CHECK(sums[i].counts == expected[i].counts);
        // Sums of 50,000 terms of size 1, rounded in another order.
        CHECK(std::abs(sums[i].sx - expected[i].sx) < 1e-10);
        CHECK(std::abs(sums[i].sy - expected[i].sy) < 1e-10);
    }
    CHECK(counted_on_device(cuda::Turns::backward) == sums);
}
