/// \file
/// The forecast of what a run will need: memory, disk and time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/setup.hpp"
#include "solver/plan/placement.hpp"

namespace onda {

struct Plan;

/// The memory of a run at its peak, buffer by buffer.
struct MemoryForecast {
    struct Item {
        std::string what;
        std::int64_t bytes = 0;
    };
    std::vector<Item> items;         ///< in the host's memory
    std::vector<Item> device_items;  ///< in the device's; empty if it has none of its own

    [[nodiscard]] std::int64_t peak_bytes() const;
    [[nodiscard]] std::int64_t device_peak_bytes() const;
};
MemoryForecast forecast_memory(const Plan& plan);
/// The bytes that are free for this process on the device of the run that has the fewest, which others may use too.
std::int64_t available_device_bytes(const BackendConfig& backend, const Setup& setup, const Placement& placement);
/// The bytes that are free for this process in the host's memory, which others of the run may use too.
std::int64_t available_host_bytes(const RankPlace& ranks);

/// The largest grid with the proportions of the plan's whose run, with the strips beyond it, fits into `available`
/// bytes; no value if none does. \param memory the host's or the device's.
std::optional<Grid> largest_grid(const Plan& plan, Memory memory, std::int64_t available);

/// The bytes of seismograms.h5, snapshots.h5, files of further formats, and kept files of shots. Pictures, log and
/// summary add about a megabyte.
std::int64_t forecast_output_bytes(const Plan& plan);

/// Refuses a run that memory or disk cannot hold. \throws Error(out_of_memory | io_error) naming what is needed, what
/// there is, and what would fit.
void refuse_if_too_large(const Plan& plan, const std::filesystem::path& output_folder);
/// The parts of refuse_if_too_large(). \throws Error(out_of_memory).
void refuse_if_memory_is_short(const Plan& plan);
/// \throws Error(io_error).
void refuse_if_disk_is_short(const Plan& plan, const std::filesystem::path& output_folder);

/// Refuses a run whose results stay in memory, if the memory cannot hold it and them. \throws Error(out_of_memory).
void refuse_if_too_large_for_memory(const Plan& plan);

}  // namespace onda
