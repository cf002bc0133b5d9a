/// \file
/// Boxes of a grid that a file has in another order of the axes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace onda {

/// The axis (0, 1, 2 for x, y, z) of each dimension of a file, slowest first; two or three of them.
using Axes = std::vector<std::size_t>;

/// Copies a part of a box from the order of the file to [z][y][x]. Tiles keep both sides in cache.
/// \param out the part's first node within the box; \param box extents of the whole box.
inline void put_part(std::span<const float> stored, const Axes& axes, const std::array<std::int64_t, 3>& part,
                     const std::array<std::int64_t, 3>& box, float* out) {
    constexpr std::int64_t tile = 32;
    const std::array<std::int64_t, 3> out_stride{1, box[0], box[0] * box[1]};
    std::array<std::int64_t, 3> in_stride{0, 0, 0};
    std::int64_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        in_stride[*axis] = stride;
        stride *= part[*axis];
    }
    const bool rows = in_stride[0] == 1;
    const std::int64_t x_tile = rows ? part[0] : tile;
    // b is what the file has fastest, apart from x, which comes out fastest.
    const std::size_t b = axes.back() == 0 ? 1 : axes.back(), a = 3 - b;
    for (std::int64_t ia = 0; ia < part[a]; ++ia)
        for (std::int64_t b0 = 0; b0 < part[b]; b0 += tile)
            for (std::int64_t x0 = 0; x0 < part[0]; x0 += x_tile)
                for (std::int64_t ib = b0; ib < std::min(b0 + tile, part[b]); ++ib) {
                    const float* from = stored.data() + ia * in_stride[a] + ib * in_stride[b];
                    float* to = out + ia * out_stride[a] + ib * out_stride[b];
                    if (rows)
                        std::copy_n(from, part[0], to);
                    else
                        for (std::int64_t x = x0; x < std::min(x0 + tile, part[0]); ++x) to[x] = from[x * in_stride[0]];
                }
}

}  // namespace onda
