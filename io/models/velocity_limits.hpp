/// \file
/// The limits of velocity and quality factor, in files and in configurations.
#pragma once

namespace onda {

/// No rock, sediment or fluid lies outside; a thousandth or a thousandfold of one nearly always does.
inline constexpr double lowest_vp_m_s = 50., highest_vp_m_s = 30'000.;
/// Below, a wave loses most of itself within a wavelength. No limit is above: where nothing is absorbed Q is infinite.
inline constexpr double lowest_q = 3.;

}  // namespace onda
