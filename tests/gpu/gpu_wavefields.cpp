// Promise: on a GPU, too, wavefields share a medium, a batch gives the bits of its shots alone, and a state goes on
// elsewhere: on the CPU what a GPU began, on a GPU what the CPU began.
#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/long_slab_runs.hpp"
#include "tests/kernels/plane_hashes.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::vector<double> alone_on_cpu(const Setup& problem, const Case& c, std::uint64_t seed) {
    Setup setup = problem;
    setup.kernel = "auto";
    setup.tile = setup.copy = "auto";
    const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield();
    start_noisy_shot(*wavefield, c, setup.precision, 1., 0, seed);
    wavefield->record(0);
    wavefield->advance(0, c.steps);
    return results_of(*wavefield, c);
}

void check_batch(const Setup& setup, const Case& c, int shots) {
    const auto batch = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(shots);
    for (int shot = 0; shot < shots; ++shot)
        start_noisy_shot(*batch, c, setup.precision, 1., shot, static_cast<std::uint64_t>(shot));
    batch->record(0);
    batch->advance(0, c.steps);
    for (int shot = 0; shot < shots; ++shot) {
        CAPTURE(shot);
        CHECK(results_of(*batch, c, shot) == alone_on_cpu(setup, c, static_cast<std::uint64_t>(shot)));
    }
}

}  // namespace

TEST_CASE("each shot of a batch has the bits of the CPU's shot alone, in every instance") {
    need_gpu();
    for (const Case& unequal : kCases) {
        for (const Equation equation : {Equation::star, Equation::compact, Equation::variable_density})
            for (const int order : {2, 8, 16})
                for (const Precision precision : {Precision::float32, Precision::float64}) {
                    const bool compact = equation == Equation::compact;
                    if (compact && order > 2) continue;
                    const Case c = compact ? with_equal_spacings(unequal) : unequal;
                    Setup setup = setup_of(c, order, precision, equation);
                    for (const cuda::Variant& variant : cuda::variants(setup)) {
                        if (variant.kernel == "twin" || variant.kernel.starts_with("thesis-")) continue;
                        setup.kernel = variant.kernel;
                        setup.tile = variant.tile;
                        setup.copy = variant.copy;
                        if (cuda::most_shots(setup) == 1) continue;
                        CAPTURE(c.name);
                        CAPTURE(order);
                        CAPTURE(variant.kernel);
                        CAPTURE(variant.tile);
                        CAPTURE(variant.copy);
                        check_batch(setup, c, 3);
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
        const auto first = medium->make_wavefield(), second = medium->make_wavefield();
        start_noisy_shot(*first, c, Precision::float32, 1., 0, 1);
        start_noisy_shot(*second, c, Precision::float32, 1., 0, 2);
        first->record(0);
        second->record(0);
        for (std::int64_t n = 0; n < c.steps; ++n) {
            first->enqueue(n, 1);
            second->enqueue(n, 1);
        }
        first->wait();
        second->wait();
        CAPTURE(c.name);
        CHECK(results_of(*first, c) == alone_on_cpu(setup, c, 1));
        CHECK(results_of(*second, c) == alone_on_cpu(setup, c, 2));
    }
}

TEST_CASE("a state saved on one device goes on at the other with the same bits") {
    need_gpu();
    for (const Case& c : kCases)
        for (const Equation equation : kOperators)
            for (const bool from_gpu : {true, false}) {
                const Setup setup = setup_of(c, 4, Precision::float32, equation);
                const MakeMedium here = from_gpu ? cuda::make_medium : cpu::make_medium;
                const MakeMedium there = from_gpu ? cpu::make_medium : cuda::make_medium;
                const auto begun = make_noisy_medium(setup, here)->make_wavefield();
                const auto whole = make_noisy_medium(setup, there)->make_wavefield();
                for (const auto& wavefield : {begun.get(), whole.get()}) {
                    start_noisy_shot(*wavefield, c, setup.precision);
                    wavefield->record(0);
                }
                const std::int64_t half = c.steps / 2;
                begun->advance(0, half);
                whole->advance(0, c.steps);
                const State saved = save(*begun);
                const int shots = std::min(3, cuda::most_shots(setup));
                const auto elsewhere = make_noisy_medium(setup, there)->make_wavefield(shots);
                for (int shot = 0; shot < shots; ++shot) start_noisy_shot(*elsewhere, c, setup.precision, 1., shot);
                elsewhere->advance(0, 3);
                restore(*elsewhere, saved, shots - 1);
                CAPTURE(c.name);
                CAPTURE(from_gpu);
                CHECK(save(*elsewhere, shots - 1) == saved);
                elsewhere->advance(half, c.steps - half);
                CHECK(save(*elsewhere, shots - 1) == save(*whole));
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
