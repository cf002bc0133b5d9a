#include "solver/planning/choice.hpp"

#include <algorithm>
#include <omp.h>
#include <spdlog/fmt/fmt.h>

#include "io/text/printable.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/history.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// Nodes of all shots of a batch: more make a GPU no faster.
constexpr std::int64_t kFillingNodes = 12'000'000;
/// Bytes of a batch that the L2 cache of a GPU keeps from step to step, by the model of an H200.
constexpr double kCachedBytes = 32e6;
/// The shots of a batch in 2-D, which read the model together: beyond so many they gain no more by it.
constexpr std::int64_t kSharingShots = 16;
/// Bytes of a shot with its model that a core finds in its own caches, or nearly.
constexpr std::int64_t kCoreBytes = 8 << 20;
/// Each shot that writes snapshots holds a file open.
constexpr std::int64_t kMostWithSnapshots = 64;
constexpr double kShareOfMemory = 0.8;  // of what is free

/// The shots of a worker, if all are equally fast.
std::int64_t shots_of_worker(const Survey& survey, const Placement& placement) {
    const std::int64_t workers = workers_of_run(placement);
    return (std::ssize(survey.shots) + workers - 1) / workers;
}

/// Shots that a batch may have at most, device and memory aside.
std::int64_t most_together(const Plan& plan) {
    if (plan.domain.aperture) return 1;  // shots on parts of their own need media of their own
    const std::int64_t shots = shots_of_worker(plan.survey, plan.placement);
    return plan.snapshots.steps.empty() ? shots : std::min(shots, kMostWithSnapshots);
}

/// A batch, or a few shots less, so that all batches are of one size.
std::int64_t of_one_size(std::int64_t shots, std::int64_t batch, std::int64_t fewest_batches) {
    const std::int64_t batches = std::max(fewest_batches, (shots + batch - 1) / batch);
    return (shots + batches - 1) / batches;
}

/// As many shots as the cache of a GPU holds: what one step writes the next finds there. Where it holds none, as many
/// as fill the GPU, and in 2-D as many as gain by reading one model.
std::int64_t fast_on_gpu(const Setup& setup, std::int64_t shots) {
    const std::int64_t points = setup.grid.points(), filling = (kFillingNodes + points - 1) / points;
    double layers = 0.;  // memory variables
    for (const auto& strip : setup.strips) layers += 1.5 * strip->work(setup.grid);
    const double element = static_cast<double>(setup.element_bytes()), nodes = static_cast<double>(points);
    const double of_shot = element * (2. * nodes + layers),
                 of_model = static_cast<double>(setup.medium.element_bytes(setup.element_bytes())) * nodes;
    const auto cached = static_cast<std::int64_t>((kCachedBytes - of_model) / of_shot);
    const bool shares = setup.grid.dimensions == 2;
    const std::int64_t fast = cached >= 1 ? cached : shares ? std::max(filling, kSharingShots) : filling;
    return of_one_size(shots, fast, 2);
}

std::int64_t fast_on_cpu(const Setup& setup, const Placement& placement) {
    if (placement.slabs.size() > 1) return 1;  // the shots of a batch would have one thread each, one after the other
    const int workers = std::max(1, static_cast<int>(placement.workers.size()));  // which share the threads
    return placement.device->predicted_bytes(setup, 1) <= kCoreBytes ? std::max(1, setup.threads / workers) : 1;
}

/// \param setup the plan's, with names.
int batch_of_rule(const Plan& plan, const Setup& setup) {
    const Device& device = *plan.placement.device;
    std::int64_t fast = plan.config.backend.batch;
    if (fast <= 0)
        fast = device.has_own_memory() ? fast_on_gpu(plan.setup, shots_of_worker(plan.survey, plan.placement))
                                       : fast_on_cpu(setup, plan.placement);
    const std::int64_t most = std::min<std::int64_t>(most_together(plan), device.most_shots(setup));
    return static_cast<int>(std::clamp<std::int64_t>(fast, 1, most));
}

