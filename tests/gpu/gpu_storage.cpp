// On a GPU, models stored as codes are computed as the models of the values that the codes stand for: every instance
// that reads codes gives the bits of the CPU, and holds what was predicted. Skipped where no GPU can compute.
#include <doctest/doctest.h>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/cuda_instances.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/storage_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// The grids of all kernels, and one where most nodes leap.
std::vector<Case> storage_cases() {
    std::vector<Case> cases = even_cases();
    cases.push_back(layers_around_leaps({153, 147, 99}));
    return cases;
}

/// Checks the instances that read codes against the CPU's kernels of the decoded model; returns how many there are.
std::size_t compare_codes(const Case& c, int order, Stepping stepping, Storage storage) {
    Setup setup = setup_of(c, order, Precision::float32);
    setup.stepping = stepping;
    const CodedModel model(setup, storage);
    const std::vector<double> expected = run_on_model(c, setup, model.decoded(), model.dt_s(), cpu::make_medium);
    setup.medium = model.code();
    CAPTURE(name(storage));
    return compare_instances(setup, c, expected, [&model](const Setup& chosen) {
        return cuda::make_medium(chosen, model.original(), model.dt_s());
    });
}

}  // namespace

TEST_CASE("every instance that reads codes gives the bits of the CPU") {
    need_gpu();
    for (const Case& c : storage_cases())
        for (int order = 2; order <= 16; order += 2)
            for (const Stepping stepping : {Stepping::single, Stepping::leap})
                for (const Storage storage : {Storage::codes, Storage::table})
                    CHECK(compare_codes(c, order, stepping, storage) >= 1);
}

// What compute-sanitizer runs (tests/CMakeLists.txt), which takes a thousand times longer.
TEST_CASE("a few steps of every instance on small grids") {
    need_gpu();
    const Case small{"small",           {3, {37, 30, 33}, {10., 8., 9.}, {}}, {kZero, kRigid, kFree}, true, 4,
                     {3, 0, 0, 2, 0, 2}};
    for (const int order : {2, 8, 16})
        for (const Stepping stepping : {Stepping::single, Stepping::leap})
            for (const Storage storage : {Storage::codes, Storage::table})
                CHECK(compare_codes(small, order, stepping, storage) > 0);
}

TEST_CASE("a state saved on one device goes on at the other with the same bits") {
    need_gpu();
    const Case c = storage_cases().back();
    for (const Stepping stepping : {Stepping::single, Stepping::leap}) {
        Setup setup = setup_of(c, 8, Precision::float32);
        setup.stepping = stepping;
        const CodedModel model(setup, Storage::codes);
        setup.medium = model.code();
        const auto on_gpu = cuda::make_medium(setup, model.original(), model.dt_s())->make_wavefield();
        const auto on_cpu = cpu::make_medium(setup, model.original(), model.dt_s())->make_wavefield();
        for (const auto& wavefield : {on_gpu.get(), on_cpu.get()}) start_noisy_shot(*wavefield, c, setup.precision);
        on_gpu->advance(0, 8);
        on_cpu->advance(0, 4);
        restore(*on_cpu, save(*on_gpu));
        on_gpu->advance(8, 8);
        on_cpu->advance(8, 8);
        CHECK(save(*on_cpu) == save(*on_gpu));
    }
}
