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
#include "solver/plan/plan.hpp"

namespace onda {
namespace {

constexpr double kShareOfFree = 0.9;  // sources, traces and snapshots take the rest
/// The rate of a device without a calibrated model [Gpt/s].
constexpr double kGpuRate = 100., kRateOfThread = 0.1;
/// Until a further GPU of the process can compute: measured, docs/performance.md.
constexpr double kGpuStart_s = 0.3;
/// More slabs must end the survey sooner by this share.
constexpr double kGain = 0.05;

/// Whether the device can compute a set-up at all; if not, another stage says why.
bool is_computable(const Device& device, const Setup& setup) {
    try {
        check_setup(device, setup);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// Processes that compute on the same GPU, because there is no other one.
int ranks_of_gpu(const RankPlace& ranks, const std::vector<int>& devices) {
    return devices.size() == 1 ? ranks.same_devices : 1;
}

/// The free bytes of the device that has the fewest; those of the host are looked at for the whole run (forecast.hpp).
std::int64_t least_free(const Placement& placement, const std::vector<int>& devices) {
    std::int64_t free = std::numeric_limits<std::int64_t>::max();
    if (!placement.device->has_own_memory()) return free;
    for (const int device : devices) free = std::min(free, placement.device->available_bytes(device));
    return free / ranks_of_gpu(placement.ranks, devices);
}

/// What a device computes for this process, by its model where there is one [Gpt/s].
double rate_of_device(const Placement& placement, Setup setup, const std::vector<int>& devices) {
    const bool is_gpu = placement.device->has_own_memory();
    const double sharing = is_gpu ? ranks_of_gpu(placement.ranks, devices) : placement.ranks.same_processors;
    if (is_gpu) setup.ordinal = devices.front();
    placement.device->resolve(setup);
    if (const auto model = calibrated_model(*placement.device, setup.ordinal))
        return 1e-9 * static_cast<double>(setup.grid.points()) / model->step(setup, 1).seconds / sharing;
    return is_gpu ? kGpuRate / sharing : kRateOfThread * std::max(1., omp_get_num_procs() / sharing);
}

/// The devices of all processes. How fast their links are: docs/several_devices.md.
Machine machine_of_run(const Placement& placement, const BackendConfig& backend, const Setup& setup,
                       const std::vector<int>& devices) {
    const bool is_gpu = placement.device->has_own_memory();
    const int ranks = connected_ranks(placement.ranks),
              ranks_of_host = ranks > 1 ? std::min(ranks, placement.ranks.local_size) : 1;
    Machine machine;
    machine.hosts = (ranks + ranks_of_host - 1) / ranks_of_host;
    machine.devices_per_host = ranks_of_host * std::ssize(devices);
    machine.all_devices = ranks * std::ssize(devices);
    machine.gpts = rate_of_device(placement, setup, devices);
    const std::int64_t free = least_free(placement, devices);
    machine.memory_bytes = is_gpu ? static_cast<std::int64_t>(kShareOfFree * static_cast<double>(free)) : free;
    if (!is_gpu) {
        machine.link_bytes_s = 4e9;
        machine.link_s = 3e-5;
    } else if (ranks > 1 && ranks_of_gpu(placement.ranks, devices) == 1 && finds_links(backend, *placement.device)) {
        machine.link_bytes_s = 210e9;
        machine.link_s = 1.25e-5;
    } else if (ranks > 1 || (devices.size() > 1 && !placement.device->connect(devices[0], devices[1]))) {
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
    MachineForecast way = forecast_on_machine(plan.experiment(), plan.computation(), setup, machine, slabs);
    const std::int64_t used = std::min(devices, slabs * way.shots_at_once);
    if (plan.placement.device->has_own_memory()) way.seconds += kGpuStart_s * static_cast<double>(used - 1);
    return way;
}

std::string shots_text(const Survey& survey) {
    const std::size_t shots = survey.shots.size();
    return fmt::format("{} shot{}", shots, shots == 1 ? "" : "s");
}

}  // namespace

Setup setup_to_cut(Setup setup, std::string_view asked_stepping) {
    if (asked_stepping == "leap") setup.stepping = Stepping::leap;
    return setup;
}

int connected_ranks(const RankPlace& ranks) {
    return ranks.is_connected ? ranks.size : 1;
}

bool may_be_cut(const Setup& setup, const Placement& placement) {
    return placement.device != nullptr &&
           (placement.device->has_own_memory() || connected_ranks(placement.ranks) > 1) && setup.grid.dimensions == 3 &&
           is_computable(*placement.device, setup);
}

bool device_holds(const Device& device, const Setup& setup, std::size_t slabs, std::int64_t free) {
    return static_cast<double>(largest_bytes(device, setup, static_cast<std::int64_t>(slabs))) <=
           kShareOfFree * static_cast<double>(free);
}

bool finds_links(const BackendConfig& backend, const Device& device) {
    return backend.exchange != "host" && device.has_own_memory() && !device.link_library().name.empty();
}

std::int64_t fewest_nodes_of_slab(const Device& device) {
    return device.has_own_memory() ? 4'000'000 : 250'000;
}

SlabChoice choose_slabs(const Plan& plan, const std::vector<int>& devices) {
    const Placement& placement = plan.placement;
    const int ranks = connected_ranks(placement.ranks);
    const std::int64_t of_process = std::ssize(devices), all = of_process * ranks;
    if (all == 1) return {1, "nothing asks for more"};
    if (!may_be_cut(plan.setup, placement))
        return {1, plan.setup.grid.dimensions == 2 ? "only 3-D grids are cut" : "nothing asks for more"};
    const Setup setup = setup_to_cut(plan.setup, plan.asked_stepping);
    const Machine machine = machine_of_run(placement, plan.config.backend, setup, devices);
    const MachineForecast uncut = forecast_way(plan, setup, machine, of_process, 1);
    std::optional<MachineForecast> best;
    if (uncut.fits) best = uncut;
    const std::int64_t most_by_nodes = setup.grid.points() / fewest_nodes_of_slab(*placement.device);
    for (std::int64_t slabs = 2; slabs <= std::min<std::int64_t>(all, most_slabs(setup)); ++slabs) {
        if (uncut.fits && (!fills_processes(slabs, of_process, ranks) || slabs > most_by_nodes)) continue;
        const MachineForecast way = forecast_way(plan, setup, machine, of_process, slabs);
        if (way.fits && (!best || way.seconds < (1. - kGain) * best->seconds)) best = way;
    }
    if (!best) return {1, "not even all GPUs together hold it"};
    const auto count = static_cast<std::size_t>(best->slabs);
    if (!uncut.fits)
        return {count, fmt::format("wavefield and model need {} of GPU memory, and one GPU has {}",
                                   bytes_text(uncut.bytes_of_device), bytes_text(least_free(placement, devices)))};
    if (count == 1) return {1, fmt::format("no cut ends {} sooner, by the forecast", shots_text(plan.survey))};
    return {count, fmt::format("forecast for {}: {:.2g} s, uncut {:.2g} s", shots_text(plan.survey), best->seconds,
                               uncut.seconds)};
}

}  // namespace onda
