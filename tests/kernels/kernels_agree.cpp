// Every kernel, strategy, instruction set and thread count gives the bits of the reference.
// Takes 31 s.
#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/kernel_table.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::vector<double> run(const Case& c, const Setup& setup, double scale = 1.) {
    return run_case(c, setup, cpu::make_medium, scale);
}

std::uint64_t hash_of_run(const Case& c, const Setup& setup, double scale = 1.) {
    const std::vector<double> result = run(c, setup, scale);
    return test::hash_of(std::span<const double>(result));
}

/// How many values are denormal in the precision of the run.
std::int64_t denormals(std::span<const double> values, Precision precision) {
    return std::ranges::count_if(values, [&](double value) {
        const int kind =
            precision == Precision::float32 ? std::fpclassify(static_cast<float>(value)) : std::fpclassify(value);
        return kind == FP_SUBNORMAL;
    });
}

/// Whether this is the run that all others are compared with.
bool is_expected(const Setup& setup) {
    return setup.kernel == "reference" && setup.isa == cpu::isa_names().back() && setup.threads == 1;
}

/// The plain build emulates fma in software where the baseline has none: one or two orders suffice.
bool tried_plain(Equation equation, int order) {
    return order == 4 || (order == 16 && equation == Equation::star);
}

/// One comparison with the reference.
struct Trial {
    std::size_t grid = 0;  ///< of kCases
    int order = 0;
    Precision precision = Precision::float32;
    std::string isa, kernel;
    int threads = 1;
};

constexpr std::array kPrecisions{Precision::float32, Precision::float64};
constexpr std::array kThreads{1, 2, 3, 4};

/// Whether a grid takes so long that not every kernel meets it at every order: see trials_of().
bool is_large(const Case& c) {
    return c.grid.points() * c.steps > 250'000;
}

/// Every kernel, instruction set, order and precision on every small grid, of the plain build on every other. Of the
/// large ones, which take most of the time, each kernel of an instruction set meets one at an order: they take turns,
/// and pairs that this leaves out where orders or instruction sets are few are added, so that those that
/// check_covered() lists occur everywhere.
std::vector<Trial> trials_of(Equation equation, const std::vector<int>& orders, const std::vector<std::string>& isas) {
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < kCases.size(); ++i) (is_large(kCases[i]) ? large : small).push_back(i);
    const std::vector<std::string> kernels = cpu::kernels_of(equation);
    std::vector<Trial> trials;
    std::vector<std::size_t> met(kCases.size(), 0);  // trials of each grid
    const auto add = [&](std::size_t grid, int order, std::size_t turn, const std::string& isa, std::size_t kernel) {
        // Every other one alone: waking threads takes longer than a small grid.
        constexpr std::array thread_counts{1, 2, 1, 3, 1, 4, 1};
        const int threads = thread_counts[met[grid]++ % thread_counts.size()];
        trials.push_back({grid, order, kPrecisions[turn % 2], isa, kernels[kernel], threads});
    };
    for (std::size_t o = 0; o < orders.size(); ++o)
        for (std::size_t i = 0; i < isas.size(); ++i) {
            const bool plain = isas.size() > 1 && isas[i] == "generic";
            if (plain && !tried_plain(equation, orders[o])) continue;
            for (std::size_t k = 0; k < kernels.size(); ++k) {
                const std::size_t turn = o + i + k;
                add(large[turn % large.size()], orders[o], turn / large.size() + i, isas[i], k);
                for (const std::size_t grid : small)
                    for (const std::size_t precision : {0u, 1u})
                        if (!plain || (grid + k) % 2 == precision) add(grid, orders[o], precision, isas[i], k);
            }
        }
    const auto need = [&](const Trial& wanted, auto is_met) {
        if (std::ranges::none_of(trials, is_met)) trials.push_back(wanted);
    };
    for (std::size_t g = 0; g < kCases.size(); ++g) {
        const Trial any{g, orders[g % orders.size()], kPrecisions[g % 2], isas.back(), kernels[g % kernels.size()], 1};
        const auto need_here = [&](auto Trial::*of, const auto& values) {
            for (const auto& value : values) {
                Trial wanted = any;
                wanted.*of = value;
                need(wanted, [&](const Trial& t) { return t.grid == g && t.*of == value; });
            }
        };
        need_here(&Trial::order, orders);
        need_here(&Trial::kernel, kernels);
        need_here(&Trial::precision, kPrecisions);
        need_here(&Trial::threads, kThreads);
    }
    for (const std::string& kernel : kernels)
        for (const int threads : kThreads)
            need({small.front(), orders.front(), kPrecisions[0], isas.back(), kernel, threads},
                 [&](const Trial& t) { return t.kernel == kernel && t.threads == threads; });
    return trials;
}

