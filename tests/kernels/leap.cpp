// Leaps give the solution of single steps, at every node, boundary and source, steps of order 4 in time that of their
// polynomial, and both the same bits whatever the kernel, instruction set, threads and batch.
// Takes 16 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/plan/shell.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/state.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// A set-up for two threads.
Setup two_threads(const Case& c, int order, Precision precision, bool leaps = true) {
    Setup setup = kAppliedTwice[leaps ? 0 : 1](c, order, precision);
    setup.threads = 2;
    return setup;
}

/// Grids large enough to leap somewhere, with each kind of face, beside those of all kernels.
std::vector<Case> leap_cases() {
    std::vector<Case> cases = even_cases();
    cases.push_back(layers_around_leaps({53, 47, 59}));
    cases.push_back({"3-D, rows beyond a tile, sponge",
                     {3, {2060, 5, 29}, {10., 10., 10.}, {}},
                     {kRigid, kZero, kZero, kZero, kFree, kZero},
                     true,
                     6});
    return cases;
}

/// Starts from rest: p[-1] = p[-2] = p[0] = 0 on both paths. Sources at nodes all over the grid.
void start_from_rest(Wavefield& wavefield, const Case& c, std::int64_t samples) {
    wavefield.reset();
    Sources sources;
    const std::int64_t points = c.grid.points();
    for (int row = 0; row < 12; ++row) {
        for (std::int64_t i = 0; i < 3; ++i) {
            sources.nodes.node.push_back(
                static_cast<std::int64_t>(noise(3 * row + i, 8) * static_cast<double>(points - 1)));
            sources.nodes.weight.push_back(noise(3 * row + i, 9) - 0.3);
        }
        sources.nodes.first.push_back(std::ssize(sources.nodes.node));
        std::vector<double> signal;
        for (int n = 0; n < 9; ++n) signal.push_back(1e4 * std::sin(0.4 * n + row));
        sources.signal.push_back(signal);
    }
    wavefield.set_sources(0, sources);
    wavefield.set_receivers(0, sources.nodes, samples);
    wavefield.record(0);
}

struct Result {
    std::vector<double> p, traces;
};

Result run_from_rest(const Case& c, const Setup& setup) {
    const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield();
    const std::int64_t samples = c.steps / setup.stride() + 1;
    start_from_rest(*wavefield, c, samples);
    wavefield->advance(0, c.steps);
    Result result{std::vector<double>(static_cast<std::size_t>(c.grid.points())),
                  std::vector<double>(static_cast<std::size_t>(12 * samples))};
    wavefield->download(Window::whole(c.grid), std::span<double>(result.p));
    wavefield->download_traces(std::span<double>(result.traces));
    return result;
}

double norm(std::span<const double> values) {
    double sum = 0.;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

/// || a - b || / || b ||; b must not be zero.
double difference(std::span<const double> a, std::span<const double> b) {
    REQUIRE(a.size() == b.size());
    std::vector<double> d(a.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] - b[i];
    REQUIRE(norm(b) > 0.);
    return norm(d) / norm(b);
}

/// A and sources of a grid without strips, taken from single steps of order 2.
class SingleSteps {
public:
    SingleSteps(const Case& c, int order)
        : case_(c),
          points_(static_cast<std::size_t>(c.grid.points())),
          wavefield_(make_noisy_medium(setup_of(c, order, Precision::float64), cpu::make_medium)->make_wavefield()) {}

    /// A p = 2 p - 2 p + A p.
    [[nodiscard]] std::vector<double> applied(const std::vector<double>& p) const {
        std::vector<double> twice(p);
        for (double& value : twice) value *= 2.;
        wavefield_->reset();
        wavefield_->upload(p, twice);
        return after(0, 1);
    }
    /// f[n]: what sources add in step n of a field at rest.
    [[nodiscard]] std::vector<double> added(std::int64_t n) const {
        if (n < 0) return std::vector<double>(points_);
        start_from_rest(*wavefield_, case_, case_.steps + 1);
        return after(n, 1);
    }

private:
    [[nodiscard]] std::vector<double> after(std::int64_t first, std::int64_t steps) const {
        wavefield_->advance(first, steps);
        std::vector<double> p(points_);
        wavefield_->download(Window::whole(case_.grid), std::span<double>(p));
        return p;
    }

    const Case& case_;
    std::size_t points_;
    std::unique_ptr<Wavefield> wavefield_;
};

/// p after the steps of a case, by p[n+1] = 2 p[n] - p[n-1] + A p[n] + A^2 p[n] / 12 and
/// f[n] + (A f[n] + f[n+1] - 2 f[n] + f[n-1]) / 12.
std::vector<double> plain_fourth_order(const Case& c, int order) {
    const SingleSteps single(c, order);
    std::vector<double> p(static_cast<std::size_t>(c.grid.points())), before = p;
    for (int n = 0; n < c.steps; ++n) {
        const auto last = single.added(n - 1), f = single.added(n), following = single.added(n + 1);
        const auto a_f = single.applied(f), a_p = single.applied(p), a_a_p = single.applied(a_p);
        for (std::size_t i = 0; i < p.size(); ++i) {
            const double source = f[i] + (a_f[i] + following[i] - 2. * f[i] + last[i]) / 12.;
            before[i] = 2. * p[i] - before[i] + a_p[i] + a_a_p[i] / 12. + source;
        }
        std::swap(p, before);
    }
    return p;
}

}  // namespace

