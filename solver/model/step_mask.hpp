/// \file
/// Which part of a step each node of an inversion takes, from a file.
#pragma once

#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// inversion.mask on the nodes of a grid, [z][y][x], x fastest: from 0, which holds a node, to 1, which leaves it free.
/// The file is dataset /mask of an HDF5 file, alone with the attributes of a model or beside /vp, or a NumPy array
/// [z][y][x] or [z][x], and lies on the nodes of the configuration's grid; other grids have it by interpolation, zero
/// where all nodes around are.
/// \param config with a section `inversion` and its grid complete. \returns nothing where there is no mask.
/// \throws Error(config) naming file and both grids; Error(missing_input | bad_data) naming file, node and value.
[[nodiscard]] std::vector<float> step_mask(const Config& config, const Grid& grid);

}  // namespace onda