/// That no pair was lost with the trials that were left out, and that threads met every kernel and grid.
void check_covered(const std::vector<Trial>& trials, const std::vector<int>& orders,
                   const std::vector<std::string>& isa_names, const std::vector<std::string>& kernels) {
    std::set<std::tuple<std::string, int>> kernel_order;
    std::set<std::tuple<std::string, std::size_t>> kernel_grid, isa_grid;
    std::set<std::tuple<int, std::size_t>> order_grid, threads_grid;
    std::set<std::tuple<bool, std::size_t>> precision_grid;
    std::set<std::tuple<std::string, std::string, int, bool>> isa_kernel_order_precision;
    std::set<std::tuple<std::string, int>> kernel_threads;
    for (const Trial& t : trials) {
        const bool wide = t.precision == Precision::float64;
        kernel_order.emplace(t.kernel, t.order);
        kernel_grid.emplace(t.kernel, t.grid);
        if (t.isa != "generic") isa_grid.emplace(t.isa, t.grid);
        order_grid.emplace(t.order, t.grid);
        threads_grid.emplace(t.threads, t.grid);
        precision_grid.emplace(wide, t.grid);
        isa_kernel_order_precision.emplace(t.isa, t.kernel, t.order, wide);
        kernel_threads.emplace(t.kernel, t.threads);
    }
    const std::size_t grids = kCases.size(), isas = isa_names.size();
    std::set<int> plain;  // orders of the plain build
    for (const Trial& t : trials)
        if (t.isa == "generic") plain.insert(t.order);
    CHECK(!plain.empty());
    CHECK(kernel_order.size() == kernels.size() * orders.size());
    CHECK(kernel_grid.size() == kernels.size() * grids);
    CHECK(order_grid.size() == orders.size() * grids);
    CHECK(precision_grid.size() == kPrecisions.size() * grids);
    CHECK(threads_grid.size() == kThreads.size() * grids);
    CHECK(kernel_threads.size() == kThreads.size() * kernels.size());
    CHECK(isa_kernel_order_precision.size() == 2 * kernels.size() * (plain.size() + (isas - 1) * orders.size()));
    CHECK(isa_grid.size() == (isas - 1) * grids);  // the plain build, which emulates fma, may miss a large one
}

const std::vector<int> kAllOrders{2, 4, 6, 8, 10, 12, 14, 16};
const std::vector<int> kFewOrders{4, 8, 16};

}  // namespace

TEST_CASE("the comparisons leave nothing out, however few instruction sets a machine has") {
    std::vector<std::string> isas;
    for (const char* isa : {"generic", "first", "second", "third"}) {
        isas.emplace_back(isa);
        for (const Equation equation : kAllOperators)
            for (const std::vector<int>& orders : {kAllOrders, kFewOrders})
                check_covered(trials_of(equation, orders, isas), orders, isas, cpu::kernels_of(equation));
    }
}

