/// \file
/// The arrays that equations of transverse isotropy have in common, from vp, epsilon and delta, the first parameters.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "kernels/equations/constant_density.hpp"
#include "kernels/equations/vti/vti.hpp"

namespace onda {

/// e = 1 + 2 epsilon, as a multiple of the quantum.
inline double horizontal_stiffness(const double* parameters, double) {
    return std::round((1. + 2. * parameters[1]) / kAnisotropyQuantum) * kAnisotropyQuantum;
}

/// d: the largest multiple up to sqrt(1 + 2 delta) whose square is not above e. Products of multiples are exact.
inline double stiffness_coupling(const double* parameters, double dt_s) {
    const double e = horizontal_stiffness(parameters, dt_s);
    const double wanted = std::sqrt(std::max(0., std::min(1. + 2. * parameters[2], e)));
    double d = std::floor(wanted / kAnisotropyQuantum) * kAnisotropyQuantum;
    while (d * d > e) d -= kAnisotropyQuantum;
    return d;
}

inline constexpr MediumArray kSquaredStep = medium_array<squared_step>("k", false, true),
                             kHorizontalStiffness = medium_array<horizontal_stiffness>("e", false, false),
                             kStiffnessCoupling = medium_array<stiffness_coupling>("d", false, false);
enum StiffnessPlace : std::size_t { kPlaceOfK, kPlaceOfE, kPlaceOfD };

/// The shares of volume injection, 1/3 along each axis (in 2-D 1/2): what it adds to p is e of the horizontal share and
/// d of the vertical one, to q d and 1 of them, to the strain the horizontal share. In a medium without anisotropy the
/// former two are 1.
inline double volume_injection(std::size_t field, const double* arrays, int dimensions) {
    const double vertical = 1. / dimensions, e = arrays[kPlaceOfE], d = arrays[kPlaceOfD];
    if (field == 2) return 1. - vertical;
    return field == 0 ? e + (d - e) * vertical : d + (1. - d) * vertical;
}

inline double share_of_vertical(int dimensions) {
    return 1. / dimensions;
}

}  // namespace onda
