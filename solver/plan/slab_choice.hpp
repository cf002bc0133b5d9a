/// \file
/// How many slabs a grid is cut into where the configuration leaves it open: as the forecast says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/setup.hpp"
#include "solver/plan/placement.hpp"

namespace onda {

struct Plan;

/// The set-up whose grid is cut. Whether `auto` leaps is decided afterwards, for slabs that are there.
/// \param asked_stepping Plan::asked_stepping.
Setup setup_to_cut(Setup setup, std::string_view asked_stepping);
/// The number of processes that may share a grid.
int connected_ranks(const RankPlace& ranks);
/// Whether a grid can be cut where the configuration leaves the number of slabs open.
bool may_be_cut(const Setup& setup, const Placement& placement);
/// Whether `free` bytes of a device hold one of so many slabs.
bool device_holds(const Device& device, const Setup& setup, std::size_t slabs, std::int64_t free);
/// Whether planes may go from GPUs of this process to those of others directly.
bool finds_links(const BackendConfig& backend, const Device& device);
/// A slab of fewer nodes is not worth a device: launches and messages take as long as its steps.
std::int64_t fewest_nodes_of_slab(const Device& device);

struct SlabChoice {
    std::size_t count = 1;
    std::string by;  ///< why, for the log
};
/// The number of slabs that ends the survey first on these devices and those of the other processes, by the formula of
/// solver/plan/machine_forecast.hpp. \param devices of this process.
SlabChoice choose_slabs(const Plan& plan, const std::vector<int>& devices);

}  // namespace onda