TEST_CASE("every kernel, instruction set and thread count gives the bits of the reference") {
    for (const Equation equation : kAllOperators) {
        // Sanitizers, for which minutes count, see the same source at every order; so do equations with fields beside
        // those of others, whose operators they have.
        const bool has_more = strengths_of(*equation) > 0 || equation == Equation::vti_of_gradients;
        const std::vector<int>& orders = kSanitized || has_more ? kFewOrders : kAllOrders;
        const std::vector<Trial> trials = trials_of(equation, orders, cpu::isa_names());
        std::map<std::tuple<std::size_t, int, Precision>, std::uint64_t> expected;
        for (const Trial& trial : trials) {
            const Case& c = kCases[trial.grid];
            Setup setup = setup_of(c, trial.order, trial.precision, equation);
            const auto [entry, fresh] = expected.try_emplace({trial.grid, trial.order, trial.precision});
            if (fresh) {
                setup.kernel = "reference";
                setup.isa = cpu::isa_names().back();
                setup.threads = 1;
                entry->second = hash_of_run(c, setup);
            }
            setup.kernel = trial.kernel;
            setup.isa = trial.isa;
            setup.threads = trial.threads;
            if (is_expected(setup)) continue;
            CHECK_MESSAGE(hash_of_run(c, setup) == entry->second,
                          c.name << ", " << name(equation) << ", order " << trial.order << ", " << trial.kernel << ", "
                                 << trial.isa << ", " << trial.threads << " threads, "
                                 << std::string(trial.precision == Precision::float64 ? "double" : "float"));
        }
    }
}

/// Checks that values on both sides of the smallest normal number are flushed in float and kept in double.
void check_denormals(const Case& c, Equation equation, Precision precision) {
    const bool is_float = precision == Precision::float32;
    const double scale = is_float ? 1e-37 : 1e-307;  // the smallest normal number is 1.2e-38 or 2.2e-308
    Setup setup = setup_of(c, 8, precision, equation);
    setup.kernel = "reference";
    const std::vector<double> result = run(c, setup, scale);
    const auto fields = std::span(result).first(2 * c.grid.points());
    const auto traces = std::span(result).subspan(2 * c.grid.points());
    for (const auto values : {fields, traces}) {
        CHECK((denormals(values, precision) == 0) == is_float);
        CHECK(std::ranges::count(values, 0.) < std::ssize(values));
    }
    for (const std::string& isa : cpu::isa_names())
        for (const std::string& kernel : cpu::kernels_of(equation)) {
            setup.kernel = kernel;
            setup.isa = isa;
            setup.threads = 3;
            CHECK_MESSAGE(run(c, setup, scale) == result, c.name << ", " << kernel << ", " << isa);
        }
}

TEST_CASE("the compact stencil: every kernel that has it gives the bits of the reference, in any weights") {
    const Scheme skew =
        make_compact_scheme({-6. + 12. * 0.1 - 8. * 0.07, 1. - 4. * 0.1 + 4. * 0.07, 0.1 - 2. * 0.07, 0.07});
    std::size_t compared = 0;
    for (const Case& unequal : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const bool isotropic : {true, false}) {
                const Case c = with_equal_spacings(unequal);
                Setup setup = setup_of(c, 2, precision, Equation::compact);
                if (!isotropic) setup.scheme = skew;
                setup.kernel = "reference";
                setup.isa = cpu::isa_names().back();
                setup.threads = 1;
                const std::uint64_t expected = hash_of_run(c, setup);
                for (const std::string& isa : cpu::isa_names())
                    for (const char* kernel : {"reference", "vectorised", "inplane-full", "auto"}) {
                        // The plain build's fma is software: of the large grids it sees each precision and kernel once.
                        if (isa == "generic" && is_large(c) && (kernel == std::string("auto") || !isotropic)) continue;
                        setup.kernel = kernel;
                        setup.isa = isa;
                        setup.threads = 1 + static_cast<int>(compared++ % 4);
                        if (is_expected(setup)) continue;
                        CHECK_MESSAGE(hash_of_run(c, setup) == expected,
                                      c.name << ", " << kernel << ", " << isa << ", " << setup.threads << " threads");
                    }
            }
}

