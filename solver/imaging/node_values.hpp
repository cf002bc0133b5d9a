/// \file
/// Values at all nodes of a grid, in arrays that are as large as fields.
#pragma once

#include "kernels/unset_vector.hpp"

namespace onda {

/// A value of every node, [z][y][x], x fastest; undefined until it is set.
using NodeValues = UnsetVector<double>;

}  // namespace onda