/// Whether anything is left to choose.
bool is_open(const BackendConfig& wanted, const Device& device) {
    const auto open = [&device](std::string_view key, const std::string& value) {
        return device.understands(key) && value == "auto";
    };
    return wanted.kernel == "auto" || wanted.batch == 0 || open("isa", wanted.isa) || open("tile", wanted.tile) ||
           open("copy", wanted.copy);
}

void check_batch(const Config& config, const Device& device, const Setup& setup) {
    const std::int64_t wanted = config.backend.batch;
    const int most = device.most_shots(setup);
    if (wanted > most)
        config.origin.fault("backend.batch",
                            fmt::format("{}: on this grid, kernel {} of {} advances {} shot{} together at most", wanted,
                                        setup.kernel, device.name, most, most == 1 ? "" : "s"));
}

}  // namespace

KernelChoice kernel_choice(const BackendConfig& wanted) {
    KernelChoice choice;
    choice.fewer_threads = wanted.threads == 0;
    choice.threads = wanted.threads > 0 ? static_cast<int>(wanted.threads) : omp_get_max_threads();
    choice.kernel = wanted.kernel;
    choice.isa = wanted.isa;
    choice.ordinal = static_cast<int>(wanted.device);
    choice.tile = printable(wanted.tile);  // kernels/ quotes them as they are
    choice.copy = printable(wanted.copy);
    return choice;
}

TuningCase tuning_case(const Plan& plan) {
    const BackendConfig& wanted = plan.config.backend;
    TuningCase of{plan.placement.device, typical_setup(plan.setup, plan.placement), static_cast<int>(wanted.batch), 1};
    static_cast<KernelChoice&>(of.asked) = kernel_choice(wanted);
    of.asked.ordinal = plan.setup.ordinal;
    const std::int64_t most = most_together(plan);
    const bool two_batches = plan.placement.device->has_own_memory() && wanted.batch == 0;
    of.most_shots = static_cast<int>(std::min<std::int64_t>(two_batches ? (most + 1) / 2 : most, 1024));
    return of;
}

Candidate rule_of(const Plan& plan) {
    const TuningCase of = tuning_case(plan);
    Setup setup = of.asked;
    plan.placement.device->resolve(setup);
    return {setup, batch_of_rule(plan, setup)};
}

void choose_kernel_and_batch(Plan& plan, bool use_kept) {
    const TuningCase of = tuning_case(plan);
    const Candidate rule = rule_of(plan);
    check_batch(plan.config, *plan.placement.device, rule.setup(of));
    Chosen chosen{rule, "the configuration"};
    if (is_open(plan.config.backend, *plan.placement.device)) {
        const auto model = calibrated_model(*plan.placement.device, plan.setup.ordinal);
        chosen = choose(of, rule, model.get(), use_kept, plan.placement.notes);
    }
    static_cast<KernelChoice&>(plan.setup) = chosen.candidate.choice;
    plan.chosen_by = chosen.by;
    int batch = chosen.candidate.shots;
    if (of.shots == 0 && plan.placement.device->has_own_memory())
        batch = static_cast<int>(of_one_size(shots_of_worker(plan.survey, plan.placement), batch, 1));
    plan.placement.batch = batch;
    if (of.shots > 0) return;
    for (Plan trial = plan; batch > 1 && !fits(trial, batch);) batch = (batch + 1) / 2;
    plan.placement.batch = batch;
}

bool fits(Plan& plan, int batch) {
    plan.placement.batch = batch;
    if (plan.imaging && !set_history(plan) && batch > 1) return false;  // fewer shots are not computed twice
    const MemoryForecast memory = forecast_memory(plan);
    if (plan.placement.device->has_own_memory() &&
        static_cast<double>(memory.device_peak_bytes()) >
            kShareOfMemory *
                static_cast<double>(available_device_bytes(plan.config.backend, plan.setup, plan.placement)))
        return false;
    return static_cast<double>(memory.peak_bytes()) <=
           kShareOfMemory * static_cast<double>(available_host_bytes(plan.placement.ranks));
}

}  // namespace onda