TEST_CASE("in double precision leaps differ from single steps by rounding alone, with every boundary and source") {
    for (const Case& c : leap_cases())
        for (const int order : {2, 4, 8, 10, 16}) {
            if (kSanitized && order != 4) continue;
            CAPTURE(c.name);
            CAPTURE(order);
            Setup setup = two_threads(c, order, Precision::float64);
            const Result leaps = run_from_rest(c, setup);
            setup.stepping = Stepping::single;
            const Result singles = run_from_rest(c, setup);
            CHECK(difference(leaps.p, singles.p) < 1e-12);
            const std::int64_t samples = c.steps / 2 + 1;
            std::vector<double> at_even;
            for (std::int64_t r = 0; r < 12; ++r)
                for (std::int64_t n = 0; n < samples; ++n)
                    at_even.push_back(singles.traces[static_cast<std::size_t>(r * (c.steps + 1) + 2 * n)]);
            CHECK(difference(leaps.traces, at_even) < 1e-12);
        }
}

TEST_CASE("steps of order 4 in time apply the operator twice, to fields and sources, at every face") {
    for (const Case& c : leap_cases())
        for (const int order : {2, 4, 8, 16}) {
            if (c.sponge || std::ranges::count(c.layers, 0) < 6 || (kSanitized && order != 4)) continue;
            CAPTURE(c.name);
            CAPTURE(order);
            const Result fourth = run_from_rest(c, two_threads(c, order, Precision::float64, false));
            CHECK(difference(fourth.p, plain_fourth_order(c, order)) < 1e-12);
        }
}

