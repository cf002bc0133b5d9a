// On a GPU, every kernel that leaps gives the bits of the CPU's leaps, with every boundary, in batches and in states
// that move between devices, and holds what was predicted. Skipped where no GPU can compute.
#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/cuda_instances.hpp"
#include "tests/kernels/leap_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// The grids of all kernels, which are shell for the most part, and some where most nodes leap.
std::vector<Case> leap_cases() {
    std::vector<Case> cases = even_cases();
    cases.push_back(layers_around_leaps({153, 147, 99}));
    cases.push_back({"3-D, several tiles and chunks", {3, {290, 141, 137}, {10., 10., 10.}, {}}, {}, false, 6});
    return cases;
}

/// Checks the instances that leap, or have order 4 in time, against the CPU; returns how many there are.
std::size_t compare_leaps(const Case& c, int order, Precision precision, bool leaps = true) {
    const Setup setup = kAppliedTwice[leaps ? 0 : 1](c, order, precision);
    return compare_instances(setup, c, on_cpu(setup, c, "auto"),
                             [](const Setup& chosen) { return make_noisy_medium(chosen, cuda::make_medium); });
}

}  // namespace

TEST_CASE("every instance that leaps gives the bits of the CPU") {
    need_gpu();
    for (const Case& c : leap_cases())
        for (int order = 2; order <= 16; order += 2)
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                if (c.grid.points() > 1'000'000 && precision == Precision::float64) continue;
                for (const bool leaps : {true, false}) CHECK(compare_leaps(c, order, precision, leaps) >= 1);
            }
}

// What compute-sanitizer runs (tests/CMakeLists.txt), which takes a thousand times longer.
TEST_CASE("a few leaps of every instance on small grids") {
    need_gpu();
    const Case small{"small",           {3, {37, 30, 33}, {10., 8., 9.}, {}}, {kZero, kRigid, kFree}, true, 4,
                     {3, 0, 0, 2, 0, 2}};
    const Case plane{"plane", {2, {37, 1, 33}, {10., 8., 9.}, {}}, {kZero, kRigid}, true, 4, {3, 0, 0, 0, 0, 2}};
    for (const Case& c : {small, plane})
        for (const int order : {2, 8, 16})
            for (const Precision precision : {Precision::float32, Precision::float64})
                for (const bool leaps : {true, false}) CHECK(compare_leaps(c, order, precision, leaps) > 0);
}

TEST_CASE("520 steps in leaps with every boundary: the bits of the CPU, every time and one by one") {
    need_gpu();
    const Case c{"long",
                 {3, {93, 61, 57}, {10., 8., 9.}, {}},
                 {kZero, kRigid, kZero, kZero, kFree, kZero},
                 true,
                 520,
                 {7, 0, 5, 3, 0, 6}};
    for (const int order : {2, 8, 16}) {
        const Setup setup = leap_setup(c, order, Precision::float32);
        const std::vector<double> expected = on_cpu(setup, c, "auto");
        CAPTURE(order);
        for (int time = 0; time < 2; ++time) CHECK(run_case(c, setup, cuda::make_medium) == expected);
        CHECK(run_case(c, setup, cuda::make_medium, 1., [](Wavefield& wavefield, std::int64_t steps) {
                  wavefield.Wavefield::enqueue(0, steps);
                  wavefield.wait();
              }) == expected);
    }
}

TEST_CASE("each shot of a batch that leaps has the bits of the CPU's shot alone") {
    need_gpu();
    for (const Case& c : leap_cases())
        for (const int order : {2, 8, 16}) {
            const Setup setup = leap_setup(c, order, Precision::float32);
            if (cuda::most_shots(setup) == 1) continue;
            const auto batch = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(3);
            CHECK(allocated_bytes(*batch) == cuda::allocations(setup, 3).bytes(Memory::device));
            check_batch(*batch, c, [&](std::uint64_t seed) { return on_cpu(setup, c, "auto", seed); });
        }
}

TEST_CASE("the state of a leap saved on one device goes on at the other with the same bits") {
    need_gpu();
    for (const Case& c : leap_cases())
        for (const bool from_gpu : {true, false})
            check_goes_on_elsewhere(leap_setup(c, 4, Precision::float32), c, from_gpu, c.steps / 4 * 2, 2);
}
