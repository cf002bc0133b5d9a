/// \file
/// Boxes of datasets and the tiles that they fall into.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>

#include "io/hdf5/hdf5.hpp"

namespace onda::hdf5 {

/// Of the extents from the axis `from` on.
inline Extent product(const Extents& extents, std::size_t from = 0) {
    return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(from), extents.end(), Extent{1},
                           std::multiplies<>());
}

inline Extents sum(const Extents& a, const Extents& b) {
    Extents result(a.size());
    std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::plus<>());
    return result;
}

/// Calls f(first, extents) for each tile of [begin, end), the tiles' borders being multiples of `tile`; slowest first.
template <class F>
void for_each_tile(const Extents& begin, const Extents& end, const Extents& tile, const F& f) {
    const auto rank = begin.size();
    Extents at = begin, extents(rank);
    for (;;) {
        for (std::size_t axis = 0; axis < rank; ++axis)
            extents[axis] = std::min(end[axis], (at[axis] / tile[axis] + 1) * tile[axis]) - at[axis];
        f(at, extents);
        std::size_t axis = rank;
        while (axis > 0 && (at[axis - 1] += extents[axis - 1]) >= end[axis - 1]) {
            at[axis - 1] = begin[axis - 1];
            --axis;
        }
        if (axis == 0) return;
    }
}

}  // namespace onda::hdf5
