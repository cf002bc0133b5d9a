/// \file
/// The halo rules of kernels/backend.hpp, worked out as plane copies.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// Halo layer `to` of an axis takes sign * layer `from`, both in node indices; layers that are zero are not listed.
struct HaloCopy {
    std::int64_t to = 0, from = 0;
    int sign = 1;
};

/// Mirrors about the first and last node, as often as a short axis needs. A layer whose image falls beyond a zero face
/// is zero; on an axis of one node between two mirrors the images never arrive, and the halo stays zero.
inline std::vector<HaloCopy> halo_copies(std::int64_t n, std::int64_t halo, Halo low, Halo high) {
    const auto image = [&](std::int64_t to) {
        HaloCopy copy{to, to, 1};
        for (int fold = 0; fold < 16; ++fold) {
            if (copy.from >= 0 && copy.from < n) return copy;
            const Halo rule = copy.from < 0 ? low : high;
            if (rule == Halo::zero) break;
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

/// The same for a model that a kernel reads beyond the faces: mirrored about a mirror face, constant beyond a zero
/// face.
inline std::vector<HaloCopy> model_copies(std::int64_t n, std::int64_t halo, Halo low, Halo high) {
    std::vector<HaloCopy> copies;
    for (std::int64_t j = 1; j <= halo; ++j)
        for (const std::int64_t to : {-j, n - 1 + j}) {
            std::int64_t from = to;
            while (n > 1 && ((from < 0 && low != Halo::zero) || (from >= n && high != Halo::zero)))
                from = from < 0 ? -from : 2 * (n - 1) - from;
            copies.push_back({to, from < 0 ? 0 : from >= n ? n - 1 : from, 1});
        }
    return copies;
}

}  // namespace onda
