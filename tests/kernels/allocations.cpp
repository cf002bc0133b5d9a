// What the CPU backend allocates is what its list plans, to the byte: medium, fields, strips, sources, receivers and
// traces.
// Takes less than a second.
#include <doctest/doctest.h>
#include <limits>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/kernel_cases.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::int64_t held() {
    return cpu::held_bytes;
}

}  // namespace

TEST_CASE("media, wavefields and shots hold what their list adds up to, and give it back") {
    const std::int64_t before = held();
    for (const Case& c : kCases)
        for (const Equation equation : kAllOperators)
            for (const Precision precision : {Precision::float32, Precision::float64})
                for (const int shots : {1, 3}) {
                    Setup setup = setup_of(c, 4, precision, equation);
                    setup.threads = 2;
                    const Allocations planned = cpu::allocations(setup, shots, size_of_noisy_shot(c));
                    CAPTURE(c.name);
                    CAPTURE(shots);
                    const auto medium = make_noisy_medium(setup, cpu::make_medium);
                    CHECK(held() - before == planned.bytes(Memory::host, Owner::medium));
                    CHECK(medium->allocated_bytes() == held() - before);
                    const auto wavefield = medium->make_wavefield(shots);
                    CHECK(held() - before ==
                          planned.bytes(Memory::host, Owner::medium) + planned.bytes(Memory::host, Owner::wavefield));
                    for (int shot = 0; shot < shots; ++shot) start_noisy_shot(*wavefield, c, precision, 1., shot);
                    CHECK(held() - before == planned.bytes(Memory::host));
                    CHECK(allocated_bytes(*wavefield) == held() - before);
                    wavefield->reset();
                    CHECK(held() - before == planned.bytes(Memory::host) - planned.bytes(Memory::host, Owner::shots));
                }
    CHECK(held() == before);
}

TEST_CASE("rows of further owners count, and sums that would wrap are the largest number") {
    constexpr Owner other{"other"};
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    Allocations planned;
    planned.add(cpu::table("traces", Owner::shots, 10, 8));
    planned.add(cpu::table("notes", other, 3, 5, 2));
    CHECK(planned.bytes(Memory::host, other) == 30);
    CHECK(planned.bytes(Memory::host, Owner::shots) == 80);
    CHECK(planned.bytes(Memory::host) == 110);
    planned.add({"many", Memory::host, other, 1, largest / 2, largest / 2, 3});
    CHECK(planned.of("many").total_bytes() == largest);
    CHECK(planned.bytes(Memory::host) == largest);
    CHECK(planned.bytes(Memory::host, other) == largest);
    CHECK(planned.bytes(Memory::host, Owner::shots) == 80);
}

TEST_CASE("nothing is allocated that is not planned, and no name is planned twice") {
    Allocations planned;
    planned.add(cpu::paged("p", Owner::wavefield, 1000, 4, 3));
    planned.add(cpu::table("traces", Owner::shots, 10, 8));
    CHECK(planned.bytes(Memory::host) == 3 * 4096 + 80);
    CHECK(planned.bytes(Memory::host, Owner::shots) == 80);
    CHECK(planned.bytes(Memory::device) == 0);
    CHECK_THROWS_WITH_AS(planned.add(cpu::table("p", Owner::shots, 1, 4)), "two allocations are planned by the name p",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(planned.of("q")), "no allocation is planned by the name q",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(cpu::Buffer<double>(planned.of("p")), "the elements of p are planned with 4 bytes, not 8",
                         std::logic_error);
}
