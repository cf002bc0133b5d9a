// The CUDA variants of products of packed codes, and the pairs that EP counts, beside the CPU's. Skipped where no GPU
// can compute; the host's stand-in runs it, with fewer and smaller products.
#include <cmath>
#include <doctest/doctest.h>
#include <vector>

#include "kernels/companions/pair_counts.hpp"
#include "kernels/cuda/cuda.hpp"
#include "tests/gpu/gpu_packed.hpp"
#include "tests/gpu/gpu_support.hpp"

using namespace onda;
using namespace onda::test;

TEST_CASE("products of packed codes have the bits of the CPU, or are within their bound") {
    need_gpu();
    check_packed_interface();
    constexpr std::int64_t of_a_host = std::int64_t{1} << 32;  // stands in for a GPU, with little memory
    const bool is_gpu = cuda::gpu_state().free_bytes > of_a_host;
    CHECK(check_packed_variants(is_gpu ? std::size(kPackedShapes) : kSmallPackedShapes) > 60);
}

TEST_CASE("batches of pairs have the counts of the CPU, and its sums to rounding") {
    need_gpu();
    constexpr BatchRange counted{1000, 2};
    std::vector<PairSums> on_cpu(2), on_gpu(2);
    cpu::make_pair_counter()->count(PositionedRandom::nas(), counted, on_cpu);
    cuda::make_pair_counter(0)->count(PositionedRandom::nas(), counted, on_gpu);
    for (std::size_t i = 0; i < on_cpu.size(); ++i) {
        CHECK(on_gpu[i].counts == on_cpu[i].counts);
        CHECK(std::abs(on_gpu[i].sx - on_cpu[i].sx) < 1e-9);
        CHECK(std::abs(on_gpu[i].sy - on_cpu[i].sy) < 1e-9);
    }
}
