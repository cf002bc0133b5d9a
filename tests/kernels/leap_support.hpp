/// \file
/// Shots that leap, or have order 4 in time, on any device, for comparing their bits.
#pragma once

#include <array>
#include <vector>

#include "tests/kernels/shots.hpp"

namespace onda::test {

inline Setup leap_setup(const Case& c, int order, Precision precision) {
    Setup setup = setup_of(c, order, precision);
    setup.stepping = Stepping::leap;
    return setup;
}

/// A set-up of order 4 in time, which the kernels of leaps compute, too.
inline Setup fourth_order_setup(const Case& c, int order, Precision precision) {
    Setup setup = setup_of(c, order, precision);
    setup.scheme.time_order = 4;
    return setup;
}

/// The set-ups of the kernels that apply the operator twice.
inline constexpr std::array kAppliedTwice{leap_setup, fourth_order_setup};

/// The grids of all kernels, which are shell for the most part, with an even number of steps.
inline std::vector<Case> even_cases() {
    std::vector<Case> cases = kCases;
    for (Case& c : cases) c.steps += c.steps % 2;
    return cases;
}

/// A grid with each kind of face, in which most nodes leap where it is large enough.
inline Case layers_around_leaps(const std::array<std::int64_t, 3>& n) {
    return {"3-D, layers around nodes that leap",
            {3, n, {10., 8., 9.}, {}},
            {kZero, kZero, kZero, kRigid, kFree, kZero},
            false,
            16,
            {6, 5, 4, 0, 0, 7}};
}

}  // namespace onda::test
