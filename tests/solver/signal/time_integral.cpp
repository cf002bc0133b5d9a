// The integral of a trace over time against closed forms, up to its own Nyquist frequency, and at its end.
// Takes less than a second.
#include "solver/signal/time_integral.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numbers>
#include <vector>

using namespace onda;
using std::numbers::pi;

namespace {

std::vector<float> integral_of(const std::function<double(double)>& f, double dt, int samples) {
    std::vector<float> trace, integral(static_cast<std::size_t>(samples));
    for (int n = 0; n < samples; ++n) trace.push_back(static_cast<float>(f(n * dt)));
    integrate(trace, dt, integral);
    return integral;
}

/// A wave of an angular frequency under a bell, and its integral's size.
double error_of_wave(double nyquists, double dt, int samples) {
    const double omega = nyquists * pi / dt, middle = 0.5 * samples * dt, width = 40. * dt;
    const auto bell = [&](double t) { return std::exp(-std::pow((t - middle) / width, 2)); };
    // The derivative of sin(omega t) under the bell.
    const auto rate = [&](double t) {
        return bell(t) * (omega * std::cos(omega * t) - 2. * (t - middle) / (width * width) * std::sin(omega * t));
    };
    const std::vector<float> integral = integral_of(rate, dt, samples);
    double worst = 0.;
    for (int n = 0; n < samples; ++n)
        worst = std::max(worst, std::abs(static_cast<double>(integral[static_cast<std::size_t>(n)]) -
                                         bell(n * dt) * std::sin(omega * n * dt)));
    return worst;
}

}  // namespace

TEST_CASE("waves are integrated up to 0.87 of the Nyquist frequency, whatever the sampling") {
    for (const double nyquists : {0.02, 0.1, 0.3, 0.444, 0.6, 0.7, 0.8, 0.85}) {
        CAPTURE(nyquists);
        CHECK(error_of_wave(nyquists, 0.004, 500) < 2e-5);
        CHECK(error_of_wave(nyquists, 1e-7, 500) < 2e-5);
    }
    CHECK(error_of_wave(0.98, 0.004, 500) > 0.1);  // nothing is left of these
}

TEST_CASE("what stays stays: the integral of a pulse ends at its area, and does not drift") {
    const auto pulse = [](double t) { return std::exp(-std::pow((t - 0.2) / 0.03, 2)); };
    const std::vector<float> integral = integral_of(pulse, 0.004, 20'000);
    const double area = 0.03 * std::sqrt(pi);
    CHECK(integral.front() == doctest::Approx(0.));
    for (const std::size_t n : {200u, 2'000u, 19'999u})
        CHECK(std::abs(static_cast<double>(integral[n]) / area - 1.) < 1e-6);
}

TEST_CASE("a trace that is cut is right up to its last samples, which are nearly so") {
    const auto swell = [](double t) { return std::exp(-std::pow(t - 5., 2)) * std::sin(2. * pi * t); };
    const auto rate = [](double t) {
        return std::exp(-std::pow(t - 5., 2)) *
               (2. * pi * std::cos(2. * pi * t) - 2. * (t - 5.) * std::sin(2. * pi * t));
    };
    constexpr int samples = 106;  // it ends amid the swell
    const std::vector<float> integral = integral_of(rate, 0.05, samples);
    for (int n = 0; n < samples; ++n) {
        CAPTURE(n);
        const double error = std::abs(static_cast<double>(integral[static_cast<std::size_t>(n)]) - swell(n * 0.05));
        CHECK(error < (n < samples - 32 ? 1e-5 : 0.05));
    }
    std::vector<float> in_place{0.F, 1.F, 2.F, 1.F}, apart(4);
    integrate(in_place, 1., apart);
    integrate(in_place, 1., in_place);
    CHECK(in_place == apart);
    integrate({}, 1., {});
}
