// An equation is a row on GPUs, too. One with two fields and a parameter of its own, added in one folder
// (tests/kernels/coupled/) and named nowhere else, gives the bits of the CPU there, with every boundary, in batches, in
// slabs and in states that move between devices. Skipped where no GPU can compute; CI runs it on the host's stand-in.
#include <doctest/doctest.h>
#include <vector>

#include "kernels/slabs/slabs.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/coupled/coupled.hpp"
#include "tests/kernels/cuda_instances.hpp"

using namespace onda;
using namespace onda::test;

namespace {

const std::vector<Case> kCoupledCases{
    {"2-D, free top, sponge",
     {2, {35, 1, 21}, {10., 10., 6.}, {}},
     {kZero, kRigid, kZero, kZero, kFree, kZero},
     true,
     40},
    {"2-D, layers", {2, {37, 1, 23}, {10., 10., 6.}, {}}, {}, false, 40, {5, 4, 0, 0, 0, 6}},
    {"3-D, layers beside mirrors",
     {3, {19, 12, 40}, {10., 9., 8.}, {}},
     {kZero, kRigid, kZero, kZero, kFree, kZero},
     false,
     14,
     {3, 0, 2, 3, 0, 3}},
};

Setup coupled_setup(const Case& c, int order, Precision precision) {
    return setup_of(c, order, precision, kCoupled);
}

/// Velocities and couplings that differ at every node.
MediumReaders noisy_readers(const Grid& grid) {
    return {noisy_reader(grid, 1500., 2500., 3), noisy_reader(grid, 20., 220., 4)};
}

constexpr double kDt = 8e-4;

std::shared_ptr<Medium> medium_on(const MakeMedium& make, const Setup& setup) {
    return make(setup, noisy_readers(setup.grid), kDt);
}

/// A shot after all steps of a case.
std::unique_ptr<Wavefield> advanced(Medium& medium, const Case& c) {
    auto wavefield = medium.make_wavefield();
    start_and_advance(*wavefield, c);
    return wavefield;
}

}  // namespace

TEST_CASE("a few steps of two coupled fields have the bits of the CPU, and hold what was predicted") {
    need_gpu();
    for (const Case& c : kCoupledCases)
        for (const int order : {2, 8})
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                const Setup setup = coupled_setup(c, order, precision);
                const auto on_gpu = advanced(*medium_on(cuda::make_medium, setup), c);
                const auto expected = advanced(*medium_on(cpu::make_medium, setup), c);
                CAPTURE(c.name);
                CAPTURE(order);
                CHECK(results_of(*on_gpu, c) == results_of(*expected, c));
                CHECK(save(*on_gpu) == save(*expected));
                CHECK(allocated_bytes(*on_gpu) <=
                      cuda::allocations(setup, 1, size_of_noisy_shot(c)).bytes(Memory::device));
            }
}

TEST_CASE("each shot of a batch of coupled fields has the state of the shot alone") {
    need_gpu();
    const Case& c = kCoupledCases[1];
    const Setup setup = coupled_setup(c, 8, Precision::float32);
    const auto medium = medium_on(cuda::make_medium, setup), on_cpu = medium_on(cpu::make_medium, setup);
    const auto batch = medium->make_wavefield(3);
    CHECK(allocated_bytes(*batch) == cuda::allocations(setup, 3).bytes(Memory::device));
    start_and_advance(*batch, c);
    for (int shot = 0; shot < batch->shots(); ++shot) {
        const auto alone = on_cpu->make_wavefield();
        start_noisy_shot(*alone, c, setup.precision, 1., 0, static_cast<std::uint64_t>(shot));
        alone->record(0);
        alone->advance(0, c.steps);
        CAPTURE(shot);
        CHECK(results_of(*batch, c, shot) == results_of(*alone, c));
        CHECK(save(*batch, shot) == save(*alone));
    }
}

TEST_CASE("coupled fields in slabs, saved on one device and restored on the other, go on with the same bits") {
    need_gpu();
    const Case& c = kCoupledCases[2];
    const Setup setup = coupled_setup(c, 8, Precision::float32);
    const MakeSlabMedium on_gpus = [](std::size_t, const Setup& part, const MediumReaders& readers, double dt_s) {
        return cuda::make_medium(part, readers, dt_s);
    };
    const auto whole = medium_on(cpu::make_medium, setup),
               cut = make_slab_medium(setup, noisy_readers(setup.grid), kDt, equal_slabs(setup.grid.nz(), 3), on_gpus);
    const auto expected = advanced(*whole, c), in_slabs = advanced(*cut, c);
    CHECK(results_of(*in_slabs, c) == results_of(*expected, c));
    CHECK(save(*in_slabs) == save(*expected));

    const int half = c.steps / 2;
    for (const bool from_gpu : {true, false}) {
        const auto begun = (from_gpu ? cut : whole)->make_wavefield(),
                   goes_on = (from_gpu ? whole : cut)->make_wavefield();
        for (Wavefield* wavefield : {begun.get(), goes_on.get()}) {
            start_noisy_shot(*wavefield, c, setup.precision);
            wavefield->record(0);
        }
        begun->advance(0, half);
        restore(*goes_on, save(*begun));
        goes_on->advance(half, c.steps - half);
        CAPTURE(from_gpu);
        CHECK(save(*goes_on) == save(*expected));
    }
}
