#include "solver/plan/batch.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "solver/plan/forecast.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// Of all shots of a batch: more nodes make a GPU no faster.
constexpr std::int64_t kFillingNodes = 12'000'000;
/// Of a shot with its model: what a core finds in its own caches, or nearly.
constexpr std::int64_t kCoreBytes = 8 << 20;
/// Each shot that writes snapshots holds a file open.
constexpr std::int64_t kMostWithSnapshots = 64;
constexpr double kMemoryShare = 0.8;  // of what is free

/// Shots that a batch may have at most, memory aside.
std::int64_t most_together(const Plan& plan) {
    if (plan.aperture) return 1;  // shots on parts of their own need media of their own
    const std::int64_t most = plan.device->most_shots(plan.setup);
    return std::min(plan.snapshots.steps.empty() ? most : std::min(most, kMostWithSnapshots),
                    std::ssize(plan.survey.shots));
}

/// As many as fill it, or a few less, so that all batches are of one size.
std::int64_t fast_on_gpu(const Plan& plan) {
    const std::int64_t shots = std::ssize(plan.survey.shots);
    const std::int64_t filling = (kFillingNodes + plan.grid.points() - 1) / plan.grid.points();
    const std::int64_t batches = std::max<std::int64_t>(2, (shots + filling - 1) / filling);
    return (shots + batches - 1) / batches;
}

std::int64_t fast_on_cpu(const Plan& plan) {
    return plan.device->predicted_bytes(plan.setup, 1) <= kCoreBytes ? plan.setup.threads : 1;
}

bool fits(Plan& plan, int batch) {
    plan.batch = batch;
    const MemoryForecast memory = forecast_memory(plan);
    if (plan.device->has_own_memory() &&
        static_cast<double>(memory.device_peak_bytes()) >
            kMemoryShare * static_cast<double>(plan.device->available_bytes(plan.setup.ordinal)))
        return false;
    return static_cast<double>(memory.peak_bytes()) <= kMemoryShare * static_cast<double>(available_memory_bytes());
}

}  // namespace

int choose_batch(const Plan& plan) {
    const std::int64_t wanted = plan.config.backend.batch;
    if (wanted > plan.device->most_shots(plan.setup))
        plan.config.origin.fault(
            "backend.batch",
            fmt::format("{}: on this grid, kernel {} of {} advances {} shot{} together at most", wanted,
                        plan.setup.kernel, plan.device->name, plan.device->most_shots(plan.setup),
                        plan.device->most_shots(plan.setup) == 1 ? "" : "s"));
    if (wanted > 0) return static_cast<int>(std::min(wanted, most_together(plan)));
    const std::int64_t fast = plan.device->has_own_memory() ? fast_on_gpu(plan) : fast_on_cpu(plan);
    int batch = static_cast<int>(std::clamp<std::int64_t>(fast, 1, most_together(plan)));
    for (Plan trial = plan; batch > 1 && !fits(trial, batch);) batch = (batch + 1) / 2;
    return batch;
}

}  // namespace onda
