/// \file
/// The rules of Halo, worked out as copies of layers.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/grid/grid.hpp"

namespace onda {

/// Halo layer `to` of an axis takes sign * layer `from`, both in node indices; layers that are zero are not listed.
struct HaloCopy {
    std::int64_t to = 0, from = 0;
    int sign = 1;
};

/// Mirrors about the first and last node, as often as a short axis needs. A layer whose image falls beyond a zero face
/// is zero, and one beyond a neighbour's face is the exchange's; on an axis of one node between two mirrors the images
/// never arrive, and the halo stays zero.
inline std::vector<HaloCopy> halo_copies(std::int64_t n, std::int64_t halo, Halo low, Halo high) {
    const auto image = [&](std::int64_t to) {
        HaloCopy copy{to, to, 1};
        for (int fold = 0; fold < 16; ++fold) {
            if (copy.from >= 0 && copy.from < n) return copy;
            const Halo rule = copy.from < 0 ? low : high;
            if (!is_mirror(rule)) break;
            copy.from = copy.from < 0 ? -copy.from : 2 * (n - 1) - copy.from;
            if (rule == Halo::mirror_negative) copy.sign = -copy.sign;
        }
        return HaloCopy{to, 0, 0};
    };
    std::vector<HaloCopy> copies;
    for (std::int64_t j = 1; j <= halo; ++j)
        for (const std::int64_t to : {-j, n - 1 + j})
            if (const HaloCopy copy = image(to); copy.sign != 0) copies.push_back(copy);
    return copies;
}

/// The layer of an axis that a layer of the model is an image of: mirrored about a mirror, the last one beyond a zero
/// face. Beyond a neighbour's face it is the layer itself, which lies in the neighbour.
inline std::int64_t model_image(std::int64_t layer, std::int64_t n, Halo low, Halo high) {
    while (n > 1 && ((layer < 0 && is_mirror(low)) || (layer >= n && is_mirror(high))))
        layer = layer < 0 ? -layer : 2 * (n - 1) - layer;
    if (layer < 0) return low == Halo::neighbour ? layer : 0;
    if (layer >= n) return high == Halo::neighbour ? layer : n - 1;
    return layer;
}

}  // namespace onda
