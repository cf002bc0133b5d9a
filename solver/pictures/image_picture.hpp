/// \file
/// Pictures of images that adjoint runs have made.
#pragma once

#include <span>

#include "io/results/image_file.hpp"
#include "solver/pictures/section_picture.hpp"

namespace onda {

/// The share of all |values| that is not clipped: an image is strongest at sources and receivers.
inline constexpr double kImageClip = 0.98;

/// A section of an image: of values of both signs in colours with zero in their middle, of others from zero on; beyond
/// `clip` in those of the ends of the map. The panel refers to `values`.
Panel image_panel(const Section& section, const StoredImageKind& kind, std::span<const float> values, double clip,
                  const ColourMap& map);

}  // namespace onda
