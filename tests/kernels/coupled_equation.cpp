// An equation is a row. One with two fields and a parameter of its own, added in one folder (coupled/) and named
// nowhere else, runs, is checked, is batched, cut into slabs, saved and restored.
// Takes less than a second.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>

#include "kernels/cpu/cpu.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/coupled/coupled.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr double kDt = 1e-3, kOmega = 120.;

Setup coupled_setup(Precision precision = Precision::float64) {
    Setup setup;
    setup.grid = {2, {41, 1, 33}, {10., 1., 10.}, {}};
    setup.scheme = make_scheme(kCoupled, 8);
    setup.precision = precision;
    for (const std::size_t face : {0u, 1u, 4u, 5u}) setup.halos[face] = Halo::mirror_positive;
    return setup;
}

std::shared_ptr<Medium> coupled_medium(const Setup& setup, double omega = kOmega) {
    return cpu::make_medium(setup, {uniform(2000.f), uniform(static_cast<float>(omega))}, kDt);
}

/// Values of a part of the state.
std::vector<double> values_of(const Wavefield& wavefield, const std::string& name) {
    std::vector<double> values;
    for (const auto& [part, bytes] : save(wavefield)) {
        if (part.name != name) continue;
        values.resize(bytes.size() / sizeof(double));
        std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    return values;
}

/// cos of whole half waves along x and z.
std::vector<double> mode(const Grid& grid, double scale) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < grid.points(); ++i) {
        const auto [x, y, z] = grid.node(i);
        values.push_back(scale * std::cos(3. * std::numbers::pi * static_cast<double>(x) / 40.) *
                         std::cos(2. * std::numbers::pi * static_cast<double>(z) / 32.));
    }
    return values;
}

void set_state(Wavefield& wavefield, const std::vector<double>& p, const std::vector<double>& s) {
    wavefield.restore(0, [&](const StatePart& part, std::int64_t plane, std::span<std::byte> bytes) {
        const std::vector<double>& values = part.name.starts_with("p") ? p : s;
        std::memcpy(bytes.data(), values.data() + plane * part.extents[0] * part.extents[1], bytes.size());
    });
}

}  // namespace

TEST_CASE("the sum of the fields is a wave, and their difference disperses as the coupling says") {
    const Setup setup = coupled_setup();
    const auto wavefield = coupled_medium(setup)->make_wavefield();
    const std::vector<double> start = mode(setup.grid, 1.), nothing(start.size(), 0.);
    set_state(*wavefield, start, nothing);
    constexpr int steps = 200;
    wavefield->advance(0, steps);
    // Both modes from rest at n = 0 and n = -1: u_n = cos((n + 1/2) theta) / cos(theta / 2) of the discrete frequency.
    const double k2 = setup.scheme.symbol({3. * std::numbers::pi / 400., 2. * std::numbers::pi / 320.}, {10., 10.});
    const auto level = [](double squared, int n) {
        const double theta = 2. * std::asin(0.5 * std::sqrt(squared));
        return std::cos((n + 0.5) * theta) / std::cos(0.5 * theta);
    };
    const double wave = level(std::pow(2000. * kDt, 2.) * k2, steps);
    const double dispersed = level(std::pow(2000. * kDt, 2.) * k2 + 2. * std::pow(kOmega * kDt, 2.), steps);
    const std::vector<double> p = values_of(*wavefield, "p"), s = values_of(*wavefield, "s");
    double error = 0.;
    for (std::size_t i = 0; i < p.size(); ++i) {
        error = std::max(error, std::abs(p[i] + s[i] - wave * start[i]));
        error = std::max(error, std::abs(p[i] - s[i] - dispersed * start[i]));
    }
    CHECK(error <= 1e-11);
    CHECK(std::abs(wave - dispersed) > 0.1);
}

