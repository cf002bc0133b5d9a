#include "solver/plan/slab_plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"

namespace onda {
namespace {

/// The slabs whose planes a configuration lists.
std::vector<Slab> slabs_of(const std::vector<std::int64_t>& planes) {
    std::vector<Slab> slabs;
    for (const std::int64_t count : planes)
        slabs.push_back({slabs.empty() ? 0 : slabs.back().first_plane + slabs.back().planes, count});
    return slabs;
}

/// The number of slabs that the configuration asks for. \throws Error(config) where it asks for two.
std::size_t wanted_slabs(const Plan& plan) {
    const BackendConfig& wanted = plan.config.backend;
    const std::size_t listed = wanted.split.integers.size();
    if (wanted.slabs.integers.empty()) return std::max<std::size_t>(listed, 1);
    const auto count = static_cast<std::size_t>(wanted.slabs.integers.front());
    if (listed > 0 && listed != count)
        plan.config.origin.fault("backend.split", fmt::format("{} numbers of planes for {} slab{}: give one for each "
                                                              "slab, or leave out backend.slabs",
                                                              listed, count, count == 1 ? "" : "s"));
    return count;
}

/// \throws Error(config) with the largest number of slabs that the grid can be cut into.
void check_can_be_cut(const Plan& plan, const std::string& key) {
    try {
        check_slabs(plan.setup, plan.slabs);
    } catch (const std::invalid_argument& fault) {
        const std::int64_t planes = plan.setup.grid.nz();
        const int most = most_slabs(plan.setup);
        plan.config.origin.value_fault(
            key, fmt::format("{}\n  the {} planes of the computed grid can be cut into {} equal slab{} at most",
                             fault.what(), planes, most, most == 1 ? "" : "s"));
    }
}

}  // namespace

void set_slabs(Plan& plan) {
    const BackendConfig& wanted = plan.config.backend;
    const std::int64_t planes = plan.setup.grid.nz();
    const std::size_t count = wanted_slabs(plan);
    const bool listed = !wanted.split.integers.empty();
    const std::string key = listed ? "backend.split" : "backend.slabs";
    plan.slabs = {{0, planes}};
    plan.slabs_by = count > 1 || !wanted.slabs.integers.empty() ? "the configuration" : "one device holds it";
    if (count == 1 && !listed) return;
    if (count > 1 && plan.setup.grid.dimensions == 2)
        plan.config.origin.value_fault(key, "2-D grids are not cut into slabs: leave it out");
    plan.slabs = listed ? slabs_of(wanted.split.integers) : equal_slabs(planes, static_cast<int>(count));
    check_can_be_cut(plan, key);
}

void cut_again(Plan& plan) {
    if (plan.slabs.size() <= 1) {
        plan.slabs = {{0, plan.setup.grid.nz()}};
        return;
    }
    const int most = most_slabs(plan.setup);
    plan.slabs = equal_slabs(plan.setup.grid.nz(), std::min(most, static_cast<int>(plan.slabs.size())));
}

Setup setup_of_part(const Plan& plan, std::size_t slab) {
    return plan.slabs.size() <= 1 ? plan.setup : setup_of_slab(plan.setup, plan.slabs[slab]);
}

Setup typical_setup(const Plan& plan) {
    const auto thickest = std::ranges::max_element(plan.slabs, {}, &Slab::planes);
    return setup_of_part(plan, static_cast<std::size_t>(thickest - plan.slabs.begin()));
}

std::shared_ptr<Medium> make_medium(const Plan& plan, const MediumReaders& readers, const MakeExchange& make_exchange) {
    if (plan.slabs.size() <= 1) return plan.device->make_medium(plan.setup, readers, plan.time.dt_s);
    const auto make_slab = [&plan](std::size_t, const Setup& setup, const MediumReaders& rows, double dt_s) {
        return plan.device->make_medium(setup, rows, dt_s);
    };
    return make_slab_medium(plan.setup, readers, plan.time.dt_s, plan.slabs, make_slab, make_exchange);
}

std::string describe_slabs(const Plan& plan) {
    if (plan.slabs.size() <= 1) return {};
    std::string planes;
    for (const Slab& slab : plan.slabs) planes += (planes.empty() ? "" : ", ") + std::to_string(slab.planes);
    if (plan.slabs.size() > 8) {
        const auto [fewest, most] = std::ranges::minmax(plan.slabs, {}, &Slab::planes);
        planes = fmt::format("{} to {}", fewest.planes, most.planes);
    }
    return fmt::format("slabs     {} along z, of {} planes; {} are exchanged at each cut and step\n", plan.slabs.size(),
                       planes, plan.setup.scheme.halo());
}

nlohmann::ordered_json slabs_json(const Plan& plan) {
    nlohmann::ordered_json json{{"count", plan.slabs.size()}};
    for (const Slab& slab : plan.slabs) json["planes"].push_back(slab.planes);
    json["chosen_by"] = plan.slabs_by;
    return json;
}

}  // namespace onda
