#include "solver/signal/time_integral.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include "solver/signal/kaiser_sinc.hpp"

namespace onda {
namespace {

constexpr std::size_t kHalfOfIntegral = 32;
using StepWeights = std::array<double, 2 * kHalfOfIntegral>;

/// The weights of the 64 samples around an interval for the integral over it, in intervals: those of the kernel by
/// Simpson's rule, with a sum of 1. The second half mirrors the first.
StepWeights weights_of_step() {
    constexpr KaiserSinc kernel(static_cast<double>(kHalfOfIntegral), 10.);
    constexpr int parts = 256;
    StepWeights weight{};
    double sum = 0.;
    for (std::size_t k = 0; k < kHalfOfIntegral; ++k) {
        double integral = 0.;
        for (int i = 0; i <= parts; ++i) {
            const double simpson = i == 0 || i == parts ? 1. : i % 2 == 1 ? 4. : 2.;
            integral += simpson * kernel(static_cast<double>(k) + static_cast<double>(i) / parts);
        }
        weight[kHalfOfIntegral + k] = weight[kHalfOfIntegral - 1 - k] = integral / (3. * parts);
        sum += 2. * weight[kHalfOfIntegral + k];
    }
    for (double& w : weight) w /= sum;
    return weight;
}

}  // namespace

void integrate(std::span<const float> trace, double dt_s, std::span<float> integral) {
    static const StepWeights weight = weights_of_step();
    const std::size_t samples = trace.size();
    if (samples == 0) return;
    std::vector<double> padded(2 * kHalfOfIntegral + samples + kHalfOfIntegral);
    const auto at = [&](std::size_t i) { return static_cast<double>(trace[i]); };
    for (std::size_t i = 0; i < samples; ++i) padded[2 * kHalfOfIntegral + i] = at(i);
    for (std::size_t i = 0; i < kHalfOfIntegral; ++i)
        padded[2 * kHalfOfIntegral + samples + i] =
            2. * at(samples - 1) - (i + 2 <= samples ? at(samples - 2 - i) : 0.);
    double sum = 0.;
    for (std::size_t end = 0; end < kHalfOfIntegral + samples; ++end) {  // of intervals, from 32 before the trace on
        double step = 0.;
        for (std::size_t k = 0; k < weight.size(); ++k) step += weight[k] * padded[end + k];
        sum += step * dt_s;
        if (end >= kHalfOfIntegral) integral[end - kHalfOfIntegral] = static_cast<float>(sum);
    }
}

}  // namespace onda
