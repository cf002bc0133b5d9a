// Band-limited volumes as functions of the place, so that any shift of one is known exactly.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "solver/comparison/correlation.hpp"

namespace onda::test {

/// A sum of plane waves of at most so many radians a sample, under a Gaussian or not.
class WaveSum {
public:
    WaveSum(unsigned seed, const Triple& n, double largest, bool fades) : n_(n), fades_(fades) {
        std::mt19937_64 random(seed);
        const auto uniform = [&random](double low, double high) {
            return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
        };
        for (Wave& wave : waves_) {
            for (std::size_t axis = 0; axis < 3; ++axis) wave.k[axis] = n[axis] > 1 ? uniform(-largest, largest) : 0.;
            wave.phase = uniform(0., 2. * std::numbers::pi);
        }
    }
    /// The values at x + shift for all samples x.
    [[nodiscard]] std::vector<float> sampled(const std::array<double, 3>& shift = {}) const {
        std::vector<float> values;
        for (std::int64_t z = 0; z < n_[2]; ++z)
            for (std::int64_t y = 0; y < n_[1]; ++y)
                for (std::int64_t x = 0; x < n_[0]; ++x)
                    values.push_back(
                        static_cast<float>(at({static_cast<double>(x) + shift[0], static_cast<double>(y) + shift[1],
                                               static_cast<double>(z) + shift[2]})));
        return values;
    }

private:
    struct Wave {
        std::array<double, 3> k{};
        double phase = 0.;
    };
    [[nodiscard]] double at(const std::array<double, 3>& place) const {
        double sum = 0., exponent = 0.;
        for (const Wave& wave : waves_)
            sum += std::cos(wave.k[0] * place[0] + wave.k[1] * place[1] + wave.k[2] * place[2] + wave.phase);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double middle = 0.5 * static_cast<double>(n_[axis] - 1);
            const double part = n_[axis] > 1 ? (place[axis] - middle) / (0.17 * static_cast<double>(n_[axis])) : 0.;
            exponent += 0.5 * part * part;
        }
        return fades_ ? sum * std::exp(-exponent) : sum;
    }

    Triple n_;
    bool fades_;
    std::array<Wave, 40> waves_{};
};

inline const CorrelatorRow& cpu_row() {
    return choose_correlator("cpu");
}

}  // namespace onda::test
