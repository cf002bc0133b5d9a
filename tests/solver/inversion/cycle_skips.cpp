// Cycle skipping: traces shifted by known parts of a period, and what a warning says of them.
#include "solver/inversion/cycle_skips.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <numbers>
#include <omp.h>
#include <random>
#include <stdexcept>
#include <vector>

using namespace onda;

namespace {

constexpr std::size_t kTraceSamples = 500;
constexpr double kTraceInterval = 0.004;
constexpr double kF0 = 8.;
/// |S|^2 of a Ricker wavelet is f^4 exp(-2 (f / f0)^2), of the centroid f0 / sqrt(2) Gamma(3) / Gamma(5/2).
const double kPeriod = std::numbers::sqrt2 * std::tgamma(2.5) / std::tgamma(3.) / kF0;

using Traces = std::vector<float>;

double ricker(double f0, double t) {
    const double x = std::numbers::pi * f0 * t;
    return (1. - 2. * x * x) * std::exp(-x * x);
}

/// Two arrivals, of which the second is smaller and of opposite sign. \param late by [s].
Traces trace(double late, double amplitude = 1., double f0 = kF0) {
    Traces values;
    for (std::size_t n = 0; n < kTraceSamples; ++n) {
        const double t = double(n) * kTraceInterval - late;
        values.push_back(float(amplitude * (ricker(f0, t - 0.6) - 0.5 * ricker(f0, t - 1.33))));
    }
    return values;
}

Traces noise(unsigned seed) {
    std::mt19937 random(seed);
    Traces values;
    for (std::size_t n = 0; n < kTraceSamples; ++n)
        values.push_back(float(double(random()) / double(std::mt19937::max()) - 0.5));
    return values;
}

Traces joined(const std::vector<Traces>& parts) {
    Traces all;
    for (const Traces& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

CycleSkipCheck plain() {
    return {kTraceSamples, kTraceInterval, std::nullopt};
}

/// Of one shot whose observed traces are so much later, in periods, than the synthetic ones.
CycleSkips skips_of(const std::vector<double>& periods) {
    std::vector<Traces> synthetic, observed;
    for (std::size_t i = 0; i < periods.size(); ++i) {
        synthetic.push_back(trace(0.001 * double(i)));
        observed.push_back(trace(0.001 * double(i) + periods[i] * kPeriod, 3.));
    }
    CycleSkipCheck check = plain();
    check.add(4, joined(synthetic), joined(observed), {});
    return check.result();
}

}  // namespace

TEST_CASE("traces are skipped from half a period on, early or late") {
    const CycleSkips near = skips_of({0.3, -0.3, 0.1, 0., 0.3});
    CHECK(near.traces == 5);
    CHECK(near.skipped == 0);
    CHECK(near.unlike == 0);
    // The second arrival leaves the spectrum of one but for ripples, which the centroid takes the mean of.
    CHECK(near.period_s == doctest::Approx(kPeriod).epsilon(0.01));
    CHECK(warning_of(near).empty());

    const CycleSkips far = skips_of({0.7, -0.7, 0.7});
    CHECK(far.traces == 3);
    CHECK(far.skipped == 3);
    CHECK(skips_of({0.47, -0.47}).skipped == 0);
    CHECK(skips_of({0.53, -0.53}).skipped == 2);

    const CycleSkips mixed = skips_of({0.3, 0.7, -0.1, -0.9, 0.2, 0.6, 0.4});
    CHECK(mixed.traces == 7);
    CHECK(mixed.skipped == 3);
    CHECK(mixed.worst_shot == 4);
    CHECK(mixed.worst_receiver == 4);
    CHECK(mixed.worst_shift_s == doctest::Approx(-0.9 * kPeriod).epsilon(0.005));
}

TEST_CASE("shifts are found to a hundredth of a period, whatever part of a sample they are") {
    for (int n = -12; n <= 12; ++n) {
        const double shift = (double(n) + 0.083 * double(n % 12)) * kTraceInterval;
        CycleSkipCheck check = plain();
        check.add(1, trace(0.), trace(shift), {});
        CHECK(std::abs(check.result().worst_shift_s - shift) < 0.01 * kPeriod);
        CHECK(std::abs(check.result().worst_shift_s - shift) < 0.1 * kTraceInterval);
    }
}

TEST_CASE("the band decides on what is compared, and on the period") {
    // A shift of 0.7 periods of 8 Hz is 0.26 of 3 Hz.
    const double shift = 0.7 * kPeriod;
    const auto both = [](double late) {
        Traces low = trace(late, 1., 3.);
        const Traces high = trace(late, 2., 16.);
        for (std::size_t n = 0; n < low.size(); ++n) low[n] += high[n];
        return low;
    };
    CycleSkipCheck all = plain(), low(kTraceSamples, kTraceInterval, ButterworthBand{.low_hz = {}, .high_hz = 4.});
    for (CycleSkipCheck* check : {&all, &low}) check->add(1, both(0.), both(shift), {});
    CHECK(all.result().skipped == 1);
    CHECK(low.result().skipped == 0);
    CHECK(low.result().period_s > 2. * all.result().period_s);
    CHECK(low.result().worst_shift_s == doctest::Approx(shift).epsilon(0.02));
}

TEST_CASE("dead and excluded traces are not counted, and noise counts beside the others") {
    const Traces zeros(kTraceSamples), one = trace(0.);
    std::vector<Traces> synthetic{one, zeros, one, one, one}, observed{trace(0.7 * kPeriod), one, zeros, one, noise(1)};
    CycleSkipCheck check = plain();
    check.add(2, joined(synthetic), joined(observed), std::vector<double>{1., 1., 1., 0., 1.});
    CycleSkips skips = check.result();
    CHECK(skips.traces == 1);
    CHECK(skips.skipped == 1);
    CHECK(skips.unlike == 1);
    CHECK(skips.period_s == doctest::Approx(kPeriod).epsilon(0.01));  // not that of the noise
    check.add(3, noise(2), noise(3), {});
    CHECK(check.result().unlike == 2);
    CHECK(check.result().traces == 1);

    const CycleSkips none = plain().result();
    CHECK(none.traces == 0);
    CHECK(none.worst_shot == 0);
    CHECK(warning_of(none).empty());
    CHECK_THROWS_AS(check.add(1, one, joined({one, one}), {}), std::invalid_argument);
    CHECK_THROWS_AS(check.add(1, one, one, std::vector<double>{1., 1.}), std::invalid_argument);
}

TEST_CASE("results depend neither on the order of shots nor on the number of threads") {
    std::vector<Traces> synthetic, observed;
    for (int i = 0; i < 30; ++i) {
        synthetic.push_back(trace(0., 1., kF0 + 0.01 * i));
        observed.push_back(trace(0.004 * i, 1., kF0 - 0.013 * i));
    }
    const Traces d = joined(synthetic), o = joined(observed);
    const auto shot = [](const Traces& all, std::size_t n) {
        return std::span(all).subspan(n * 10 * kTraceSamples, 10 * kTraceSamples);
    };
    const int threads = omp_get_max_threads();
    std::vector<CycleSkips> found;
    for (const bool reversed : {false, true}) {
        omp_set_num_threads(reversed ? 4 : 1);
        CycleSkipCheck check = plain();
        for (const std::size_t n : {0, 1, 2}) {
            const std::size_t at = reversed ? 2 - n : n;
            check.add(std::int64_t(at) + 1, shot(d, at), shot(o, at), {});
        }
        found.push_back(check.result());
    }
    omp_set_num_threads(threads);
    CHECK(found[0].traces == 30);
    CHECK(found[0].skipped == found[1].skipped);
    CHECK(found[0].period_s == found[1].period_s);
    CHECK(found[0].worst_shift_s == found[1].worst_shift_s);
    CHECK(found[0].worst_shot == 3);
    CHECK(found[1].worst_shot == 3);
    CHECK(found[0].worst_receiver == found[1].worst_receiver);
}

TEST_CASE("a warning says how many, how far, and what to do, from 5 % on") {
    CHECK(warning_of({.traces = 1000, .skipped = 49}).empty());
    const std::string text = warning_of({.traces = 1000,
                                         .skipped = 50,
                                         .worst_shift_s = 0.21,
                                         .period_s = 0.125,
                                         .worst_shot = 3,
                                         .worst_receiver = 17});
    for (const char* part : {"50 of 1000 traces (5 %)", "0.125 s", "receiver 17 of shot 3", "0.21 s too early",
                             "lower frequencies", "shorter offsets", "start model", "imaging.misfit: envelope"})
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
    CHECK(warning_of({.traces = 990, .unlike = 10}).empty());
    CHECK(warning_of({.traces = 90, .unlike = 10}).find("10 of 100 traces resemble") != std::string::npos);
    CHECK(warning_of({.traces = 1, .skipped = 1, .worst_shift_s = -0.2}).find("too late") != std::string::npos);
}
