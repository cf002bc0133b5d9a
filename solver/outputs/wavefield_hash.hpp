/// \file
/// The hash of a wavefield, however it is cut and whoever computes it.
#pragma once

#include <string>

#include "kernels/wavefield.hpp"

namespace onda {

/// The hash of p[n] at the nodes of a window: combined_hash() of those of its planes along z, which the device makes
/// (FieldSet::hash_planes). \param shot which of the wavefield's shots. \throws what the device met.
std::string fingerprint_wavefield(const Wavefield& wavefield, const Window& window, int shot = 0);

}  // namespace onda
