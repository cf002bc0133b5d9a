#include "io/pictures/colour_map.hpp"

#include <algorithm>
#include <cmath>

namespace onda {

Rgb blend(Rgb under, Rgb over, double share) {
    const auto mix = [share](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(std::lround((1. - share) * a + share * b));
    };
    return {mix(under.r, over.r), mix(under.g, over.g), mix(under.b, over.b)};
}

Rgb ColourMap::at(double t) const {
    if (std::isnan(t)) return kNoValue;
    const double place = std::clamp(t, 0., 1.) * static_cast<double>(anchors.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), anchors.size() - 2);
    return blend(anchors[below], anchors[below + 1], place - static_cast<double>(below));
}

}  // namespace onda
