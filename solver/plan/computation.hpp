/// \file
/// How an experiment is computed: with which kernel, behind which strips, and where.
#pragma once

#include <string>

#include "kernels/setup.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/plan/placement.hpp"

namespace onda {

/// What devices are asked for. Nothing in it but the boundary, the scheme and the stepping changes a bit of a result.
struct Computation {
    std::string asked_stepping;  ///< "single", "leap", or "auto" while it is open (set_stepping())
    Boundary boundary;
    Setup setup;  ///< kernel and what goes with it by name, "auto" resolved
    Placement placement;
};

}  // namespace onda
