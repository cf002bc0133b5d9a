#include "solver/plan/slab_balance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <spdlog/fmt/fmt.h>

#include "solver/performance/scaling.hpp"

namespace onda {
namespace {

/// So many planes are timed: enough for the launches of a GPU to be fast, few enough to fit beside others.
constexpr std::int64_t kTimedPlanes = 96;

double step_of(const Device& device, const Setup& setup, int ordinal, const Slab& slab) {
    Setup of_slab = setup_of_slab(setup, slab);
    if (device.has_own_memory()) of_slab.ordinal = ordinal;
    of_slab.medium = {};  // whose codes are those of the run's model
    return seconds_of_step(device, of_slab);
}

/// Planes of each slab for steps of so many seconds.
std::vector<double> planes_in(double seconds, std::span<const std::int64_t> fewest, std::span<const SlabCost> costs) {
    std::vector<double> planes;
    for (std::size_t s = 0; s < costs.size(); ++s) {
        const double ends = (s == 0 ? costs[s].z_min_s : 0.) + (s + 1 == costs.size() ? costs[s].z_max_s : 0.);
        planes.push_back(std::max(static_cast<double>(fewest[s]), (seconds - ends) / costs[s].plane_s));
    }
    return planes;
}

}  // namespace

SlabCost measure_slab_cost(const Device& device, const Setup& setup, int ordinal) {
    const std::int64_t nz = setup.grid.nz();
    for (std::int64_t planes = std::min(kTimedPlanes, nz / 3); planes > 0 && planes <= nz / 3; planes *= 2) {
        const std::vector<Slab> parts{{0, planes}, {planes, nz - 2 * planes}, {nz - planes, planes}};
        if (!slabs_fit(setup, parts)) continue;  // an absorbing zone needs more
        const double middle_s = step_of(device, setup, ordinal, {(nz - planes) / 2, planes});
        return {middle_s / static_cast<double>(planes),
                std::max(0., step_of(device, setup, ordinal, parts[0]) - middle_s),
                std::max(0., step_of(device, setup, ordinal, parts[2]) - middle_s)};
    }
    return {1., 0., 0.};  // too thin to be measured: equal slabs
}

std::vector<Slab> balanced_slabs(std::int64_t nz, std::span<const std::int64_t> fewest,
                                 std::span<const SlabCost> costs) {
    const auto sum_in = [&](double seconds) {
        const std::vector<double> planes = planes_in(seconds, fewest, costs);
        return std::accumulate(planes.begin(), planes.end(), 0.);
    };
    double low = 0., high = 1e-9;
    while (sum_in(high) < static_cast<double>(nz)) high *= 2.;
    for (int i = 0; i < 100; ++i) {
        const double middle = 0.5 * (low + high);
        (sum_in(middle) < static_cast<double>(nz) ? low : high) = middle;
    }
    const std::vector<double> planes = planes_in(high, fewest, costs);
    // Whole planes, of the slabs so far together: what is rounded up here is rounded down there.
    std::vector<Slab> slabs;
    double end = 0.;
    for (std::size_t s = 0; s < planes.size(); ++s) {
        const std::int64_t first = slabs.empty() ? 0 : slabs.back().first_plane + slabs.back().planes;
        end += planes[s];
        slabs.push_back({first, (s + 1 == planes.size() ? nz : std::llround(end)) - first});
    }
    return slabs;
}

bool wants_balance(const BackendConfig& backend, const Placement& placement) {
    return backend.split.name == "measured" && placement.slabs.size() > 1;
}

std::vector<SlabCost> measure_own_slabs(const Setup& setup, const Placement& placement) {
    std::map<int, SlabCost> of_device;
    std::vector<SlabCost> costs;
    for (const int device : placement.workers.front()) {
        if (!of_device.contains(device)) of_device[device] = measure_slab_cost(*placement.device, setup, device);
        costs.push_back(of_device[device]);
    }
    return costs;
}

void balance_slabs(const BackendConfig& backend, const Setup& setup, Placement& placement) {
    if (wants_balance(backend, placement)) balance_slabs(setup, placement, measure_own_slabs(setup, placement));
}

void balance_slabs(const Setup& setup, Placement& placement, std::span<const SlabCost> costs) {
    std::vector<std::int64_t> fewest;
    for (std::size_t s = 0; s < costs.size(); ++s)
        fewest.push_back(fewest_planes(setup, s == 0, s + 1 == costs.size()));
    placement.slabs = balanced_slabs(setup.grid.nz(), fewest, costs);
    const auto [fast, slow] = std::ranges::minmax(costs, {}, &SlabCost::plane_s);
    placement.slabs_by += fmt::format("; split by measurement, planes of the slowest device take {:.2f} times as long",
                                      slow.plane_s / fast.plane_s);
}

}  // namespace onda