TEST_CASE("the compact stencil with the weights of the star is the star, to rounding") {
    for (const Case& unequal : kCases) {
        const Case c = with_equal_spacings(unequal);
        Setup setup = setup_of(c, 2, Precision::float64);
        const std::vector<double> star = run(c, setup);
        setup.scheme = make_compact_scheme({-6., 1., 0., 0.});
        const std::vector<double> compact = run(c, setup);
        double largest = 0., apart = 0.;
        for (std::size_t i = 0; i < star.size(); ++i) {
            largest = std::max(largest, std::abs(star[i]));
            apart = std::max(apart, std::isfinite(compact[i]) ? std::abs(star[i] - compact[i]) : INFINITY);
        }
        CHECK_MESSAGE(apart <= 1e-12 * largest, c.name);
    }
}

TEST_CASE("what the compact stencil cannot do is refused") {
    Setup setup = setup_of(kCases[0], 2, Precision::float32, Equation::compact);
    setup.kernel = "inplane-classic";
    CHECK_THROWS_WITH_AS(make_uniform_wavefield(setup, cpu::make_medium),
                         "kernel 'inplane-classic' does not compute the compact27 operator: use auto, reference, "
                         "vectorised, inplane-full",
                         SetupFault);
    setup.kernel = "auto";
    setup.grid.spacing_m[1] = 11.;
    CHECK_THROWS_AS(make_uniform_wavefield(setup, cpu::make_medium), std::invalid_argument);
    CHECK_THROWS_AS(make_scheme(Equation::compact, 4), std::invalid_argument);
    CHECK_THROWS_AS(make_scheme(Equation::compact, 2, Coefficients::optimised), std::invalid_argument);
    CHECK_THROWS_AS(make_compact_scheme({1., 2., 3., 4.}), std::invalid_argument);
    CHECK_THROWS_AS(make_compact_scheme({0., -1., 0.5, 0.}), std::invalid_argument);  // short waves grow
}

TEST_CASE("denormals: zero in float, kept in double, in fields and traces of every kernel") {
    for (const std::size_t which : {1u, 7u})
        for (const Equation equation : kAllOperators)
            for (const Precision precision : {Precision::float32, Precision::float64})
                check_denormals(kCases[which], equation, precision);
}

TEST_CASE("a kernel without the wave operator asked for is refused with those that have it") {
    Setup setup = setup_of(kCases[0], 8, Precision::float32, Equation::variable_density);
    setup.kernel = "inplane-full";
    CHECK_THROWS_WITH_AS(make_uniform_wavefield(setup, cpu::make_medium),
                         "kernel 'inplane-full' does not compute the variable_density operator: use auto, reference, "
                         "vectorised",
                         std::invalid_argument);
}

TEST_CASE("a reader is taken for each parameter of the equation, and no other") {
    for (const Equation equation : kAllOperators) {
        const Setup setup = setup_of(kCases[0], 4, Precision::float32, equation);
        MediumReaders readers(equation->parameters.size(), uniform(2000.f));
        CHECK_NOTHROW(cpu::make_medium(setup, readers, 1e-3));
        readers.push_back(uniform(2000.f));
        CHECK_THROWS_AS(cpu::make_medium(setup, readers, 1e-3), std::invalid_argument);
        readers.resize(equation->parameters.size() - 1);
        CHECK_THROWS_AS(cpu::make_medium(setup, readers, 1e-3), std::invalid_argument);
    }
}

TEST_CASE("layers that do not fit the grid, or lie on a mirror, are refused") {
    const auto refused = [](std::array<std::int64_t, 6> layers, int mirror, const char* message) {
        Case c = kCases[0];
        c.layers = layers;
        if (mirror >= 0) c.halos[mirror] = kRigid;
        CHECK_THROWS_WITH_AS(make_uniform_wavefield(setup_of(c, 4, Precision::float32), cpu::make_medium), message,
                             std::invalid_argument);
    };
    refused({0, 0, 10, 10, 0, 0}, -1, "the perfectly matched layers along y need 20 nodes; the grid has 19");
    refused({0, 0, 0, 0, 0, 4}, 5, "a face with a perfectly matched layer cannot be a mirror too");
    Setup uneven = setup_of(kCases[0], 4, Precision::float32);
    uneven.strips.edit<Cpml>().face[1] = layer_of(4);
    uneven.strips.edit<Cpml>().face[1].a_psi.pop_back();
    CHECK_THROWS_AS(make_uniform_wavefield(uneven, cpu::make_medium), std::invalid_argument);
}

