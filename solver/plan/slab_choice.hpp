/// \file
/// How many slabs a grid is cut into where the configuration leaves it open: as the forecast says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "solver/plan/plan.hpp"

namespace onda {

/// The set-up whose grid is cut. Whether `auto` leaps is decided afterwards, for slabs that are there.
Setup setup_to_cut(const Plan& plan);
/// The processes that may share a grid.
int connected_ranks(const Plan& plan);
/// Whether a grid can be cut unless the configuration says so.
bool may_be_cut(const Plan& plan);
/// Whether `free` bytes of a device hold one of so many slabs.
bool device_holds(const Plan& plan, std::size_t slabs, std::int64_t free);
/// Whether planes may go from GPUs of this process to those of others directly.
bool finds_links(const Plan& plan);
/// A slab of fewer nodes is not worth a device: launches and messages take as long as its steps.
std::int64_t fewest_nodes_of_slab(const Plan& plan);

struct SlabChoice {
    std::size_t count = 1;
    std::string by;  ///< why, for the log
};
/// The number of slabs that ends the survey first on these devices and those of the other processes, by the formula of
/// solver/plan/machine_forecast.hpp. \param devices of this process.
SlabChoice choose_slabs(const Plan& plan, const std::vector<int>& devices);

}  // namespace onda
