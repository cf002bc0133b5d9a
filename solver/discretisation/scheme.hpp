/// \file
/// What a configuration makes of space: operator, order, weights.
#pragma once

#include "io/config/config.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// \throws Error(config) if an axis of the grid has no room for the stencil.
void check_stencil_fits(const SchemeConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// \param density whether waves feel the density (has_density).
/// \throws Error(config) for what compact27 cannot be combined with.
Scheme make_scheme(const SchemeConfig& config, const Grid& grid, bool density, const ConfigOrigin& origin);

}  // namespace onda