TEST_CASE("without coupling it has the bits of the star") {
    const Case c{"2-D", coupled_setup().grid, coupled_setup().halos, true, 20};
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        Setup star = setup_of(c, 8, precision), coupled = star;
        coupled.scheme = make_scheme(kCoupled, 8);
        const auto alone = cpu::make_medium(star, {uniform(2000.f)}, kDt)->make_wavefield();
        const auto both = coupled_medium(coupled, 0.)->make_wavefield();
        for (const auto& wavefield : {alone.get(), both.get()}) {
            start_noisy_shot(*wavefield, c, precision);
            wavefield->record(0);
            wavefield->advance(0, c.steps);
        }
        CHECK(results_of(*both, c) == results_of(*alone, c));
    }
}

TEST_CASE("layers act on each field alike, and remember each by itself: vector strips as the plain ones") {
    const Case c{"layers", {3, {17, 12, 15}, {10., 9., 8.}, {}}, {}, false, 12, {3, 4, 2, 0, 4, 3}};
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        Setup setup = setup_of(c, 8, precision, kCoupled);
        std::vector<State> states;
        for (const char* kernel : {"auto", "reference"}) {
            setup.kernel = kernel;
            const auto wavefield = coupled_medium(setup)->make_wavefield();
            start_noisy_shot(*wavefield, c, precision);
            wavefield->advance(0, c.steps);
            states.push_back(save(*wavefield));
        }
        CHECK(states[0] == states[1]);
        const auto of_s =
            std::ranges::find(states[0], "cpml.x_min.s.psi", [](const auto& part) { return part.first.name; });
        REQUIRE(of_s != states[0].end());
        CHECK(std::ranges::any_of(of_s->second, [](std::byte value) { return value != std::byte{0}; }));
    }
}

TEST_CASE("its state has both fields, and goes on elsewhere, in a batch and in slabs, with the same bits") {
    const Setup setup = coupled_setup();
    const auto medium = coupled_medium(setup);
    const auto whole = medium->make_wavefield(), begun = medium->make_wavefield();
    const std::vector<double> p = mode(setup.grid, 1.), s = mode(setup.grid, -0.3);
    for (const auto& wavefield : {whole.get(), begun.get()}) set_state(*wavefield, p, s);
    whole->advance(0, 30);
    begun->advance(0, 13);
    const State saved = save(*begun);
    std::vector<std::string> names;
    for (const auto& [part, values] : saved) names.push_back(part.name);
    CHECK(names == std::vector<std::string>{"p", "p_previous", "s", "s_previous"});
    const auto batch = medium->make_wavefield(3);
    restore(*batch, saved, 2);
    batch->advance(13, 17);
    CHECK(save(*batch, 2) == save(*whole));
    const auto cut = make_slab_medium(setup, {uniform(2000.f), uniform(static_cast<float>(kOmega))}, kDt,
                                      equal_slabs(setup.grid.nz(), 3),
                                      [](std::size_t, const Setup& part, const MediumReaders& readers, double dt_s) {
                                          return cpu::make_medium(part, readers, dt_s);
                                      })
                         ->make_wavefield();
    restore(*cut, saved);
    CHECK(save(*cut) == saved);
    cut->advance(13, 17);
    CHECK(save(*cut) == save(*whole));
}

TEST_CASE("it is checked: memory, readers, kernels, and layers that it does not have") {
    const Setup setup = coupled_setup();
    for (const int shots : {1, 3})
        CHECK(allocated_bytes(*coupled_medium(setup)->make_wavefield(shots)) ==
              cpu::allocations(setup, shots).bytes(Memory::host));
    CHECK_THROWS_WITH_AS(cpu::make_medium(setup, {uniform(2000.f)}, kDt),
                         "the equation coupled takes vp, omega: 2 readers, not 1", std::invalid_argument);
    Setup other = setup;
    other.kernel = "inplane-full";
    CHECK_THROWS_WITH_AS(cpu::check_setup(other),
                         "kernel 'inplane-full' does not compute the coupled operator: use auto, reference",
                         SetupFault);
    other = setup;
    other.halos = {};
    other.strips.edit<Cpml>().face[0] = layer_of(4);
    CHECK_NOTHROW(cpu::check_setup(other));
    other.scheme.equation = coupled_without_layers();
    CHECK_THROWS_WITH_AS(cpu::check_setup(other), "CPML is not available for the equation coupled: take a sponge",
                         std::invalid_argument);
    CHECK(coupled_medium(setup)->kernel() == "reference");
}
