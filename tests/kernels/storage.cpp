// A model stored as codes is computed as the model of the values that the codes stand for, to the bit, by every kernel,
// boundary and source; the values are as near to the model as mathematics has it; a table is exact.
// Takes 19 s.
#include <bit>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/state.hpp"
#include "tests/kernels/storage_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::vector<Case> storage_cases() {
    std::vector<Case> cases = even_cases();
    cases.push_back(layers_around_leaps({53, 47, 59}));
    return cases;
}

Setup single_setup(const Case& c, int order, Precision precision) {
    return setup_of(c, order, precision);
}

Setup setup_with(const Case& c, int order, Stepping stepping, const MediumCode& medium) {
    Setup setup = setup_of(c, order, Precision::float32);
    setup.stepping = stepping;
    setup.medium = medium;
    setup.threads = 2;
    return setup;
}

/// k of velocities from 1500 m/s on, with the time step that is stable for the highest.
struct Range {
    double highest_m_s;
    float k(double vp_m_s) const { return static_cast<float>(std::pow(vp_m_s * 1e-3, 2)); }
    float low() const { return k(1500.); }
    float high() const { return k(highest_m_s); }
};

}  // namespace

TEST_CASE("16 bits change k by no more than half a step, and never beyond its ends") {
    for (const double highest_m_s : {1500., 1500.01, 1600., 4500., 8000.}) {
        const Range range{highest_m_s};
        const MediumCode code = medium_of_codes(range.low(), range.high());
        const double bound = code.largest_change();
        CAPTURE(highest_m_s);
        double largest = 0.;
        int beyond = 0, changed_again = 0;
        for (int i = 0; i <= 200'000; ++i) {
            const float k = range.k(std::lerp(1500., highest_m_s, i / 200'000.));
            const float is = code.decoded(code.encoded(k));
            largest = std::max(largest, std::abs(double(is) - double(k)) / double(k));
            beyond += is > range.high() ? 1 : 0;
            changed_again += code.encoded(is) != code.encoded(k) ? 1 : 0;
        }
        CHECK(beyond == 0);
        CHECK(changed_again == 0);
        CHECK(largest <= bound);
        CHECK(largest >= 0.6 * bound);
        CHECK(code.decoded(code.encoded(range.high())) == range.high());
        CHECK(code.encoded(0.f) == 0);
        CHECK(code.decoded(0) == 0.f);
        // 65535 codes for so many floats: the distance of two of them in units of the last place.
        const auto floats = std::bit_cast<std::uint32_t>(range.high()) - std::bit_cast<std::uint32_t>(range.low());
        CHECK(bound <= 0.5 * (floats / 65534. + 1.) * 0x1p-23);
        if (floats < 65535) CHECK(bound == 0.);
    }
    // A velocity of 1500 to 4500 m/s by a thousandth of a per cent, and of 1500 to 8000 m/s by two.
    CHECK(0.5 * medium_of_codes(Range{4500.}.low(), Range{4500.}.high()).largest_change() < 1.3e-5);
    CHECK(0.5 * medium_of_codes(Range{8000.}.low(), Range{8000.}.high()).largest_change() < 1.9e-5);
    CHECK_THROWS_AS(medium_of_codes(0.f, 1.f), std::invalid_argument);
}

TEST_CASE("a table has its values exactly, zero among them, and no more than fit") {
    std::vector<float> values;
    for (int i = 0; i < 255; ++i) values.push_back(0.01f + 0.37f * float((i * 83) % 255));
    const MediumCode table = medium_of_table(values);
    CHECK(table.table.size() == 256);
    CHECK(table.largest_change() == 0.);
    for (const float value : values) CHECK(table.decoded(table.encoded(value)) == value);
    CHECK(table.decoded(table.encoded(0.f)) == 0.f);
    CHECK(table.decoded(table.encoded(1e9f)) == table.table.back());
    values.push_back(1000.f);
    CHECK_THROWS_WITH_AS(medium_of_table(values), doctest::Contains("255"), std::invalid_argument);
}

TEST_CASE("codes give the bits of the model of their values, whatever the kernel") {
    const std::vector<Case> cases = storage_cases();
    for (std::size_t grid = 0; grid < cases.size(); ++grid)
        for (const auto& make_setup : {single_setup, leap_setup, fourth_order_setup})
            for (const int order : {2, 4, 6, 8, 12, 16}) {
                const Case& c = cases[grid];
                const bool large = c.grid.points() > 100'000;
                if ((kSanitized || large) && order != 4) continue;
                // Steps of order 4 in time are of the kernels of leaps; at the other orders in space leap.cpp has them.
                if (make_setup == fourth_order_setup && order != 4 && order != 8 && order != 16) continue;
                CAPTURE(c.name);
                CAPTURE(order);
                for (const Storage storage : {Storage::codes, Storage::table}) {
                    // On the small grids codes and tables take turns: each meets every grid, and every order on half
                    // of them.
                    const bool table = storage == Storage::table;
                    if (!large && ((grid + static_cast<std::size_t>(order) / 2) % 2 == 0) == table) continue;
                    const CodedModel model(setup_of(c, order, Precision::float32), storage);
                    CHECK(model.changed() == (storage == Storage::codes));
                    Setup full = make_setup(c, order, Precision::float32);
                    full.threads = 2;
                    full.kernel = "reference";
                    const auto expected = run_on_model(c, full, model.decoded(), model.dt_s(), cpu::make_medium);
                    Setup coded = full;
                    coded.medium = model.code();
                    for (const std::string& kernel : cpu::kernels_of(Equation::star, coded.applications(), storage))
                        for (const std::string& isa : cpu::isa_names()) {
                            if (isa == "generic" && order != 4) continue;
                            coded.kernel = kernel;
                            coded.isa = isa;
                            CAPTURE(kernel);
                            CAPTURE(isa);
                            CHECK(run_on_model(c, coded, model.original(), model.dt_s(), cpu::make_medium) == expected);
                        }
                }
            }
}

TEST_CASE("slabs of a model in codes have the bits of the whole") {
    const Case c = storage_cases().back();
    for (const Storage storage : {Storage::codes, Storage::table}) {
        const CodedModel model(setup_of(c, 8, Precision::float32), storage);
        const Setup setup = setup_with(c, 8, Stepping::single, model.code());
        const auto cut = [](const Setup& whole, const MediumReaders& readers, double dt_s) {
            return make_slab_medium(whole, readers, dt_s, equal_slabs(whole.grid.nz(), 3),
                                    [](std::size_t, const Setup& slab, const MediumReaders& of_slab, double dt) {
                                        return cpu::make_medium(slab, of_slab, dt);
                                    });
        };
        CHECK(run_on_model(c, setup, model.original(), model.dt_s(), cut) ==
              run_on_model(c, setup, model.original(), model.dt_s(), cpu::make_medium));
    }
}

TEST_CASE("saved states of codes go on, and what is allocated is planned") {
    for (const Stepping stepping : {Stepping::single, Stepping::leap}) {
        const Case c = storage_cases().back();
        const CodedModel model(setup_of(c, 8, Precision::float32), Storage::codes);
        const Setup setup = setup_with(c, 8, stepping, model.code());
        const auto medium = cpu::make_medium(setup, model.original(), model.dt_s());
        const auto begun = medium->make_wavefield(), whole = medium->make_wavefield();
        const auto elsewhere = medium->make_wavefield();
        check_state_goes_on(*begun, *whole, *elsewhere, 0, c, 8, 2);
        CHECK(allocated_bytes(*whole) <= cpu::allocations(setup, 1, size_of_noisy_shot(c)).bytes(Memory::host));
        Setup full = setup;
        full.medium = {};
        const auto bytes_of_medium = [](const Setup& of) {
            return cpu::allocations(of).bytes(Memory::host, Owner::medium);
        };
        CHECK(static_cast<double>(bytes_of_medium(setup)) < 0.7 * static_cast<double>(bytes_of_medium(full)));
    }
}

TEST_CASE("codes are refused where nothing reads them") {
    const Case& c = kCases[0];
    const MediumCode code = medium_of_codes(0.1f, 0.2f);
    Setup setup = setup_with(c, 8, Stepping::single, code);
    setup.kernel = "inplane-full";
    CHECK_THROWS_WITH(cpu::check_setup(setup),
                      doctest::Contains("with a model stored as codes: use auto, reference, vectorised"));
    setup.kernel = "auto";
    CHECK_NOTHROW(cpu::check_setup(setup));
    setup.precision = Precision::float64;
    CHECK_THROWS_WITH(cpu::check_setup(setup), doctest::Contains("single precision"));
    setup = setup_with(c, 8, Stepping::single, code);
    setup.scheme = make_scheme(Equation::variable_density, 8);
    CHECK_THROWS_WITH(cpu::check_setup(setup), doctest::Contains("constant density"));
}