TEST_CASE("every instruction set has the same kernels, whichever are compiled in, and one is usable here") {
    const std::vector<cpu::InstructionSet>& sets = cpu::instruction_sets();
    REQUIRE(!cpu::isa_names().empty());
    CHECK(cpu::best_isa() == cpu::isa_names().back());
    CHECK(sets.front().name == "generic");
    CHECK(sets.front().usable);
    for (const cpu::InstructionSet& set : sets) {
        CAPTURE(set.name);
        REQUIRE(set.kernels.size() == sets.front().kernels.size());
        for (std::size_t i = 0; i < set.kernels.size(); ++i) {
            const cpu::Kernel &kernel = set.kernels[i], &like = sets.front().kernels[i];
            CAPTURE(kernel.name);
            CHECK(kernel.name == like.name);
            CHECK(kernel.equation == like.equation);
            CHECK(kernel.applications == like.applications);
            CHECK(kernel.of_codes == like.of_codes);
            CHECK((kernel.step_double == nullptr) == (like.step_double == nullptr));
        }
    }
}

TEST_CASE("perfectly matched layers follow the kernel of the instruction set that a set-up names") {
    Setup setup = setup_of(kCases[0], 8, Precision::float32);
    for (const cpu::InstructionSet& set : cpu::instruction_sets()) {
        CAPTURE(set.name);
        setup.isa = std::string(set.name);
        setup.kernel = "vectorised";
        CHECK(cpu::layers_follow_kernel(setup) == cpu::find_kernel(set, setup).is_followed);
        setup.kernel = "reference";
        CHECK_FALSE(cpu::layers_follow_kernel(setup));
    }
    // Predictions are asked for machines whose instruction set is not compiled in: those of their own builds are tuned.
    setup.kernel = "vectorised";
    setup.isa = "x86-64-v4";
    CHECK(cpu::layers_follow_kernel(setup));
    // Without a name it is that of the kernels that run here, whatever else is compiled in.
    setup.isa = "auto";
    CHECK(cpu::layers_follow_kernel(setup) == cpu::find_kernel(cpu::find_isa("auto"), setup).is_followed);
}

TEST_CASE("unknown kernels, instruction sets and orders are refused with the list of what there is") {
    Setup setup = setup_of(kCases[0], 8, Precision::float32);
    setup.kernel = "inplane-fulll";
    CHECK_THROWS_WITH_AS(make_uniform_wavefield(setup, cpu::make_medium),
                         "kernel 'inplane-fulll' is not among the CPU kernels: use auto, reference, vectorised, "
                         "inplane-classic, inplane-vertical, inplane-horizontal, inplane-full",
                         std::invalid_argument);
    setup.kernel = "auto";
    setup.isa = "sse9";
    CHECK_THROWS_AS(make_uniform_wavefield(setup, cpu::make_medium), std::invalid_argument);
    setup.isa = "auto";
    setup.scheme.space_order = 18;
    CHECK_THROWS_AS(make_uniform_wavefield(setup, cpu::make_medium), std::invalid_argument);
}

TEST_CASE("the extremum is the largest value, the first of equal ones, and the first NaN") {
    check_extremum(*make_uniform_wavefield(setup_of(kCases[0], 4, Precision::float32), cpu::make_medium));
}

TEST_CASE("what is held is what was predicted") {
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const Equation equation : kAllOperators) {
                const Setup setup = setup_of(c, 8, precision, equation);
                CHECK(allocated_bytes(*make_uniform_wavefield(setup, cpu::make_medium)) ==
                      cpu::allocations(setup).bytes(Memory::host));
            }
    Setup large;
    large.grid = {3, {1024, 1024, 1024}, {10., 10., 10.}, {}};
    CHECK(static_cast<double>(cpu::allocations(large).bytes(Memory::host)) <=
          12.5 * static_cast<double>(large.grid.points()));
}
