/// \file
/// What perfectly matched layers of a configuration are made for.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/config/config.hpp"

namespace onda {

/// d0 of the damping d0 (x / L)^2 [1/s]: Collino and Tsogka (2001), Geophysics 66. A layer of a few nodes that is to
/// absorb all would rather reflect, and no longer be sure to be stable: at most 1.5 vp / h.
inline double layer_damping(const BoundaryConfig& config, double spacing_m, double vp_max_m_s) {
    constexpr double most = 1.5;  // d0 h / vp
    const double wanted =
        1.5 * vp_max_m_s * std::log(1. / config.cpml_reflection) / (static_cast<double>(config.cpml_width) * spacing_m);
    return std::min(wanted, most * vp_max_m_s / spacing_m);
}

/// The lowest frequency f [Hz] that the shift alpha = pi f (1 - x / L) of Komatitsch and Martin (2007), Geophysics 72,
/// may have.
///
/// Of what is at rest a layer lets alpha / (d + alpha) through, before its face about pi f / (W d0), W in nodes: that
/// is all that takes a constant pressure there back to zero. Rounding to single precision (of the factor D of the
/// operator, and of memory variables that hardly change) pushes it away with up to 1e-7 of the plain operator, at every
/// step alike. In runs of 1e6 steps pressure grows without end where that share is 3.0e-4 or less, and nowhere from
/// 3.8e-4 on, whatever the width (3 to 100 nodes), the reflection (1e-3 to 1e-30) and the frequency. The same in double
/// precision, so that both compute the same waves.
inline double least_layer_frequency_hz(const BoundaryConfig& config, double spacing_m, double vp_max_m_s) {
    constexpr double least_share = 1e-3;
    return least_share * static_cast<double>(config.cpml_width) * layer_damping(config, spacing_m, vp_max_m_s) /
           std::numbers::pi;
}

}  // namespace onda
