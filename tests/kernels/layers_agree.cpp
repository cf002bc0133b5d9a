// From any state, with any memory, the perfectly matched layers of every kernel, instruction set and thread count leave
// the bits of the plain loops of the reference, in the memory variables too.
// Takes 7 s.
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/state.hpp"
#include "tests/kernels/storage_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using namespace onda::test;

namespace {

// Strips that share edges and corners; of one node; that meet, fill their axis, lie beside mirrors; of rows beyond a
// block of columns; beside nodes that leap.
const std::vector<Case> kLayers{
    {"all faces", {3, {21, 14, 13}, {10., 8., 11.}, {}}, {}, false, 3, {5, 4, 3, 5, 2, 6}},
    {"one node each", {3, {9, 8, 7}, {10., 9., 8.}, {}}, {}, false, 3, {1, 1, 1, 1, 1, 1}},
    {"beside mirrors and a sponge",
     {3, {18, 11, 12}, {10., 10., 10.}, {}},
     {kFree, kZero, kZero, kRigid, kFree, kZero},
     true,
     3,
     {0, 7, 4, 0, 0, 5}},
    {"strips that meet", {3, {12, 9, 8}, {10., 9., 8.}, {}}, {}, false, 3, {6, 6, 4, 4, 3, 5}},
    {"strips that fill an axis", {3, {7, 6, 9}, {10., 9., 8.}, {}}, {}, false, 3, {7, 0, 0, 6, 9, 0}},
    {"one plane", {3, {17, 12, 1}, {10., 9., 8.}, {}}, {}, false, 3, {4, 5, 3, 3, 1, 0}},
    {"2-D", {2, {33, 1, 27}, {10., 10., 6.}, {}}, {}, false, 3, {8, 9, 0, 0, 7, 8}},
    {"2-D, long rows", {2, {1050, 1, 9}, {10., 10., 6.}, {}}, {}, false, 3, {17, 12, 0, 0, 2, 3}},
    {"around nodes that leap", {3, {43, 29, 31}, {10., 8., 9.}, {}}, {kZero, kRigid}, false, 3, {3, 0, 2, 1, 2, 3}},
};

/// Noise in every array of a state, as far from zero in memory variables as in fields; some of it denormal.
State noisy_state(const Wavefield& wavefield) {
    State state = save(wavefield);
    std::uint64_t seed = 30;
    for (auto& [part, bytes] : state) {
        const auto fill = [&bytes = bytes, &seed]<typename T>(T tiny) {
            for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
                T value = static_cast<T>(noise(i, seed) - 0.5);
                if (i % 7 == 0) value *= tiny;
                std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
            }
            ++seed;
        };
        part.element_bytes == sizeof(float) ? fill(1e-38f) : fill(1e-308);
    }
    return state;
}

using OfSetup = std::function<std::shared_ptr<Medium>(const Setup& setup)>;
std::shared_ptr<Medium> noisy(const Setup& setup) {
    return make_noisy_medium(setup, cpu::make_medium);
}

/// What is left of a state after some steps of a kernel.
State stepped(const Setup& setup, const State& state, std::int64_t steps, const OfSetup& make) {
    const auto wavefield = make(setup)->make_wavefield();
    restore(*wavefield, state);
    wavefield->advance(0, steps);
    return save(*wavefield);
}

/// Names of the parts that differ.
std::vector<std::string> different(const State& a, const State& b) {
    std::vector<std::string> names;
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) names.push_back(a[i].first.name);
    return names;
}

/// \returns the kernels compared.
std::size_t compare(Setup setup, std::int64_t steps, const OfSetup& make = noisy) {
    setup.kernel = "reference";
    setup.isa = cpu::best_isa();
    setup.threads = 1;
    const State before = noisy_state(*make(setup)->make_wavefield());
    const State expected = stepped(setup, before, steps, make);
    CHECK(different(expected, before).size() == before.size());
    std::size_t compared = 0;
    for (const std::string& isa : cpu::isa_names())
        for (const std::string& kernel :
             cpu::kernels_of(setup.scheme.equation, setup.applications(), setup.medium.storage)) {
            if (isa == "generic" && cpu::isa_names().size() > 1 && setup.scheme.space_order % 8 != 2) continue;
            setup.isa = isa;
            setup.kernel = kernel;
            setup.threads = compared % 2 == 0 ? 3 : 1;
            CAPTURE(isa);
            CAPTURE(kernel);
            CAPTURE(setup.threads);
            CHECK(different(stepped(setup, before, steps, make), expected) == std::vector<std::string>{});
            ++compared;
        }
    return compared;
}

constexpr std::array kBothPrecisions{Precision::float32, Precision::float64};

}  // namespace

TEST_CASE("layers of every kernel have the bits of the reference, from any state") {
    for (const Case& c : kLayers)
        for (const Equation equation : kOperators)
            for (const Precision precision : kBothPrecisions)
                for (int order = 2; order <= 16; order += kSanitized ? 6 : 2) {
                    CAPTURE(c.name);
                    CAPTURE(name(equation));
                    CAPTURE(order);
                    CAPTURE(static_cast<int>(precision));
                    CHECK(compare(setup_of(c, order, precision, equation), c.steps) > 1);
                }
}

TEST_CASE("layers of the compact stencil, likewise") {
    for (const Case& unequal : kLayers)
        for (const Precision precision : kBothPrecisions) {
            const Case c = with_equal_spacings(unequal);
            CAPTURE(c.name);
            CHECK(compare(setup_of(c, 2, precision, Equation::compact), c.steps) > 1);
        }
}

TEST_CASE("layers in the shells of leaps and of steps of order 4 in time, likewise") {
    for (const Case& c : kLayers)
        for (const auto& make_setup : kAppliedTwice)
            for (const Precision precision : kBothPrecisions)
                for (const int order : {2, 8, 10, 16}) {
                    CAPTURE(c.name);
                    CAPTURE(order);
                    const Setup setup = make_setup(c, order, precision);
                    CAPTURE(setup.stride());
                    CHECK(compare(setup, 4) > 1);
                }
}

TEST_CASE("layers of a model that is stored as codes, likewise") {
    for (const Case& c : kLayers)
        for (const Storage storage : {Storage::codes, Storage::table})
            for (const int order : {2, 8}) {
                Setup setup = setup_of(c, order, Precision::float32);
                const CodedModel model(setup, storage);
                setup.medium = model.code();
                CAPTURE(c.name);
                CAPTURE(order);
                CHECK(compare(setup, c.steps, [&model](const Setup& chosen) {
                          return cpu::make_medium(chosen, model.original(), model.dt_s());
                      }) > 1);
            }
}
