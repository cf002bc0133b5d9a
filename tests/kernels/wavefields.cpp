// Wavefields share a medium and know nothing of each other; a batch gives the bits of its shots alone; a state that was
// saved goes on elsewhere as if nothing had happened. An order of operations that is not a step list's is found. Takes
// 6 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/plane_hashes.hpp"
#include "tests/kernels/shots.hpp"

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
            check_in_turn(*medium, c, [&](std::uint64_t seed) { return alone(*medium, c, seed); });
        }
}

TEST_CASE("wavefields with layers and without share one medium") {
    for (const std::size_t which : {1u, 7u, 8u, 12u})
        for (const Equation equation : kOperators)
            check_shared_medium(setup_of(kCases[which], 8, Precision::float32, equation), kCases[which],
                                cpu::make_medium);
    const Setup setup = setup_of(kCases[8], 8, Precision::float32);
    const auto medium = make_noisy_medium(setup, cpu::make_medium);
    Setup wide = setup;
    wide.strips.edit<Cpml>().face[0] = layer_of(setup.grid.nx() + 1);
    CHECK_THROWS_AS(static_cast<void>(medium->make_wavefield(1, wide.strips)), std::invalid_argument);
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
                check_batch(*batch, c, [&](std::uint64_t seed) { return alone(*medium, c, seed); });
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
                // Another kernel, other threads, another place in a batch whose shots are under way.
                setup.kernel = "reference";
                setup.threads = 1;
                const auto elsewhere = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(3);
                check_state_goes_on(*begun, *whole, *elsewhere, 1, c, c.steps / 2, 3);
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

TEST_CASE("an order of operations is that of a step list only if each comes once, after those before it") {
    using Order = std::vector<Operation>;
    const Order leap(kLeap.begin(), kLeap.end());
    const auto moved = [&leap](std::size_t from, std::size_t to) {
        Order order = leap;
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), leap[from]);
        return order;
    };
    const std::size_t last = leap.size() - 1;
    CHECK(leap[last] == Operation::record);
    for (std::size_t from = 0; from <= last; ++from)
        for (std::size_t to = 0; to <= last; ++to) {
            CAPTURE(from);
            CAPTURE(to);
            const bool is_record = from == last || (from == last - 1 && to == last);  // that has changed its place
            CHECK(is_order_of(moved(from, to), kLeap) == (from == to || is_record));
        }
    Order without = leap, twice = leap;
    without.pop_back();
    twice.insert(twice.begin(), Operation::record);
    CHECK_FALSE(is_order_of(without, kLeap));
    CHECK_FALSE(is_order_of(twice, kLeap));
    twice.erase(std::ranges::find(twice, Operation::inject));
    CHECK_FALSE(is_order_of(twice, kLeap));
    CHECK_FALSE(is_order_of(kLeap, kFourthOrderStep));
}
