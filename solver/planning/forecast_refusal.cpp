#include <algorithm>
#include <filesystem>
#include <spdlog/fmt/fmt.h>

#include "io/files/plain_file.hpp"
#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/plan/plan.hpp"
#include "solver/planning/forecast.hpp"

namespace onda {
namespace {

std::string shortage(const Plan& plan, Memory memory, std::int64_t needed, std::int64_t available) {
    const auto fitting = largest_grid(plan, memory, available);
    const bool on_device = memory == Memory::device;
    if (!fitting) {
        const MemoryForecast forecast = forecast_memory(plan);
        const auto& items = on_device ? forecast.device_items : forecast.items;
        const auto& most = *std::ranges::max_element(items, {}, &MemoryForecast::Item::bytes);
        return fmt::format(
            "the run needs {} of {}memory and {} are available\n  no smaller grid of these proportions would fit "
            "either: "
            "{} of it are {}; take fewer shots, receivers or snapshots, or a shorter record",
            bytes_text(needed), on_device ? "GPU " : "", bytes_text(available), bytes_text(most.bytes), most.what);
    }
    return fmt::format(
        "the run needs {} of {}memory and {} are available\n  {} would fit (this grid has {}): increase grid.spacing_m "
        "or take {} with more memory",
        bytes_text(needed), on_device ? "GPU " : "", bytes_text(available), shape_text(*fitting) + " nodes",
        shape_text(plan.domain.grid), on_device ? "backend.name: cpu, or a GPU" : "a machine");
}

/// \param kept bytes of the host beside the forecast.
std::string memory_shortage(const Plan& plan, const MemoryForecast& memory, std::int64_t kept) {
    std::string text;
    if (plan.placement.device->has_own_memory())
        if (const std::int64_t free = available_device_bytes(plan.config.backend, plan.setup, plan.placement);
            memory.device_peak_bytes() > free)
            text = shortage(plan, Memory::device, memory.device_peak_bytes(), free);
    const std::int64_t needed = saturating_sum(memory.peak_bytes(), kept),
                       free = available_host_bytes(plan.placement.ranks);
    if (needed > free) text += (text.empty() ? "" : "\n") + shortage(plan, Memory::host, needed, free);
    return text;
}

/// The bytes of gathers and snapshots.
std::int64_t result_bytes(const Survey& survey, const TimeAxis& time, const SnapshotPlan& snapshots) {
    const std::int64_t quantities = 1 + std::ssize(survey.motion.written),
                       samples = saturating_product(survey.size.receivers, quantities, time.output_samples),
                       nodes = saturating_product(snapshots.steps.size(), snapshots.window.points());
    return saturating_product(std::int64_t{sizeof(float)},
                              saturating_sum(samples, saturating_product(nodes, std::ssize(survey.shots))));
}

}  // namespace

void refuse_if_too_large(const Plan& plan, const std::filesystem::path& output_folder) {
    refuse_if_memory_is_short(plan);
    refuse_if_disk_is_short(plan, output_folder);
}

void refuse_if_memory_is_short(const Plan& plan) {
    const std::string fault = memory_shortage(plan, forecast_memory(plan), 0);
    if (!fault.empty()) throw Error(ExitCode::out_of_memory, fault);
}

void refuse_if_disk_is_short(const Plan& plan, const std::filesystem::path& output_folder) {
    const std::filesystem::path existing = nearest_existing(output_folder);
    const auto disk = static_cast<double>(std::filesystem::space(existing).available);
    if (const std::int64_t output = forecast_output_bytes(plan); static_cast<double>(output) > disk)
        throw Error(
            ExitCode::io_error,
            fmt::format("the results need {} on disk and {} has {} left\n  choose another folder with --output, "
                        "or take fewer snapshots, receivers or shots",
                        bytes_text(output), shown(existing), bytes_text(static_cast<std::int64_t>(disk))));
}

void refuse_if_too_large_for_memory(const Plan& plan) {
    const std::string fault =
        memory_shortage(plan, forecast_memory(plan), result_bytes(plan.survey, plan.time, plan.snapshots));
    if (!fault.empty()) throw Error(ExitCode::out_of_memory, fault);
}

}  // namespace onda
