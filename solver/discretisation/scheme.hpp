/// \file
/// The finite-difference scheme that a configuration asks for: operator, order, coefficients.
#pragma once

#include "io/config/config.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// Checks the grid against the reach of the stencil. \throws Error(config) if an axis has no room for the stencil.
void check_stencil_fits(const SchemeConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// The scheme of a configuration. \param density whether waves feel the density (has_density).
/// \throws Error(config) for what compact27 cannot be combined with.
Scheme make_scheme(const SchemeConfig& config, const Grid& grid, bool density, const ConfigOrigin& origin);

}  // namespace onda
