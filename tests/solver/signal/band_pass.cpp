// Butterworth filters: their response is that of the textbook at every frequency, without phase they are symmetric,
// with it causal, of minimum phase and equal to the recursion, and their transposes are theirs to rounding. Takes less
// than a second.
#include "solver/signal/band_pass.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>
#include <numeric>
#include <random>

using namespace onda;
using std::numbers::pi;

namespace {

constexpr double kFilterInterval_s = 0.002;  // Nyquist 250 Hz
constexpr std::size_t kFilterSamples = 1001;

using Series = std::vector<double>;

double largest_of_series(const Series& values) {
    double most = 0.;
    for (const double x : values) most = std::max(most, std::abs(x));
    return most;
}

Series filtered_series(const ButterworthBand& band, Series trace) {
    BandPass(band, trace.size(), kFilterInterval_s).apply(trace);
    return trace;
}

Series spike_at(std::size_t at) {
    Series trace(kFilterSamples, 0.);
    trace[at] = 1.;
    return trace;
}

std::vector<ButterworthBand> filters() {
    std::vector<ButterworthBand> all;
    for (const bool minimum_phase : {false, true})
        for (const int order : {1, 2, 4, 7}) {
            all.push_back({5., 60., order, minimum_phase});
            all.push_back({{}, 40., order, minimum_phase});
            all.push_back({8., {}, order, minimum_phase});
        }
    return all;
}

}  // namespace

TEST_CASE("the modulus is that of the formula, 1 / sqrt(2) at the corners and 0 where nothing passes") {
    const auto warped = [](double f) { return std::tan(pi * f * kFilterInterval_s); };
    for (const ButterworthBand& band : filters()) {
        for (double f = 1.; f < 250.; f += 3.7) {
            double square = 1.;
            if (band.high_hz) square /= 1. + std::pow(warped(f) / warped(*band.high_hz), 2 * band.order);
            if (band.low_hz) square /= 1. + std::pow(warped(*band.low_hz) / warped(f), 2 * band.order);
            CHECK(std::abs(butterworth_response(band, kFilterInterval_s, f)) ==
                  doctest::Approx(std::sqrt(square)).epsilon(1e-12));
        }
        CHECK(std::abs(butterworth_response(band, kFilterInterval_s, 0.)) == doctest::Approx(band.low_hz ? 0. : 1.));
        CHECK(std::abs(butterworth_response(band, kFilterInterval_s, 250.)) == doctest::Approx(band.high_hz ? 0. : 1.));
    }
    const ButterworthBand low{{}, 40., 4, true};
    CHECK(std::abs(butterworth_response(low, kFilterInterval_s, 40.)) ==
          doctest::Approx(std::sqrt(0.5)).epsilon(1e-13));
}

TEST_CASE("sinusoids come out with the modulus and phase of the response") {
    for (const ButterworthBand& band : filters())
        for (const double f : {10., 25., 55., 90.}) {
            // Under a bell that is long for all filters: what it smears of the response is small.
            Series trace(4001);
            const double middle_s = 4.;
            const auto bell = [&](std::size_t i, double phase) {
                const double t = static_cast<double>(i) * kFilterInterval_s - middle_s;
                return std::exp(-0.5 * t * t) * std::cos(2. * pi * f * t + phase);
            };
            for (std::size_t i = 0; i < trace.size(); ++i) trace[i] = bell(i, 0.);
            const Series out = filtered_series(band, trace);
            const std::complex<double> response = butterworth_response(band, kFilterInterval_s, f);
            if (!band.minimum_phase) CHECK(response.imag() == 0.);
            for (const std::size_t i : {2000u, 2003u, 2011u})
                CHECK(out[i] ==
                      doctest::Approx(std::abs(response) * bell(i, std::arg(response))).scale(1.).epsilon(5e-3));
        }
}

TEST_CASE("without phase a spike becomes a symmetric pulse around it") {
    for (const ButterworthBand& band : filters()) {
        if (band.minimum_phase) continue;
        const Series out = filtered_series(band, spike_at(500));
        CHECK(std::ranges::max_element(out) - out.begin() == 500);
        for (std::size_t i = 1; i <= 500; ++i) CHECK(std::abs(out[500 - i] - out[500 + i]) <= 1e-14 * out[500]);
    }
}

TEST_CASE("with minimum phase nothing comes before a spike, and energy comes as early as it can") {
    for (const ButterworthBand& band : filters()) {
        if (!band.minimum_phase) continue;
        const Series out = filtered_series(band, spike_at(300));
        const double peak = largest_of_series(out);
        for (std::size_t i = 0; i < 300; ++i) CHECK(std::abs(out[i]) <= 1e-11 * peak);
        // Of all causal series with this modulus none has more energy in its first samples. Passed on through an
        // all-pass, whose modulus is 1, there is less: y[n] = -a x[n] + x[n-1] + a y[n-1].
        for (const double a : {-0.6, 0.3, 0.9}) {
            Series passed(out.size(), 0.);
            passed[300] = -a * out[300];
            for (std::size_t i = 301; i < out.size(); ++i) passed[i] = -a * out[i] + out[i - 1] + a * passed[i - 1];
            double sum = 0., sum_passed = 0.;
            for (std::size_t i = 300; i < out.size(); ++i) {
                sum += out[i] * out[i];
                sum_passed += passed[i] * passed[i];
                CHECK(sum_passed <= sum * (1. + 1e-12));
            }
        }
    }
}

TEST_CASE("the causal low-pass of second order is its recursion") {
    const double corner_hz = 30., k = std::tan(pi * corner_hz * kFilterInterval_s);
    const double norm = 1. / (1. + std::sqrt(2.) * k + k * k);
    const double b0 = k * k * norm, a1 = 2. * (k * k - 1.) * norm, a2 = (1. - std::sqrt(2.) * k + k * k) * norm;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    Series trace(kFilterSamples), expected(kFilterSamples, 0.);
    for (double& x : trace) x = normal(random);
    const auto before = [](const Series& values, std::size_t i, std::size_t by) {
        return i < by ? 0. : values[i - by];
    };
    for (std::size_t i = 0; i < kFilterSamples; ++i)
        expected[i] = b0 * (trace[i] + 2. * before(trace, i, 1) + before(trace, i, 2)) - a1 * before(expected, i, 1) -
                      a2 * before(expected, i, 2);
    const Series out = filtered_series({{}, corner_hz, 2, true}, trace);
    for (std::size_t i = 0; i < kFilterSamples; ++i) CHECK(std::abs(out[i] - expected[i]) <= 1e-11);
}

TEST_CASE("the transpose is the transpose to rounding") {
    std::mt19937_64 random(4);
    std::normal_distribution<double> normal;
    const auto product = [](const Series& a, const Series& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.);
    };
    for (const ButterworthBand& band : filters())
        for (const std::size_t samples : {1u, 2u, 77u, 1001u}) {
            const BandPass filter(band, samples, kFilterInterval_s);
            Series x(samples), y(samples);
            for (double& value : x) value = normal(random);
            for (double& value : y) value = normal(random);
            Series of_x = x, of_y = y;
            filter.apply(of_x);
            filter.apply_transposed(of_y);
            const double size = std::sqrt(product(x, x) * product(y, y));
            CHECK(std::abs(product(of_x, y) - product(x, of_y)) <= 1e-14 * size);
        }
}
