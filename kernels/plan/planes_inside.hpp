/// \file
/// The planes of a slab that step while those beyond its cuts are on their way.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/setup.hpp"

namespace onda {

/// Planes [begin, end) along z.
struct PlaneRange {
    std::int64_t begin = 0, end = 0;
};

/// The planes of a problem whose step reads none beyond a cut: all where it is not cut, none where a slab is thin.
inline PlaneRange planes_inside(const Problem& problem) {
    const auto beyond = [&problem](std::size_t face) {
        return problem.halos[face] == Halo::neighbour ? std::int64_t{problem.scheme.halo()} : 0;
    };
    const std::int64_t all = problem.grid.nz(), begin = std::min(beyond(4), all);
    return {begin, std::max(begin, all - beyond(5))};
}

}  // namespace onda
