#include "solver/plan/slab_choice.hpp"

#include <algorithm>
#include <limits>
#include <omp.h>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/text/bytes_text.hpp"
#include "kernels/slabs/slabs.hpp"
#include "solver/performance/step_model.hpp"
#include "solver/plan/machine_forecast.hpp"

namespace onda {
namespace {

constexpr double kShareOfFree = 0.9;  // sources, traces and snapshots take the rest
/// Of a device without a calibrated model [Gpt/s].
constexpr double kGpuRate = 100., kRateOfThread = 0.1;
/// Until a further GPU of the process can compute: measured, docs/performance.md.
constexpr double kGpuStart_s = 0.3;
/// More slabs must end the survey sooner by this share.
constexpr double kGain = 0.05;

/// Whether the device can compute the plan's set-up at all; if not, another stage says why.
bool is_computable(const Plan& plan) {
    try {
        check_setup(*plan.placement.device, plan.setup);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// Processes that compute on the same GPU, because there is no other one.
int ranks_of_gpu(const Plan& plan, const std::vector<int>& devices) {
    return devices.size() == 1 ? plan.placement.ranks.same_devices : 1;
}

/// Of the device that has the fewest bytes; those of the host are looked at for the whole run (forecast.hpp).
std::int64_t least_free(const Plan& plan, const std::vector<int>& devices) {
    std::int64_t free = std::numeric_limits<std::int64_t>::max();
    if (!plan.placement.device->has_own_memory()) return free;
    for (const int device : devices) free = std::min(free, plan.placement.device->available_bytes(device));
    return free / ranks_of_gpu(plan, devices);
}

/// What a device computes for this process, by its model where there is one [Gpt/s].
double rate_of_device(const Plan& plan, Setup setup, const std::vector<int>& devices) {
    const bool is_gpu = plan.placement.device->has_own_memory();
    const double sharing = is_gpu ? ranks_of_gpu(plan, devices) : plan.placement.ranks.same_processors;
    if (is_gpu) setup.ordinal = devices.front();
    plan.placement.device->resolve(setup);
    if (const auto model = calibrated_model(*plan.placement.device, setup.ordinal))
        return 1e-9 * static_cast<double>(setup.grid.points()) / model->step(setup, 1).seconds / sharing;
    return is_gpu ? kGpuRate / sharing : kRateOfThread * std::max(1., omp_get_num_procs() / sharing);
}

/// The devices of all processes. How fast their links are: docs/several_devices.md.
Machine machine_of_run(const Plan& plan, const Setup& setup, const std::vector<int>& devices) {
    const bool is_gpu = plan.placement.device->has_own_memory();
    const int ranks = connected_ranks(plan),
              ranks_of_host = ranks > 1 ? std::min(ranks, plan.placement.ranks.local_size) : 1;
    Machine machine;
    machine.hosts = (ranks + ranks_of_host - 1) / ranks_of_host;
    machine.devices_per_host = ranks_of_host * std::ssize(devices);
    machine.all_devices = ranks * std::ssize(devices);
    machine.gpts = rate_of_device(plan, setup, devices);
    const std::int64_t free = least_free(plan, devices);
    machine.memory_bytes = is_gpu ? static_cast<std::int64_t>(kShareOfFree * static_cast<double>(free)) : free;
    if (!is_gpu) {
        machine.link_bytes_s = 4e9;
        machine.link_s = 3e-5;
    } else if (ranks > 1 && ranks_of_gpu(plan, devices) == 1 && finds_links(plan)) {
        machine.link_bytes_s = 210e9;
        machine.link_s = 1.25e-5;
    } else if (ranks > 1 || (devices.size() > 1 && !plan.placement.device->connect(devices[0], devices[1]))) {
        machine.link_bytes_s = 0.5 * machine.host_bytes_s;
        machine.link_s = machine.network_s;
    }
    return machine;
}

/// Whether processes with so many devices each can be grouped for so many slabs and leave no device idle.
bool fills_processes(std::int64_t slabs, std::int64_t devices, int ranks) {
    return ranks == 1 || (slabs <= devices ? devices % slabs == 0 : slabs % devices == 0);
}

/// The whole survey in so many slabs each, with the start of further devices.
MachineForecast forecast_way(const Plan& plan, const Setup& setup, const Machine& machine, std::int64_t devices,
                             std::int64_t slabs) {
    MachineForecast way = forecast_on_machine(plan, setup, machine, slabs);
    const std::int64_t used = std::min(devices, slabs * way.shots_at_once);
    if (plan.placement.device->has_own_memory()) way.seconds += kGpuStart_s * static_cast<double>(used - 1);
    return way;
}

std::string shots_text(const Plan& plan) {
    const std::size_t shots = plan.survey.shots.size();
    return fmt::format("{} shot{}", shots, shots == 1 ? "" : "s");
}

}  // namespace

Setup setup_to_cut(const Plan& plan) {
    Setup setup = plan.setup;
    if (plan.asked_stepping == "leap") setup.stepping = Stepping::leap;
    return setup;
}

int connected_ranks(const Plan& plan) {
    return plan.placement.ranks.is_connected ? plan.placement.ranks.size : 1;
}

bool may_be_cut(const Plan& plan) {
    return plan.placement.device != nullptr && (plan.placement.device->has_own_memory() || connected_ranks(plan) > 1) &&
           plan.setup.grid.dimensions == 3 && is_computable(plan);
}

bool device_holds(const Plan& plan, std::size_t slabs, std::int64_t free) {
    return static_cast<double>(largest_bytes(*plan.placement.device, plan.setup, static_cast<std::int64_t>(slabs))) <=
           kShareOfFree * static_cast<double>(free);
}

bool finds_links(const Plan& plan) {
    return plan.config.backend.exchange != "host" && plan.placement.device->has_own_memory() &&
           !plan.placement.device->link_library().name.empty();
}

std::int64_t fewest_nodes_of_slab(const Plan& plan) {
    return plan.placement.device->has_own_memory() ? 4'000'000 : 250'000;
}

SlabChoice choose_slabs(const Plan& plan, const std::vector<int>& devices) {
    const int ranks = connected_ranks(plan);
    const std::int64_t of_process = std::ssize(devices), all = of_process * ranks;
    if (all == 1) return {1, "nothing asks for more"};
    if (!may_be_cut(plan))
        return {1, plan.setup.grid.dimensions == 2 ? "only 3-D grids are cut" : "nothing asks for more"};
    const Setup setup = setup_to_cut(plan);
    const Machine machine = machine_of_run(plan, setup, devices);
    const MachineForecast uncut = forecast_way(plan, setup, machine, of_process, 1);
    std::optional<MachineForecast> best;
    if (uncut.fits) best = uncut;
    const std::int64_t most_by_nodes = setup.grid.points() / fewest_nodes_of_slab(plan);
    for (std::int64_t slabs = 2; slabs <= std::min<std::int64_t>(all, most_slabs(setup)); ++slabs) {
        if (uncut.fits && (!fills_processes(slabs, of_process, ranks) || slabs > most_by_nodes)) continue;
        const MachineForecast way = forecast_way(plan, setup, machine, of_process, slabs);
        if (way.fits && (!best || way.seconds < (1. - kGain) * best->seconds)) best = way;
    }
    if (!best) return {1, "not even all GPUs together hold it"};
    const auto count = static_cast<std::size_t>(best->slabs);
    if (!uncut.fits)
        return {count, fmt::format("wavefield and model need {} of GPU memory, and one GPU has {}",
                                   bytes_text(uncut.bytes_of_device), bytes_text(least_free(plan, devices)))};
    if (count == 1) return {1, fmt::format("no cut ends {} sooner, by the forecast", shots_text(plan))};
    return {count,
            fmt::format("forecast for {}: {:.2g} s, uncut {:.2g} s", shots_text(plan), best->seconds, uncut.seconds)};
}

}  // namespace onda
