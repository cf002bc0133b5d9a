/// \file
/// How two volumes differ, as they are and after one has been shifted onto the other. Volumes are [z][y][x], x fastest.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/comparison/correlation.hpp"

namespace onda {

/// The samples [first, end) along each axis.
struct SampleBox {
    Triple first{}, end{};
    [[nodiscard]] bool empty() const { return end[0] <= first[0] || end[1] <= first[1] || end[2] <= first[2]; }
};

/// The differences of two volumes on a box, summed in double precision in the order of the samples.
struct Difference {
    double relative_l2 = 0.;  ///< |a - b| / |b|; 0 where both are zero, infinite where b alone is
    double nrms = 0.;     ///< 2 rms(a - b) / (rms a + rms b), 0 to 2 (Kragh & Christie 2002, The Leading Edge 21(7))
    double maximum = 0.;  ///< of |a - b|
    std::size_t at = 0;   ///< its index in the volumes
    double rms_a = 0., rms_b = 0.;
};
/// \throws std::invalid_argument for an empty box, or one that leaves the volumes.
Difference difference_of(std::span<const float> a, std::span<const float> b, const Triple& n, const SampleBox& box);

/// A volume brought onto another one.
struct Aligned {
    std::vector<float> values;  ///< b[x + shift]; zero outside
    SampleBox valid;            ///< where it is made of samples of b alone
};
/// b[x + shift], one axis after the other, by a sinc under a Kaiser window of 12 samples on either side; whole shifts
/// are exact. Outside b is continued by point reflection at its last sample, which only what is not `valid` sees: a box
/// without the samples that come from outside b and, along axes that are shifted by a fraction, without those that the
/// window reaches from there, but for at most an eighth of the axis on either side.
Aligned align(std::span<const float> b, const Triple& n, const std::array<double, 3>& shift);

}  // namespace onda
