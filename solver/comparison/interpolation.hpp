/// \file
/// Values between samples, by a sinc under a Kaiser window.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace onda {

/// Samples on either side of a place that its value is made of.
inline constexpr std::int64_t kSincRadius = 12;
/// Of the Kaiser window: 100 dB, up to three quarters of the Nyquist wavenumber with this radius.
inline constexpr double kSincBeta = 10.;

/// The modified Bessel function of order 0, by its series (Abramowitz and Stegun 1964, 9.6.12).
inline double bessel_i0(double x) {
    double term = 1., sum = 1.;
    for (int k = 1; k < 50; ++k) {
        term *= 0.25 * x * x / (static_cast<double>(k) * k);
        sum += term;
    }
    return sum;
}

/// The weight of a sample at a distance in samples.
inline double sinc_weight(double distance) {
    const double part = distance / static_cast<double>(kSincRadius + 1);
    if (std::abs(part) >= 1.) return 0.;
    const double window = bessel_i0(kSincBeta * std::sqrt(1. - part * part)) / bessel_i0(kSincBeta);
    const double angle = std::numbers::pi * distance;
    return window * (std::abs(distance) < 1e-12 ? 1. : std::sin(angle) / angle);
}

/// The weights of the samples -kSincRadius … kSincRadius for the place `at`, between -1 and 1; their sum is one.
using SincWeights = std::array<double, 2 * kSincRadius + 1>;
inline SincWeights sinc_weights(double at) {
    SincWeights weights{};
    double sum = 0.;
    for (std::int64_t i = -kSincRadius; i <= kSincRadius; ++i) {
        const double weight = sinc_weight(static_cast<double>(i) - at);
        weights[static_cast<std::size_t>(i + kSincRadius)] = weight;
        sum += weight;
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

}  // namespace onda
