/// \file
/// The limits of the velocity, in files and in configurations.
#pragma once

namespace onda {

/// No rock, sediment or fluid lies outside; a thousandth or a thousandfold of one nearly always does.
inline constexpr double lowest_vp_m_s = 50., highest_vp_m_s = 30'000.;

}  // namespace onda