TEST_CASE("kernels, instruction sets, threads and batches give the same bits") {
    std::size_t compared = 0;
    const auto compare = [&compared](const Case& c, int order, Precision precision, bool leaps) {
        CAPTURE(c.name);
        CAPTURE(order);
        CAPTURE(leaps);
        Setup setup = two_threads(c, order, precision, leaps);
        setup.kernel = "reference";
        const auto expected = run_case(c, setup, cpu::make_medium);
        setup.kernel = "vectorised";
        for (const std::string& isa : cpu::isa_names()) {
            if (isa == "generic" && order != 4) continue;
            setup.isa = isa;
            // Every third by threads, whose waking takes longer than a small grid: in turn at all orders, grids and
            // instruction sets.
            setup.threads = compared++ % 3 == 0 ? 3 : 1;
            CAPTURE(isa);
            CAPTURE(setup.threads);
            CHECK(run_case(c, setup, cpu::make_medium) == expected);
        }
    };
    for (const Case& c : leap_cases())
        for (const Precision precision : {Precision::float32, Precision::float64})
            for (const int order : {2, 4, 6, 8, 12, 16}) {
                if ((kSanitized || c.grid.points() > 100'000) && order != 4) continue;
                compare(c, order, precision, true);
                // Steps of order 4 in time are of the same kernels; at the other orders in space storage.cpp has them.
                if (order == 2 || order == 4 || order == 6 || order == 12) compare(c, order, precision, false);
            }
}

TEST_CASE_TEMPLATE("a batch has the bits of its shots, and a saved state goes on elsewhere", Leaps, std::true_type,
                   std::false_type) {
    for (const Case& c : leap_cases()) {
        if (c.grid.points() > 100'000) continue;
        CAPTURE(c.name);
        const Setup setup = two_threads(c, 8, Precision::float32, Leaps::value);
        const auto medium = make_noisy_medium(setup, cpu::make_medium);
        const auto batch = medium->make_wavefield(3), begun = medium->make_wavefield(),
                   whole = medium->make_wavefield();
        for (int shot = 0; shot < 3; ++shot)
            start_noisy_shot(*batch, c, Precision::float32, 1., shot, static_cast<std::uint64_t>(shot));
        for (const auto& alone : {begun.get(), whole.get()}) start_noisy_shot(*alone, c, Precision::float32, 1., 0, 1);
        batch->record(0);
        batch->advance(0, c.steps);
        whole->record(0);
        whole->advance(0, c.steps);
        CHECK(results_of(*batch, c, 1) == results_of(*whole, c));
        const std::int64_t half = c.steps / 4 * 2;
        begun->advance(0, half);
        const State saved = save(*begun);
        restore(*batch, saved, 2);
        batch->set_sources(2, make_test_sources(c.grid, 1.1));
        CHECK(save(*batch, 2) == saved);
        batch->advance(half, c.steps - half);
        CHECK(save(*batch, 2) == save(*whole));
    }
}

TEST_CASE("the shell is as wide as strips and the operator reach, and absent at zero faces") {
    Case c{"",
           {3, {100, 90, 80}, {10., 10., 10.}, {}},
           {kZero, kZero, kZero, kRigid, kFree, kZero},
           false,
           2,
           {20, 0, 0, 0, 0, 10}};
    const Shell shell = shell_of(two_threads(c, 8, Precision::float32));
    CHECK(shell.leap == Box{{28, 0, 4}, {100, 86, 62}});
    CHECK(shell.no_odd == Box{{32, 0, 8}, {100, 82, 58}});
    std::int64_t kept = 0;
    for (const Box& box : odd_boxes(shell)) kept += box.points();
    CHECK(kept == c.grid.points() - (100 - 32) * 82 * (58 - 8));
    CHECK(shell_of(two_threads({"", c.grid, {}}, 8, Precision::float32)).empty());
}

TEST_CASE("what is allocated is planned") {
    for (const Case& c : leap_cases())
        for (const bool leaps : {true, false}) {
            const Setup setup = two_threads(c, 8, Precision::float32, leaps);
            const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield(2);
            CHECK(allocated_bytes(*wavefield) == cpu::allocations(setup, 2).bytes(Memory::host));
        }
}

TEST_CASE("no order 4 in time of other equations, slabs, leaps and kernels that apply the operator once") {
    const Setup setup = two_threads(kCases[0], 8, Precision::float32, false);
    const auto refused = [&](const auto& change, const char* why) {
        Setup changed = setup;
        change(changed);
        CHECK_THROWS_WITH(cpu::check_setup(changed), doctest::Contains(why));
    };
    const auto with_equation = [](Equation equation, int order) {
        return [=](Setup& changed) {
            changed.scheme = make_scheme(equation, order);
            changed.scheme.time_order = 4;
        };
    };
    refused(with_equation(Equation::variable_density, 8), "order 4 in time is not available for the equation variable");
    refused(with_equation(Equation::compact, 2), "order 4 in time is not available for the equation compact");
    refused([](Setup& changed) { changed.halos[5] = Halo::neighbour; }, "order 4 in time is not available for slabs");
    refused([](Setup& changed) { changed.stepping = Stepping::leap; }, "leap steps are not available with order 4");
    refused([](Setup& changed) { changed.scheme.time_order = 3; }, "order 3 in time: it must be 2 or 4");
    refused([](Setup& changed) { changed.kernel = "inplane-full"; },
            "order 4 in time: use auto, reference, vectorised");
}

TEST_CASE("no leaps of other equations, nor of slabs") {
    Setup setup = two_threads(kCases[0], 8, Precision::float32);
    setup.scheme = make_scheme(Equation::variable_density, 8);
    CHECK_THROWS_WITH(cpu::check_setup(setup), doctest::Contains("variable"));
    setup = two_threads(kCases[0], 8, Precision::float32);
    setup.halos[5] = Halo::neighbour;
    CHECK_THROWS_WITH(cpu::check_setup(setup), doctest::Contains("slabs"));
    setup.halos[5] = Halo::zero;
    setup.kernel = "inplane-full";
    CHECK_THROWS_WITH(cpu::check_setup(setup), doctest::Contains("leap steps: use auto, reference, vectorised"));
}
