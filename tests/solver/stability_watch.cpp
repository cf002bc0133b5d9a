// NaN and blow-up are noticed within 50 steps, with place, time and cause; a stable run never alarms.
// Takes less than a second.
#include "solver/propagation/stability_watch.hpp"

#include <cmath>
#include <limits>

#include "kernels/cpu/cpu.hpp"
#include "kernels/wavefield.hpp"
#include "solver/survey/survey.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

constexpr double kVelocity = 2000.;

struct Case {
    Setup setup;
    TimeAxis time;
    Sources sources;
    std::unique_ptr<Wavefield> wavefield;
    double vp_min = kVelocity, density_contrast = 1.;

    /// \param cfl dt as a fraction of the stability limit. \param slow velocity of the upper half.
    Case(double cfl, std::int64_t steps, double amplitude, Halo halo = Halo::zero, double slow = kVelocity) {
        setup.grid = {2, {60, 1, 50}, {10., 1., 8.}, {100., 0., 50.}};
        setup.halos = {halo, halo, Halo::zero, Halo::zero, halo, halo};
        setup.threads = 1;
        time.stability_limit_s = setup.scheme.stability_limit_s({10., 8.}, kVelocity);
        time.dt_s = cfl * time.stability_limit_s;
        time.steps = steps;
        vp_min = slow;
        const RowReader vp = [slow](std::int64_t, std::int64_t z, std::span<float> row) {
            std::ranges::fill(row, static_cast<float>(z < 25 ? slow : kVelocity));
        };
        wavefield = cpu::make_medium(setup, {vp}, time.dt_s)->make_wavefield();
        sources.nodes = {{0, 1}, {setup.grid.at(30, 0, 25)}, {amplitude}};
        sources.signal.emplace_back(static_cast<std::size_t>(steps) + 1);
        for (std::int64_t n = 0; n <= steps; ++n) {
            const double r = 3.14159 * 20. * (static_cast<double>(n) * time.dt_s - 0.05);
            sources.signal[0][static_cast<std::size_t>(n)] = (1. - 2. * r * r) * std::exp(-r * r);
        }
    }
    [[nodiscard]] double bound() const {
        return amplitude_bound(sources, setup.grid, time, vp_min, kVelocity) * std::sqrt(density_contrast);
    }
    [[nodiscard]] StabilityWatch watch() const {
        return {setup.grid, time, setup.precision, bound(), density_contrast};
    }
};

/// The message of the watch, and the step at which it spoke; fails if it kept silent.
std::string alarm_of(Case& c, std::int64_t& step) {
    Propagator propagator(*c.wavefield, c.sources, {}, c.time);
    const StabilityWatch watch = c.watch();
    try {
        while (propagator.step() < c.time.steps) {
            propagator.advance(std::min(StabilityWatch::kInterval, c.time.steps - propagator.step()));
            watch.check(propagator.wavefield().extremum(), propagator);
        }
    } catch (const Error& error) {
        CHECK(error.code() == ExitCode::unstable);
        step = propagator.step();
        return error.what();
    }
    FAIL_CHECK("the watch kept silent");
    return {};
}

}  // namespace

TEST_CASE("a dt above the limit is noticed before any value stops being finite") {
    for (const double cfl : {1.01, 1.05, 1.5}) {
        CAPTURE(cfl);
        Case c(cfl, 20'000, 1.);
        std::int64_t step = 0;
        const std::string message = alarm_of(c, step);
        CHECK(contains(message, "exceeds the stability limit"));
        CHECK(contains(message, "at step " + std::to_string(step) + " of 20000"));
        CHECK(contains(message, "node (x "));

        // The first non-finite value of the same run, by looking after every step.
        Propagator fine(*c.wavefield, c.sources, {}, c.time);
        do fine.advance(1);
        while (c.wavefield->extremum().finite);
        CHECK(step <= fine.step() + StabilityWatch::kInterval);
    }
}

TEST_CASE("a single NaN is noticed at the next look, with its place") {
    Case c(0.9, 200, 1.);
    c.sources.signal[0][120] = std::numeric_limits<double>::quiet_NaN();
    std::int64_t step = 0;
    const std::string message = alarm_of(c, step);
    CHECK(step == 150);
    CHECK(contains(message, "p is not finite"));
    CHECK(contains(message, "wavelet is not finite"));
}

TEST_CASE("the place is the node and its position in metres") {
    Case c(0.9, 60, 1.);
    c.sources.signal[0].assign(61, 0.);
    c.sources.signal[0][49] = std::numeric_limits<double>::infinity();
    std::int64_t step = 0;
    CHECK(contains(alarm_of(c, step), "node (x 30, z 25), at (400, 250) m, at step 50 of 60"));
}

TEST_CASE("amplitudes beyond single precision are named as the cause") {
    Case c(0.9, 200, 1e39);
    std::int64_t step = 0;
    CHECK(contains(alarm_of(c, step), "single precision"));
}

TEST_CASE("a density whose jumps make dt too long is named as the cause, with what to set") {
    struct Row {
        double light, heavy, cfl;
        const char* advice;
    };
    for (const Row& row :
         {Row{200., 3800., 1., "time.cfl_fraction: 0.9 "}, Row{1.2, 2400., 0.9, "time.cfl_fraction: 0.7 "}}) {
        CAPTURE(row.light);
        Case c(row.cfl, 5000, 1.);
        c.setup.scheme = make_scheme(Equation::variable_density, 16);
        c.time.stability_limit_s = c.setup.scheme.stability_limit_s(c.setup.grid.derivative_spacings_m(), kVelocity);
        c.time.dt_s = row.cfl * c.time.stability_limit_s;
        const RowReader vp = [](std::int64_t, std::int64_t, std::span<float> values) {
            std::ranges::fill(values, static_cast<float>(kVelocity));
        };
        const RowReader rho = [&](std::int64_t, std::int64_t z, std::span<float> values) {
            std::ranges::fill(values, static_cast<float>(z < 25 ? row.light : row.heavy));
        };
        c.wavefield = cpu::make_medium(c.setup, {vp, rho}, c.time.dt_s)->make_wavefield();
        c.density_contrast = row.heavy / row.light;
        std::int64_t step = 0;
        const std::string message = alarm_of(c, step);
        CHECK(contains(message, "the density changes by a factor of "));
        CHECK(contains(message, row.advice));
        CHECK(!contains(message, "report"));
        c.density_contrast = 1.;
        CHECK(contains(alarm_of(c, step), "a bug in Onda"));
    }
}

TEST_CASE("stable runs never reach the bound: mirrors, contrasts and amplitudes of any size") {
    for (const Halo halo : {Halo::zero, Halo::mirror_negative, Halo::mirror_positive})
        for (const double slow : {kVelocity, 300.})
            for (const double amplitude : {0., 1e-20, 1., 1e20}) {
                CAPTURE(static_cast<int>(halo));
                CAPTURE(slow);
                CAPTURE(amplitude);
                Case c(0.999, 1000, amplitude, halo, slow);
                Propagator propagator(*c.wavefield, c.sources, {}, c.time);
                const StabilityWatch watch = c.watch();
                double largest = 0.;
                while (propagator.step() < c.time.steps) {
                    propagator.advance(StabilityWatch::kInterval);
                    const Extremum seen = propagator.wavefield().extremum();
                    watch.check(seen, propagator);
                    largest = std::max(largest, seen.max_abs);
                }
                CHECK(largest <= 0.1 * c.bound());
                if (amplitude > 0.) CHECK(largest > 0.);
            }
}
