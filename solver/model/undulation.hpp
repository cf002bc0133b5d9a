/// \file
/// Gentle random surfaces of earths that are drawn at random.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "solver/model/random_numbers.hpp"

namespace onda {

/// A gentle random surface: a few waves across the model. Lengths here are fractions of the grid's extents.
struct Undulation {
    struct Wave {
        double amplitude, kx, ky, phase;
    };
    std::array<Wave, 3> waves{};

    Undulation(RandomStream& random, double amplitude, double slowest, double fastest) {
        constexpr double pi = std::numbers::pi;
        for (Wave& wave : waves)
            wave = {amplitude * random.uniform(0.5, 1.) / 2., 2. * pi * random.uniform(slowest, fastest),
                    2. * pi * random.uniform(-0.5, 0.5) * fastest, random.uniform(0., 2. * pi)};
    }
    [[nodiscard]] double operator()(double x, double y) const {
        double sum = 0.;
        for (const Wave& wave : waves) sum += wave.amplitude * std::sin(wave.kx * x + wave.ky * y + wave.phase);
        return sum;
    }
};

}  // namespace onda
