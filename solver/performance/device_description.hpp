/// \file
/// What is known of a device before anything is measured on it: its limits and its peak rates, as YAML. Those of some
/// GPUs come with the program (solver/performance/devices/); a user's own is a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

struct DeviceDescription {
    std::string name;    ///< as its driver names it: "NVIDIA H200"
    std::string kind;    ///< "gpu"
    std::string source;  ///< where the numbers come from

    double clock_mhz = 0.;  ///< of the multiprocessors
    double memory_bandwidth_gb_s = 0., memory_latency_cycles = 0.;
    std::int64_t memory_bytes = 0, l2_bytes = 0;
    std::int64_t multiprocessors = 0;
    // Of one multiprocessor:
    std::int64_t fp32_lanes = 0, registers = 0, shared_bytes = 0, warps = 0, blocks = 0;
    // Of one block:
    std::int64_t block_threads = 0, block_shared_bytes = 0;
};

/// Threads that advance together, on all of NVIDIA's GPUs.
inline constexpr std::int64_t kWarpThreads = 32;

/// How many blocks of a kernel a multiprocessor holds at a time, and which of its limits says so.
struct Residency {
    std::int64_t blocks = 0;  ///< 0: not even one fits
    std::string bound;        ///< "registers", "shared memory", "warps", "blocks" or "threads of a block"
};
/// \param registers, shared_bytes of the whole block. The granularity with which hardware hands them out is left out.
Residency residency(const DeviceDescription& device, std::int64_t threads, std::int64_t registers,
                    std::int64_t shared_bytes);

/// Reads a description strictly: every key once, nothing unknown, numbers within their limits.
/// \param name of the text in messages. \throws Error(config) with all errors, each at its line and column.
DeviceDescription parse_device_description(std::string_view text, const std::string& name);

/// The names of the descriptions that come with the program: "a100", "h100", …
std::vector<std::string> described_devices();
/// The description of this name, or in the file of this path, which ends with ".yaml" or ".yml".
/// \throws Error(usage) for a name that is not there; Error(missing_input); what parse_device_description throws.
DeviceDescription device_description(const std::string& name_or_file);
/// The description that comes with the program for a device that its driver names so, if there is one.
std::optional<DeviceDescription> description_of(std::string_view driver_name);

}  // namespace onda
