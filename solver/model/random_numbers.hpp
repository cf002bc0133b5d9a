/// \file
/// Random numbers that are a function of their place in a sequence, so that any thread may draw any of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace onda {

/// SplitMix64 (Steele, Lea & Flood 2014, OOPSLA): the stream of one seed and one index.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t index) : state_(mix(seed) ^ mix(~index)) {}

    /// A uniform number in (0, 1), neither end.
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    /// A normal number: Box & Muller (1958).
    double normal() {
        const double radius = std::sqrt(-2. * std::log(uniform()));
        return radius * std::cos(2. * std::numbers::pi * uniform());
    }

    /// A number of the gamma distribution of any shape > 0 and unit scale: Marsaglia & Tsang (2000), ACM TOMS 26(3).
    double gamma(double shape) {
        const double d = shape + 1. - 1. / 3., c = 1. / std::sqrt(9. * d);
        for (;;) {
            const double x = normal(), v = std::pow(1. + c * x, 3);
            if (v <= 0. || std::log(uniform()) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
            return d * v * std::pow(uniform(), 1. / shape);
        }
    }

private:
    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15U); }

    std::uint64_t state_;
};

}  // namespace onda
