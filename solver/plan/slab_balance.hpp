/// \file
/// Slabs whose steps take equally long, on devices that differ or beside absorbing zones (backend.split: measured).
#pragma once

#include <span>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/setup.hpp"
#include "solver/plan/placement.hpp"

namespace onda {

/// What planes take on a device, measured.
struct SlabCost {
    double plane_s = 0.;                ///< a step of a plane between others
    double z_min_s = 0., z_max_s = 0.;  ///< what the absorbing zones of the end faces add to a step
};

/// Steps parts of the computed grid for a few tenths of a second: from the middle and from both ends.
/// \param setup with its kernel chosen. \param ordinal of the device, where it has memory of its own.
SlabCost measure_slab_cost(const Device& device, const Setup& setup, int ordinal);

/// Slabs of nz planes that take equally long, as far as whole planes allow.
/// \param fewest planes of each slab, from z_min on. \param costs of the device of each.
std::vector<Slab> balanced_slabs(std::int64_t nz, std::span<const std::int64_t> fewest,
                                 std::span<const SlabCost> costs);

/// Whether the configuration asks for measured slabs, and there are several.
bool wants_balance(const BackendConfig& backend, const Placement& placement);
/// What the slabs of this process cost, measured on the device of each.
std::vector<SlabCost> measure_own_slabs(const Setup& setup, const Placement& placement);
/// Measures and cuts the grid anew, where the configuration asks for it. For runs and what foretells them: other plans
/// need no device. \param placement whose grids no other process shares.
void balance_slabs(const BackendConfig& backend, const Setup& setup, Placement& placement);
/// Cuts the grid anew. \param costs of all slabs.
void balance_slabs(const Setup& setup, Placement& placement, std::span<const SlabCost> costs);

}  // namespace onda
