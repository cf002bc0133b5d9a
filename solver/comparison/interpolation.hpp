/// \file
/// Values between samples, by a sinc under a Kaiser window.
#pragma once

#include <array>
#include <cstdint>

#include "solver/signal/kaiser_sinc.hpp"

namespace onda {

/// Samples on either side of a place that its value is made of.
inline constexpr std::int64_t kSincRadius = 12;
/// beta: 100 dB, up to three quarters of the Nyquist wavenumber with this radius.
inline constexpr KaiserSinc kShiftKernel(static_cast<double>(kSincRadius + 1), 10.);

/// The weights of the samples -kSincRadius … kSincRadius for the place `at`, between -1 and 1; their sum is one.
using SincWeights = std::array<double, 2 * kSincRadius + 1>;
inline SincWeights sinc_weights(double at) {
    SincWeights weights{};
    double sum = 0.;
    for (std::int64_t i = -kSincRadius; i <= kSincRadius; ++i) {
        const double weight = kShiftKernel(static_cast<double>(i) - at);
        weights[static_cast<std::size_t>(i + kSincRadius)] = weight;
        sum += weight;
    }
    for (double& weight : weights) weight /= sum;
    return weights;
}

}  // namespace onda
