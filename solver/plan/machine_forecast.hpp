/// \file
/// What a run would take on a machine of many devices that one need not have.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/setup.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

struct Computation;
struct Experiment;

/// A machine of hosts with equal devices. Rates of links are those of one device in one direction, while both are busy.
struct Machine {
    std::int64_t hosts = 1, devices_per_host = 1;
    std::int64_t all_devices = 0;   ///< if some hosts have fewer
    double gpts = 0.;               ///< of whole time steps on one device, 1e9 nodes a second
    std::int64_t memory_bytes = 0;  ///< of one device
    double link_bytes_s = 370e9;    ///< within a host: peer copies over NVLink, measured (docs/several_devices.md)
    double network_bytes_s = 50e9;  ///< between hosts: InfiniBand NDR, or PCIe 5 x16
    double host_bytes_s = 50e9;  ///< between a device and the memory of its host, where planes for others pass: PCIe 5
    double link_s = 6e-6, network_s = 3e-5;  ///< until the first byte arrives
    double launch_s = 8e-6;                  ///< added to a step by a cut: launches of the planes beside it

    [[nodiscard]] std::int64_t devices() const { return all_devices > 0 ? all_devices : hosts * devices_per_host; }
};

/// One way to share the devices out: shots on groups of so many.
struct MachineForecast {
    std::int64_t slabs = 1;  ///< devices that share a grid
    std::int64_t shots_at_once = 1, turns = 1;
    std::int64_t bytes_of_device = 0;
    bool fits = true;
    double step_s = 0.;      ///< a time step of a shot
    double exposed_s = 0.;   ///< the part of step_s that is exchange not hidden by computing
    double seconds = 0.;     ///< of the time steps of the whole survey
    double efficiency = 1.;  ///< of all devices: work over work that they could have done meanwhile
};

/// The bytes of the largest of so many equal slabs with the wavefield of a shot.
std::int64_t largest_bytes(const Device& device, const Setup& setup, std::int64_t slabs);

/// The forecast for shots on so many slabs. \param setup that is cut: that of the plan, or as it will be.
MachineForecast forecast_on_machine(const Experiment& experiment, const Computation& computation, const Setup& setup,
                                    const Machine& machine, std::int64_t slabs);

/// The forecast for each number of slabs that divides the devices evenly enough: 1, 2, 4 … and the largest that the
/// grid can be cut into. The formula is in docs/several_devices.md.
/// \returns at least one; those that the memory of a device cannot hold come with fits == false.
std::vector<MachineForecast> forecast_on_machine(const Experiment& experiment, const Computation& computation,
                                                 const Machine& machine);

/// The fastest that fits; null if none does.
const MachineForecast* fastest(const std::vector<MachineForecast>& ways);

}  // namespace onda
