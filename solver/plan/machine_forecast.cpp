#include "solver/plan/machine_forecast.hpp"

#include <algorithm>

#include "kernels/slabs/slabs.hpp"
#include "solver/plan/plan.hpp"

namespace onda {
namespace {

/// The part of the time of a plane that the second reading of the planes beside a cut costs: half as many bytes again
/// (r planes on either side of it are read by both launches).
constexpr double kReadAgain = 0.5;

struct Step {
    double seconds = 0., exposed_s = 0.;
};

Step step_of(const Device& device, const Setup& setup, const Machine& machine, std::int64_t slabs) {
    const Grid& grid = setup.grid;
    const double plane = static_cast<double>(grid.nx() * grid.ny()), node_s = 1e-9 / machine.gpts;
    const auto planes = static_cast<double>((grid.nz() + slabs - 1) / slabs);
    if (slabs == 1) return {planes * plane * node_s, 0.};
    const CutPlanes cut(setup);
    const bool leaves_host = slabs > machine.devices_per_host;
    const double cuts = slabs > 2 ? 2. : 1.;
    const double beside_s = cuts * static_cast<double>(cut.count) * plane * node_s;
    const double bytes = static_cast<double>(cut.count) * plane * static_cast<double>(setup.element_bytes());
    // Planes for other hosts go through the memory of both, one way after the other.
    const double by_host_s = device.has_own_memory() ? 2. * bytes / machine.host_bytes_s : 0.;
    const double exchange_s = leaves_host ? machine.network_s + bytes / machine.network_bytes_s + by_host_s
                                          : machine.link_s + bytes / machine.link_bytes_s;
    if (cut.ghosts > 0) {  // computed twice, and exchanged after the step
        const double stride = static_cast<double>(setup.stride());
        const double between_s = (machine.launch_s + exchange_s) / stride;
        return {planes * plane * node_s + beside_s + between_s, exchange_s / stride};
    }
    const double inside_s = planes * plane * node_s - beside_s;
    const double exposed_s = std::max(0., exchange_s - std::max(0., inside_s));
    return {planes * plane * node_s + kReadAgain * beside_s + machine.launch_s + exposed_s, exposed_s};
}

}  // namespace

std::int64_t largest_bytes(const Device& device, const Setup& setup, std::int64_t slabs) {
    if (slabs == 1) return device.predicted_bytes(setup, 1);
    const auto parts = equal_slabs(setup.grid.nz(), static_cast<int>(slabs));
    // The slabs at the ends have absorbing layers, those between them ghost planes on both sides.
    return std::max(device.predicted_bytes(setup_of_slab(setup, parts.back()), 1),
                    device.predicted_bytes(setup_of_slab(setup, parts[parts.size() - 2]), 1));
}

MachineForecast forecast_on_machine(const Experiment& experiment, const Computation& computation, const Setup& setup,
                                    const Machine& machine, std::int64_t slabs) {
    // Slabs are chosen even where the survey has errors.
    const std::int64_t shots = std::max<std::int64_t>(1, std::ssize(experiment.survey.shots));
    const Step step = step_of(*computation.placement.device, setup, machine, slabs);
    MachineForecast way;
    way.slabs = slabs;
    way.shots_at_once = std::min(shots, machine.devices() / slabs);
    way.turns = (shots + way.shots_at_once - 1) / way.shots_at_once;
    way.bytes_of_device = largest_bytes(*computation.placement.device, setup, slabs);
    way.fits = way.bytes_of_device <= machine.memory_bytes;
    way.step_s = step.seconds;
    way.exposed_s = step.exposed_s;
    way.seconds = static_cast<double>(way.turns * experiment.time.steps) * step.seconds;
    const double work_s = 1e-9 / machine.gpts * static_cast<double>(experiment.domain.nodes_of_shots) *
                          static_cast<double>(experiment.time.steps) / static_cast<double>(machine.devices());
    way.efficiency = work_s / way.seconds;
    return way;
}

std::vector<MachineForecast> forecast_on_machine(const Experiment& experiment, const Computation& computation,
                                                 const Machine& machine) {
    const bool may_be_cut = computation.setup.grid.dimensions == 3;
    const std::int64_t most = std::min(machine.devices(), std::int64_t{may_be_cut ? most_slabs(computation.setup) : 1});
    std::vector<std::int64_t> numbers;
    for (std::int64_t slabs = 1; slabs < most; slabs *= 2) numbers.push_back(slabs);
    numbers.push_back(most);
    std::vector<MachineForecast> ways;
    for (const std::int64_t slabs : numbers)
        ways.push_back(forecast_on_machine(experiment, computation, computation.setup, machine, slabs));
    return ways;
}

const MachineForecast* fastest(const std::vector<MachineForecast>& ways) {
    const MachineForecast* best = nullptr;
    for (const MachineForecast& way : ways)
        if (way.fits && (best == nullptr || way.seconds < best->seconds)) best = &way;
    return best;
}

}  // namespace onda
