// Promise: wavefields share a medium and know nothing of each other; a batch gives the bits of its shots alone; a state
// that was saved goes on elsewhere as if nothing had happened.
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/plane_hashes.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

Setup quick_setup(const Case& c, Equation equation = Equation::star, Precision precision = Precision::float32) {
    Setup setup = setup_of(c, 8, precision, equation);
    setup.threads = 2;
    return setup;
}

/// What a shot of this seed gives alone.
std::vector<double> alone(Medium& medium, const Case& c, std::uint64_t seed) {
    const auto wavefield = medium.make_wavefield();
    start_noisy_shot(*wavefield, c, medium.setup().precision, 1., 0, seed);
    wavefield->record(0);
    wavefield->advance(0, c.steps);
    return results_of(*wavefield, c);
}

}  // namespace

TEST_CASE("two wavefields on one medium, advanced in turn, give what each gives alone") {
    for (const Case& c : kCases)
        for (const Equation equation : kOperators) {
            const auto medium = make_noisy_medium(quick_setup(c, equation), cpu::make_medium);
            const auto first = medium->make_wavefield(), second = medium->make_wavefield();
            start_noisy_shot(*first, c, Precision::float32, 1., 0, 1);
            start_noisy_shot(*second, c, Precision::float32, 1., 0, 2);
            first->record(0);
            second->record(0);
            for (std::int64_t n = 0; n < c.steps; ++n) {
                first->advance(n, 1);
                second->advance(n, 1);
            }
            CAPTURE(c.name);
            CHECK(results_of(*first, c) == alone(*medium, c, 1));
            CHECK(results_of(*second, c) == alone(*medium, c, 2));
            CHECK(results_of(*first, c) != results_of(*second, c));
        }
}

TEST_CASE("a wavefield keeps its medium, and a medium outlives the values it was made of") {
    const Case& c = kCases[7];
    std::unique_ptr<Wavefield> wavefield;
    std::vector<double> expected;
    {
        const auto medium = make_noisy_medium(quick_setup(c), cpu::make_medium);
        expected = alone(*medium, c, 3);
        wavefield = medium->make_wavefield();
    }
    start_noisy_shot(*wavefield, c, Precision::float32, 1., 0, 3);
    wavefield->record(0);
    wavefield->advance(0, c.steps);
    CHECK(results_of(*wavefield, c) == expected);
}

TEST_CASE("each shot of a batch has the bits of the shot alone, whatever their number and that of the threads") {
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const int shots : {2, 5}) {
                Setup setup = quick_setup(c, Equation::star, precision);
                setup.threads = shots == 2 ? 3 : 2;
                const auto medium = make_noisy_medium(setup, cpu::make_medium);
                const auto batch = medium->make_wavefield(shots);
                CHECK(batch->shots() == shots);
                for (int shot = 0; shot < shots; ++shot)
                    start_noisy_shot(*batch, c, precision, 1., shot, static_cast<std::uint64_t>(shot));
                batch->record(0);
                batch->advance(0, c.steps);
                CAPTURE(c.name);
                for (int shot = 0; shot < shots; ++shot)
                    CHECK(results_of(*batch, c, shot) == alone(*medium, c, static_cast<std::uint64_t>(shot)));
                CHECK(allocated_bytes(*batch) ==
                      cpu::allocations(setup, shots, size_of_noisy_shot(c)).bytes(Memory::host));
            }
}

TEST_CASE("a state saved after some steps goes on elsewhere with the same bits") {
    for (const Case& c : kCases)
        for (const Equation equation : kOperators)
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                Setup setup = quick_setup(c, equation, precision);
                const auto medium = make_noisy_medium(setup, cpu::make_medium);
                const auto whole = medium->make_wavefield(), begun = medium->make_wavefield();
                for (const auto& wavefield : {whole.get(), begun.get()}) {
                    start_noisy_shot(*wavefield, c, precision);
                    wavefield->record(0);
                }
                const std::int64_t half = c.steps / 2;
                whole->advance(0, c.steps);
                begun->advance(0, half);
                const State saved = save(*begun);
                // Another kernel, other threads, another place in a batch whose shots are under way.
                setup.kernel = "reference";
                setup.threads = 1;
                const auto elsewhere = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(3);
                for (int shot = 0; shot < 3; ++shot) start_noisy_shot(*elsewhere, c, precision, 1., shot);
                elsewhere->advance(0, 3);
                restore(*elsewhere, saved, 1);
                CAPTURE(c.name);
                CHECK(save(*elsewhere, 1) == saved);
                elsewhere->advance(half, c.steps - half);
                CHECK(save(*elsewhere, 1) == save(*whole));
            }
}

TEST_CASE("a state names its parts, whose extents are those of the grid and of its strips") {
    Case c = kCases[9];  // layers of every width
    const auto wavefield = make_noisy_medium(quick_setup(c), cpu::make_medium)->make_wavefield();
    std::vector<std::string> names;
    for (const auto& [part, values] : save(*wavefield)) {
        names.push_back(part.name);
        CHECK(static_cast<std::int64_t>(values.size()) ==
              part.extents[0] * part.extents[1] * part.extents[2] * part.element_bytes);
        if (part.name == "cpml.y_max.psi")
            CHECK(part.extents == std::array<std::int64_t, 3>{c.grid.nx(), c.layers[3], c.grid.nz()});
    }
    CHECK(names == std::vector<std::string>{"p", "p_previous", "cpml.x_min.psi", "cpml.x_min.zeta", "cpml.y_min.psi",
                                            "cpml.y_min.zeta", "cpml.y_max.psi", "cpml.y_max.zeta", "cpml.z_max.psi",
                                            "cpml.z_max.zeta"});
}

TEST_CASE("the hash of a plane is that of its values, wherever it is made") {
    check_plane_hashes(cpu::make_medium);
}
