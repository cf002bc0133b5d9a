// On a GPU, too, wavefields share a medium, a batch gives the bits of its shots alone, and a state goes on elsewhere:
// on the CPU what a GPU began, on a GPU what the CPU began.
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <vector>

#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/cuda_instances.hpp"
#include "tests/kernels/long_slab_runs.hpp"
#include "tests/kernels/plane_hashes.hpp"
#include "tests/kernels/turns_on_a_gpu.hpp"

using namespace onda;
using namespace onda::test;

TEST_CASE("each shot of a batch has the bits of the CPU's shot alone, in every instance") {
    need_gpu();
    for (const Case& unequal : kCases) {
        for (const Equation equation : {Equation::star, Equation::compact, Equation::variable_density,
                                        Equation::attenuation_of_two, Equation::drag, Equation::vti, Equation::tti})
            for (const int order : {2, 8, 16})
                for (const Precision precision : {Precision::float32, Precision::float64}) {
                    const bool compact = equation == Equation::compact;
                    if (compact && order > 2) continue;
                    const Case c = compact ? with_equal_spacings(unequal) : unequal;
                    const Setup setup = setup_of(c, order, precision, equation);
                    for (const cuda::Variant& variant : cuda::variants(setup)) {
                        if (!has_the_same_bits(variant)) continue;
                        const Setup chosen = with_instance(setup, variant);
                        if (cuda::most_shots(chosen) == 1) continue;
                        CAPTURE(order);
                        CAPTURE(variant.kernel);
                        CAPTURE(variant.tile);
                        CAPTURE(variant.copy);
                        const auto batch = make_noisy_medium(chosen, cuda::make_medium)->make_wavefield(3);
                        check_batch(*batch, c, [&](std::uint64_t seed) { return on_cpu(setup, c, "auto", seed); });
                    }
                }
    }
}

TEST_CASE("two wavefields on one medium of a GPU, advanced in turn, give what each gives alone") {
    need_gpu();
    for (const std::size_t which : {1u, 7u, 8u, 12u}) {
        const Case& c = kCases[which];
        const Setup setup = setup_of(c, 8, Precision::float32);
        const auto medium = make_noisy_medium(setup, cuda::make_medium);
        check_in_turn(*medium, c, [&](std::uint64_t seed) { return on_cpu(setup, c, "auto", seed); });
    }
}

TEST_CASE("wavefields with layers and without share one medium of a GPU") {
    need_gpu();
    for (const std::size_t which : {1u, 7u, 8u, 12u})
        for (const Equation equation : kOperators)
            check_shared_medium(setup_of(kCases[which], 8, Precision::float32, equation), kCases[which],
                                cuda::make_medium);
}

TEST_CASE("a state saved on one device goes on at the other with the same bits") {
    need_gpu();
    for (const Case& c : kCases)
        for (const Equation equation : kAllOperators)
            for (const bool from_gpu : {true, false}) {
                const Setup setup = setup_of(c, 4, Precision::float32, equation);
                check_goes_on_elsewhere(setup, c, from_gpu, c.steps / 2, 3);
            }
}

TEST_CASE("what a batch holds is what was predicted") {
    need_gpu();
    for (const Case& c : kCases) {
        const Setup setup = setup_of(c, 8, Precision::float32);
        if (cuda::most_shots(setup) == 1) continue;
        const auto batch = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(5);
        CHECK(allocated_bytes(*batch) == cuda::allocations(setup, 5).bytes(Memory::device));
    }
}

TEST_CASE("hashes of planes are made on a GPU, and are those of their values") {
    need_gpu();
    check_plane_hashes(cuda::make_medium);
}

TEST_CASE("batches that fill the cache of a GPU step one after the other") {
    need_gpu();
    check_turns();
}

TEST_CASE("steps are queued without waiting for them") {
    need_gpu();
    Setup setup;
    setup.grid = {3, {500, 500, 500}, {10., 10., 10.}, {}};
    const auto wavefield = make_uniform_wavefield(setup, cuda::make_medium);
    wavefield->advance(0, 40);  // captures the graphs
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    wavefield->enqueue(40, 400);
    const auto queued = Clock::now();
    wavefield->wait();
    const auto done = Clock::now();
    CHECK((queued - start) * 2 < done - start);
}

TEST_CASE("slabs whose steps graphs repeat give the bits of the CPU, on one GPU and over all there are") {
    need_gpu();
    const int gpus = static_cast<int>(cuda::platform().gpus.size());
    for (const Setup& setup : long_run_setups()) {
        compare_long_runs({0, 0, 0}, setup, 400, 160);
        compare_long_runs({0, 1 % gpus, 2 % gpus}, setup, 400, 110);
        compare_long_runs({gpus - 1, 0}, setup, 53, 110);
    }
}
