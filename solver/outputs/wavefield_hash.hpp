/// \file
/// The hash of a wavefield, however it is cut and whoever computes it.
#pragma once

#include <string>

#include "kernels/precision.hpp"
#include "kernels/wavefield.hpp"

namespace onda {

/// The bytes that fingerprint_wavefield() holds, unless a plane is larger.
inline constexpr std::int64_t kHashedTogetherBytes = 4 << 20;

/// The hash of p[n] at the nodes of a window, in the precision of the run: combined_hash() of those of its planes along
/// z, each the XXH3 of its values [y][x] as memory has them. Planes are hashed by all threads, in groups of a few MiB.
/// \param shot which of the wavefield's shots.
std::string fingerprint_wavefield(const Wavefield& wavefield, const Window& window, Precision precision, int shot = 0);

}  // namespace onda
