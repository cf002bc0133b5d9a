// A kind of absorbing strip is a row of the list. One with memory of its own, added in one folder (drag/) and named
// nowhere else, is planned, allocated, applied, batched, cut into slabs, saved and restored.
// Takes less than a second.
#include <doctest/doctest.h>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/drag/drag.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

const std::vector<Case> kDragged{
    {"3-D, alone", {3, {23, 17, 29}, {10., 8., 9.}, {}}, {}, false, 20},
    {"3-D, after layers and beside a sponge", {3, {27, 19, 31}, {10., 8., 9.}, {}}, {}, true, 20, {5, 0, 0, 4, 0, 3}},
    {"2-D", {2, {41, 1, 33}, {10., 10., 6.}, {}}, {kZero, kZero, kZero, kZero, kFree, kZero}, false, 30},
};

Setup dragged(const Case& c, Precision precision = Precision::float32) {
    Setup setup = setup_of(c, 4, precision);
    setup.threads = 3;
    Drag& strips = setup.strips.edit<Drag>();
    strips.width = {0, 6, 0, 0, 3, 5};
    if (c.grid.dimensions == 3) strips.width[2] = 4;
    return setup;
}

}  // namespace

TEST_CASE("it changes the wavefield, and its list is what it allocates") {
    for (const Case& c : kDragged)
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const int shots : {1, 2}) {
                CAPTURE(c.name);
                const Setup setup = dragged(c, precision);
                Setup without = setup;
                without.strips.edit<Drag>() = {};
                const std::int64_t before = cpu::held_bytes;
                const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(shots);
                const Allocations planned = cpu::allocations(setup, shots);
                CHECK(planned.of("drag.memory").elements ==
                      drag_elements(drag_boxes(setup.strips.get<Drag>(), c.grid)));
                CHECK(cpu::held_bytes - before == planned.bytes(Memory::host));
                CHECK(allocated_bytes(*wavefield) == planned.bytes(Memory::host));
                CHECK(planned.bytes(Memory::host) > cpu::allocations(without, shots).bytes(Memory::host));
                CHECK(run_case(c, setup, cpu::make_medium) != run_case(c, without, cpu::make_medium));
            }
}

TEST_CASE("a step applies the kinds in their order, whatever the order in which they were given") {
    Setup setup;
    setup.strips.edit<Sponge>().taper[0] = {1.};
    setup.strips.edit<Drag>().width[0] = 2;
    setup.strips.edit<Cpml>().face[0] = layer_of(3);
    setup.strips.edit<Sponge>().taper[2] = {1.};
    std::vector<std::string> names;
    for (const auto& strip : setup.strips) names.emplace_back(strip->name());
    CHECK(names == std::vector<std::string>{"cpml", "drag", "sponge"});
    const Setup copy = setup;
    setup.strips.edit<Drag>().width[0] = 5;
    CHECK(copy.strips.get<Drag>().width[0] == 2);
    CHECK(setup.strips.get<Sponge>().taper[0].size() == 1u);
}

TEST_CASE("its state goes on elsewhere, in a batch, with other threads and in slabs, with the same bits") {
    for (const Case& c : kDragged) {
        CAPTURE(c.name);
        Setup setup = dragged(c);
        const auto medium = make_noisy_medium(setup, cpu::make_medium);
        const auto whole = medium->make_wavefield(), begun = medium->make_wavefield();
        for (const auto& wavefield : {whole.get(), begun.get()}) start_noisy_shot(*wavefield, c, setup.precision);
        whole->advance(0, c.steps);
        begun->advance(0, 7);
        const State saved = save(*begun);
        std::vector<std::string> names;
        for (const auto& [part, values] : saved)
            if (part.name.starts_with("drag")) names.push_back(part.name);
        CHECK(names == (c.grid.dimensions == 3
                            ? std::vector<std::string>{"drag.x_max.mean", "drag.y_min.mean", "drag.z_min.mean",
                                                       "drag.z_max.mean"}
                            : std::vector<std::string>{"drag.x_max.mean", "drag.z_min.mean", "drag.z_max.mean"}));
        setup.threads = 1;
        const auto batch = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(2);
        for (int shot = 0; shot < 2; ++shot) start_noisy_shot(*batch, c, setup.precision, 1., shot);
        batch->advance(0, 3);
        restore(*batch, saved, 1);
        batch->advance(7, c.steps - 7);
        CHECK(save(*batch, 1) == save(*whole));
        const MakeMedium make_cut = [](const Setup& uncut, const MediumReaders& readers, double dt_s) {
            return make_slab_medium(uncut, readers, dt_s, equal_slabs(uncut.grid.nz(), 3),
                                    [](std::size_t, const Setup& part, const MediumReaders& rows, double dt) {
                                        return cpu::make_medium(part, rows, dt);
                                    });
        };
        const auto cut = make_noisy_medium(setup, make_cut)->make_wavefield();
        start_noisy_shot(*cut, c, setup.precision);
        restore(*cut, saved);
        CHECK(save(*cut) == saved);
        cut->advance(7, c.steps - 7);
        CHECK(save(*cut) == save(*whole));
        batch->upload(std::vector<double>(c.grid.points()), std::vector<double>(c.grid.points()), 1);
        for (const auto& [part, values] : save(*batch, 1)) {
            const std::string& name = part.name;  // Clang 14 captures no structured binding
            CAPTURE(name);
            CHECK(std::ranges::all_of(values, [](std::byte byte) { return byte == std::byte{0}; }));
        }
    }
}

TEST_CASE("it is checked, costs what its nodes do, and fits another grid") {
    Setup setup = dragged(kDragged.front());
    const Drag& strips = setup.strips.get<Drag>();
    CHECK(strips.work(setup.grid) == 6. * 17. * 29. + 4. * 23. * 29. + 8. * 23. * 17.);
    const auto smaller = strips.resized({10, 8, 6});
    CHECK(dynamic_cast<const Drag&>(*smaller).width == std::array<std::int64_t, 6>{0, 5, 4, 0, 3, 3});
    setup.strips.edit<Drag>().width[0] = 18;
    CHECK_THROWS_WITH_AS(cpu::check_setup(setup), "strips of the kind drag do not fit the grid", std::invalid_argument);
}
