/// \file
/// What an NVIDIA GPU tells of itself while it works, through the management library that comes with the driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace onda {

/// A look at a GPU. What it does not tell is absent.
struct GpuReading {
    std::optional<double> sm_mhz, memory_mhz;            ///< clocks now
    std::optional<double> most_sm_mhz, most_memory_mhz;  ///< that the GPU can have
    std::optional<double> temperature_c;
    std::optional<double> power_w, most_power_w;  ///< now, and the limit that is in force
    std::vector<std::string> held_down_by;        ///< what holds clocks down now: "power cap", …; idling is none
};

/// Looks at the GPU at a place on PCI ("0000:1b:00.0"); nothing where there is no driver or no such GPU. The library
/// (libnvidia-ml.so.1) is opened at the first call and stays open, so that the program starts without it.
std::optional<GpuReading> read_gpu(const std::string& bus_id);

}  // namespace onda
