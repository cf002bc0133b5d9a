/// \file
/// Values at all nodes of a grid, in arrays that are as large as fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/unset_vector.hpp"

namespace onda {

/// A value of every node, [z][y][x], x fastest; undefined until it is set.
using NodeValues = UnsetVector<double>;

inline void scale_values(std::span<double> values, double factor) {
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor;
}

/// The node that has the value of one which may lie beyond the ends of an axis of n nodes: its mirror image.
inline std::int64_t mirrored(std::int64_t node, std::int64_t n) {
    const std::int64_t period = std::max<std::int64_t>(1, 2 * (n - 1));
    const std::int64_t within = ((node % period) + period) % period;
    return within < n ? within : period - within;
}

}  // namespace onda
