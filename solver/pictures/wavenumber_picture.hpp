/// \file
/// The spectrum of a line of traces over wavenumber and frequency.
#pragma once

#include <span>

#include "solver/pictures/gather_picture.hpp"

namespace onda {

/// |P(f, k)| in dB of its largest value, where P(f, k) is the sum of p(t, x) exp(-2 pi i (f t - k x)): waves that go
/// towards larger x have positive wavenumbers. Up to the frequency beyond which all stays below -60 dB, and to half a
/// wave per trace spacing. The last twentieth of each trace, and at both ends of the line a twentieth of its traces,
/// are tapered to zero. \param line evenly spaced, by its places, two receivers at least. \param velocities_m_s
/// apparent ones, each of which gets the dashed lines f = |k| v.
GatherPanel wavenumber_panel(const ShotGather& gather, const ReceiverLine& line, std::span<const double> velocities_m_s,
                             const ColourMap& map);

}  // namespace onda
