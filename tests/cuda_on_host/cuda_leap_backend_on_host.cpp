// The CUDA backend's leaps and steps of order 4 in time - kernels, shell, strips, sources, batches, graphs, state -
// give the bits of the CPU's, whether its streams run at once or only when somebody waits, and hold what was predicted.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "tests/kernels/cuda_instances.hpp"
#include "tests/kernels/drag/drag_on_gpu.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/storage_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// Grids with and without a shell, and one that is nothing else; enough steps for graphs.
const std::vector<Case> kLeaps{
    {"3-D, zero faces", {3, {37, 9, 14}, {10., 8., 9.}, {}}, {}, false, 8},
    {"3-D, mirrors and a sponge",
     {3, {29, 21, 30}, {10., 8., 9.}, {}},
     {kZero, kRigid, kZero, kZero, kFree, kZero},
     true,
     10},
    {"3-D, layers", {3, {25, 23, 27}, {10., 9., 8.}, {}}, {}, false, 6, {3, 4, 2, 0, 4, 3}},
    {"3-D, nothing but shell", {3, {9, 7, 6}, {10., 9., 8.}, {}}, {kZero, kFree}, false, 12, {3, 0, 2, 0, 2, 2}},
    {"2-D, free top, sponge",
     {2, {45, 1, 33}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     true,
     60},
    {"2-D, layers", {2, {41, 1, 39}, {10., 10., 6.}, {}}, {}, false, 104, {5, 4, 0, 0, 0, 6}},
};

}  // namespace

TEST_CASE("every instance that leaps gives the bits of the CPU, and holds what was predicted") {
    std::size_t compared = 0;
    bool late = true;
    const auto make_medium = [&late](const Setup& chosen) {
        cuda_on_host::run_late = late = !late;
        return make_noisy_medium(chosen, cuda::make_medium);
    };
    const auto compare = [&](const Case& c, const Setup& setup) {
        compared += compare_instances(setup, c, on_cpu(setup, c, "reference"), make_medium);
    };
    for (const Case& c : kLeaps)
        for (const int order : {2, 8})
            for (const Precision precision : {Precision::float32, Precision::float64})
                for (const auto& setup : kAppliedTwice) compare(c, setup(c, order, precision));
    CHECK(compared >= kLeaps.size() * 8);
}

TEST_CASE("leaps one by one, in pieces and in graphs are the same") {
    const auto compare = [](const Setup& setup) {
        const Case& c = kLeaps[5];
        const std::vector<double> expected = on_cpu(setup, c, "reference");
        for (const int piece : {2, 14, 50, c.steps}) {
            CAPTURE(piece);
            const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
            start_noisy_shot(*wavefield, c, setup.precision);
            wavefield->record(0);
            for (int n = 0; n < c.steps; n += piece) wavefield->enqueue(n, std::min(piece, c.steps - n));
            wavefield->wait();
            CHECK(results_of(*wavefield, c) == expected);
        }
        const auto one_by_one = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
        start_noisy_shot(*one_by_one, c, setup.precision);
        one_by_one->record(0);
        one_by_one->Wavefield::enqueue(0, c.steps);
        CHECK(results_of(*one_by_one, c) == expected);
        if (setup.stride() == 2) CHECK_THROWS_AS(one_by_one->enqueue(1, 2), std::logic_error);
    };
    for (const bool late : {false, true}) {
        cuda_on_host::run_late = late;
        for (const auto& setup : kAppliedTwice) compare(setup(kLeaps[5], 8, Precision::float32));
    }
}

TEST_CASE("a batch that leaps has the bits of its shots alone") {
    const auto compare = [](const Case& c, const Setup& setup) {
        const auto batch = make_noisy_medium(setup, cuda::make_medium)->make_wavefield(3);
        CHECK(allocated_bytes(*batch) == cuda::allocations(setup, 3).bytes(Memory::device));
        check_batch(*batch, c, [&](std::uint64_t seed) { return on_cpu(setup, c, "reference", seed); });
    };
    for (const std::size_t which : {4U, 5U}) {
        cuda_on_host::run_late = which == 4;
        for (const auto& setup : kAppliedTwice) compare(kLeaps[which], setup(kLeaps[which], 2, Precision::float32));
    }
}

TEST_CASE("the state of a leap goes on at the other device, odd level and all") {
    for (const Case& c : kLeaps)
        for (const bool from_gpu : {true, false})
            for (const auto& setup : kAppliedTwice)
                check_goes_on_elsewhere(setup(c, 2, Precision::float32), c, from_gpu, c.steps / 4 * 2, 2);
}

TEST_CASE("a kind of strip that the tests add leaps with the others") {
    for (const Case& c : {kLeaps[1], kLeaps[5]}) {
        for (const auto& make_setup : kAppliedTwice) {
            Setup setup = make_setup(c, 2, Precision::float32);
            setup.strips.edit<DragOnGpu>().width = {3, 2, 0, c.grid.dimensions == 3 ? 2 : 0, 0, 4};
            const std::vector<double> expected = on_cpu(setup, c, "reference");
            const auto wavefield = make_noisy_medium(setup, cuda::make_medium)->make_wavefield();
            start_and_advance(*wavefield, c);
            CAPTURE(c.name);
            CHECK(results_of(*wavefield, c) == expected);
        }
    }
}

TEST_CASE("the facts of a leap count two steps") {
    const Setup leaps = leap_setup(kLeaps[0], 8, Precision::float32),
                with_shell = leap_setup(kLeaps[1], 8, Precision::float32);
    for (Setup setup : {leaps, with_shell})
        for (const cuda::Variant& variant : cuda::variants(setup)) {
            setup.kernel = variant.kernel;
            const cuda::StepFacts facts = cuda::step_facts(setup);
            CHECK(facts.steps == 2);
            CHECK(facts.points == static_cast<double>(setup.grid.points()));
            CHECK(facts.l2_bytes > 0.);
            CHECK(facts.instructions > facts.operations);
            CHECK((facts.side_launches > 0) == (setup.grid.n == kLeaps[1].grid.n));
        }
    CHECK(cuda::step_facts(fourth_order_setup(kLeaps[0], 8, Precision::float32)).steps == 1);
    Setup setup = leaps;
    setup.kernel = "fused";
    CHECK_THROWS_AS(cuda::check_setup(setup), SetupFault);
}

TEST_CASE(
    "codes of k: every instance, shell and strip gives the bits of the decoded model, and holds what was predicted") {
    std::size_t compared = 0;
    bool late = true;
    for (const Case& c : kLeaps)
        for (const int order : {2, 8})
            for (const Stepping stepping : {Stepping::single, Stepping::leap})
                for (const Storage storage : {Storage::codes, Storage::table}) {
                    Setup setup = setup_of(c, order, Precision::float32);
                    setup.stepping = stepping;
                    const CodedModel model(setup, storage);
                    const std::vector<double> expected =
                        run_on_model(c, setup, model.decoded(), model.dt_s(), cpu::make_medium);
                    setup.medium = model.code();
                    CAPTURE(name(storage));
                    compared += compare_instances(setup, c, expected, [&](const Setup& chosen) {
                        cuda_on_host::run_late = late = !late;
                        return cuda::make_medium(chosen, model.original(), model.dt_s());
                    });
                }
    CHECK(compared >= kLeaps.size() * 8);
}
