/// \file
/// Crosstalk of supershots: what images and gradients by random codes have beside those of the shots themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace onda {

/// The crosstalk of one set of random codes as a part of what it has in common with others: two sets that are drawn
/// independently have the image of the shots in common, and what they differ by is the crosstalk of both.
/// \param energy the sum of the squared norms of the images by both. \param common their inner product.
/// \returns none where they have nothing in common.
inline std::optional<double> crosstalk_of(double energy, double common) {
    if (!(common > 0.)) return std::nullopt;
    return std::sqrt(std::max(0., 0.5 * energy - common) / common);
}

}  // namespace onda
