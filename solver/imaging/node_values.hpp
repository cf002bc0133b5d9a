/// \file
/// Values at all nodes of a grid, in arrays that are as large as fields.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/unset_vector.hpp"

namespace onda {

/// A value of every node, [z][y][x], x fastest; undefined until it is set.
using NodeValues = UnsetVector<double>;

inline void scale_values(std::span<double> values, double factor) {
#pragma omp parallel for
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor;
}

}  // namespace onda
