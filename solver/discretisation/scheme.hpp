/// \file
/// The finite-difference scheme that a configuration asks for: operator, order, coefficients.
#pragma once

#include <functional>

#include "io/config/config.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// Checks the grid against the reach of the stencil. \throws Error(config) if an axis has no room for the stencil.
void check_stencil_fits(const SchemeConfig& config, const Grid& grid, const ConfigOrigin& origin);

/// Whether the model of a run gives a parameter.
using Gives = std::function<bool(const MediumParameter&)>;

/// The scheme of a configuration: of the equations with its stencil, that with the most parameters of which the model
/// gives all. \param time_order as time.order has it.
/// \throws Error(config) for what the equation cannot be combined with, and for a model that gives too little or, for
/// an equation to which it is the same everywhere, something that waves would feel.
Scheme make_scheme(const SchemeConfig& config, std::int64_t time_order, const Grid& grid, const Gives& gives,
                   const ConfigOrigin& origin);

}  // namespace onda
