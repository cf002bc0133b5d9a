/// \file
/// Slabs whose steps take equally long, on devices that differ or beside absorbing zones (backend.split: measured).
#pragma once

#include <span>
#include <vector>

#include "solver/plan/plan.hpp"

namespace onda {

/// What planes take on a device, measured.
struct SlabCost {
    double plane_s = 0.;                ///< a step of a plane between others
    double z_min_s = 0., z_max_s = 0.;  ///< what the absorbing zones of the end faces add to a step
};

/// Steps parts of the plan's grid for a few tenths of a second: from the middle and from both ends. \param plan with
/// its kernel chosen.
SlabCost measure_slab_cost(const Plan& plan, int ordinal);

/// Slabs of nz planes that take equally long, as far as whole planes allow.
/// \param fewest planes of each slab, from z_min on. \param costs of the device of each.
std::vector<Slab> balanced_slabs(std::int64_t nz, std::span<const std::int64_t> fewest,
                                 std::span<const SlabCost> costs);

/// Whether the configuration asks for measured slabs, and there are several.
bool wants_balance(const Plan& plan);
/// What the slabs of this process cost, measured on the device of each.
std::vector<SlabCost> measure_own_slabs(const Plan& plan);
/// Measures and cuts the plan anew, where it asks for it. For runs and what foretells them: other plans need no device.
/// \param plan whose grids no other process shares.
void balance_slabs(Plan& plan);
/// Cuts the plan anew. \param costs of all its slabs.
void balance_slabs(Plan& plan, std::span<const SlabCost> costs);

}  // namespace onda
