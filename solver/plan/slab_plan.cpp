#include "solver/plan/slab_plan.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <stdexcept>

#include "io/text/saturating.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_choice.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/ranks/team_exchange.hpp"

namespace onda {
namespace {

/// The slabs whose planes a configuration lists.
std::vector<Slab> slabs_of(const std::vector<std::int64_t>& planes) {
    std::vector<Slab> slabs;
    for (const std::int64_t count : planes)
        slabs.push_back({slabs.empty() ? 0 : slabs.back().first_plane + slabs.back().planes, count});
    return slabs;
}

/// The number of slabs that the configuration asks for, 0 where it leaves it open. \throws Error(config) where it asks
/// for two.
std::size_t wanted_slabs(const Config& config) {
    const BackendConfig& wanted = config.backend;
    const std::size_t listed = wanted.split.integers.size();
    if (wanted.slabs.integers.empty()) return listed;
    const auto count = static_cast<std::size_t>(wanted.slabs.integers.front());
    if (listed > 0 && listed != count)
        config.origin.fault("backend.split", fmt::format("{} numbers of planes for {} slab{}: give one for each "
                                                         "slab, or leave out backend.slabs",
                                                         listed, count, count == 1 ? "" : "s"));
    return count;
}

/// \throws Error(config) unless every device of the list can be used; shares of the CPU once.
void check_devices(const Device& device, const ConfigOrigin& origin, const std::vector<int>& ordinals) {
    const auto fault = [&origin](const std::string& message) { origin.value_fault("backend.devices", message); };
    for (std::size_t i = 0; i < ordinals.size(); ++i) {
        if (!device.has_own_memory()) {
            if (std::ranges::count(ordinals, ordinals[i]) > 1) fault(fmt::format("{} stands there twice", ordinals[i]));
            continue;
        }
        if (ordinals[i] >= device.count())
            fault(fmt::format("GPU {} is not visible: there {} {}, from 0 on", ordinals[i],
                              device.count() == 1 ? "is" : "are", device.count()));
        if (const std::string problem = device.problem(ordinals[i]); !problem.empty()) fault(problem);
    }
}

const Slab& thickest(const std::vector<Slab>& slabs) {
    return *std::ranges::max_element(slabs, {}, &Slab::planes);
}

/// How many devices shots and slabs can keep busy, if one of them holds the grid.
std::int64_t most_busy(const Plan& plan) {
    const std::int64_t shots = std::max<std::int64_t>(1, std::ssize(plan.survey.shots));
    if (const std::size_t slabs = wanted_slabs(plan.config); slabs > 0)
        return saturating_product(shots, static_cast<std::int64_t>(slabs));
    if (!may_be_cut(plan.setup, plan.placement)) return shots;
    return std::max(shots, plan.setup.grid.points() / fewest_nodes_of_slab(*plan.placement.device));
}

/// Whether a device computes as another does: kernel, tile and batch are chosen once for all.
bool is_like(const Device& device, const Setup& setup, int ordinal, int other) {
    Setup here = setup, there = setup;
    here.ordinal = ordinal;
    there.ordinal = other;
    return device.hardware(here) == device.hardware(there) &&
           device.instruction_set(here) == device.instruction_set(there);
}

/// The first usable device and those like it, at most `enough` of them if one holds the grid: every GPU that is looked
/// at costs time and some of its memory. Those that others have filled are left to these: the fullest decides how large
/// slabs and batches are.
std::vector<int> usable_devices(const Setup& setup, const Placement& placement, std::int64_t enough) {
    const Device& device = *placement.device;
    std::vector<int> usable;
    for (int ordinal = 0; ordinal < device.count() && std::ssize(usable) < enough; ++ordinal) {
        if (!device.problem(ordinal).empty()) continue;
        if (!usable.empty() && !is_like(device, setup, ordinal, usable.front())) continue;
        usable.push_back(ordinal);
        if (usable.size() == 1 && may_be_cut(setup, placement) &&
            !device_holds(device, setup, 1, device.available_bytes(ordinal)))
            enough = device.count();
    }
    if (!device.has_own_memory()) return usable;
    std::int64_t most_free = 0;
    for (const int ordinal : usable) most_free = std::max(most_free, device.available_bytes(ordinal));
    std::erase_if(usable, [&](int ordinal) { return device.available_bytes(ordinal) < most_free / 2; });
    return usable;
}

/// Shares the GPUs of a host out among the ranks that see the same ones. One that all of them name, or the only one
/// that there is, they use together. \throws Error(config) if there are fewer GPUs than ranks.
std::vector<int> share_of_rank(const Placement& placement, const ConfigOrigin& origin,
                               const std::vector<int>& devices) {
    const auto ranks = static_cast<std::size_t>(placement.ranks.same_devices);
    const auto rank = static_cast<std::size_t>(placement.ranks.device_rank);
    if (devices.size() <= 1 || ranks == 1 || !placement.device->has_own_memory()) return devices;
    if (devices.size() < ranks)
        origin.fault("backend.devices",
                     fmt::format("{} GPUs for {} processes on this host: start at most one for each GPU",
                                 devices.size(), ranks));
    const auto at = [&](std::size_t share) {
        return devices.begin() + static_cast<std::ptrdiff_t>(share * devices.size() / ranks);
    };
    return {at(rank), at(rank + 1)};
}

/// The devices that may compute. \throws what check_devices throws.
std::vector<int> offered_devices(const Plan& plan) {
    const BackendConfig& wanted = plan.config.backend;
    const int one = static_cast<int>(wanted.device);
    const Placement& placement = plan.placement;
    if (placement.device == nullptr) return {one};
    if (!wanted.devices.integers.empty()) {
        const std::vector<int> listed(wanted.devices.integers.begin(), wanted.devices.integers.end());
        check_devices(*placement.device, plan.config.origin, listed);
        return share_of_rank(placement, plan.config.origin, listed);
    }
    const bool all = wanted.devices.name == "all";
    const bool is_given = one != 0 || plan.config.origin.conditional.contains("backend.device");
    if (!all && (is_given || placement.device->count() <= 1)) return {one};
    const bool wants_all = all || placement.ranks.local_size > 1;
    std::vector<int> usable =
        usable_devices(plan.setup, placement, wants_all ? placement.device->count() : most_busy(plan));
    // Ranks may count the GPUs that they share in different orders.
    if (placement.ranks.same_devices > 1) std::ranges::stable_sort(usable, {}, placement.device->identity);
    return usable.empty() ? std::vector{one} : share_of_rank(placement, plan.config.origin, usable);
}

/// \throws Error(config) with the largest number of slabs that the grid can be cut into.
void check_can_be_cut(const Plan& plan) {
    if (plan.placement.slabs.size() == 1 && plan.placement.slabs.front().planes == plan.setup.grid.nz()) return;
    const char* const key = plan.config.backend.split.integers.empty() ? "backend.slabs" : "backend.split";
    if (plan.setup.grid.dimensions == 2)
        plan.config.origin.value_fault(key, "2-D grids are not cut into slabs: leave it out");
    const Setup setup = setup_to_cut(plan.setup, plan.asked_stepping);
    try {
        check_slabs(setup, plan.placement.slabs);
    } catch (const std::invalid_argument& fault) {
        const std::int64_t planes = setup.grid.nz();
        const int most = most_slabs(setup);
        plan.config.origin.value_fault(
            key, fmt::format("{}\n  the {} planes of the computed grid can be cut into {} equal slab{} at most",
                             fault.what(), planes, most, most == 1 ? "" : "s"));
    }
}

/// The devices of the slabs of a worker, which may be fewer than these.
std::vector<int> spread(std::span<const int> devices, std::size_t slabs) {
    std::vector<int> of_slabs;
    for (std::size_t slab = 0; slab < slabs; ++slab) of_slabs.push_back(devices[slab * devices.size() / slabs]);
    return of_slabs;
}

std::vector<int> each_once(std::span<const int> devices) {
    std::vector<int> once;
    for (const int device : devices)
        if (std::ranges::find(once, device) == once.end()) once.push_back(device);
    return once;
}

/// Shares the devices out among as many workers as there are slabs for, but no more than there are shots.
std::vector<std::vector<int>> workers_of(const std::vector<int>& devices, std::size_t slabs, std::size_t shots) {
    const std::size_t count = std::clamp<std::size_t>(devices.size() / slabs, 1, std::max<std::size_t>(1, shots));
    const std::size_t of_worker = std::min(slabs, devices.size());
    std::vector<std::vector<int>> workers;
    for (std::size_t w = 0; w < count; ++w)
        workers.push_back(spread(std::span(devices).subspan(w * of_worker, of_worker), slabs));
    return workers;
}

/// How many workers a GPU has unless the configuration says. Shots with a busy host, as those of gradients in 2-D, are
/// compared and folded there nearly as long as their steps take: of several workers some do that while another has the
/// GPU. There must be two shots for each, and so much memory that more batches change nothing of how levels are kept.
/// Of 240 shots of Marmousi three were a sixth faster than two, and four no faster than three.
std::int64_t workers_of_gpu(const Plan& plan, const std::vector<int>& devices) {
    constexpr int fewest_for_two = 4, fewest_for_three = 24;  // shots of a GPU
    constexpr int fields_in_memory = 64;                      // of a shot that what is free of a GPU holds
    const Placement& placement = plan.placement;
    if (!plan.config.backend.devices.integers.empty() || placement.ranks.size > 1 || placement.slabs.size() > 1)
        return 1;
    if (placement.device == nullptr || !placement.device->has_own_memory()) return 1;
    const std::int64_t shots = std::ssize(plan.survey.shots) / std::ssize(devices);
    const bool gains = placement.busy_host && plan.setup.grid.dimensions == 2 && shots >= fewest_for_two &&
                       device_holds(*placement.device, plan.setup, 1,
                                    placement.device->available_bytes(devices.front()) / fields_in_memory);
    return !gains ? 1 : shots >= fewest_for_three ? 3 : 2;
}

/// Says which of the devices that the configuration asks for compute nothing.
void note_idle_devices(Plan& plan, const std::vector<int>& devices) {
    const NameOrIntegers& wanted = plan.config.backend.devices;
    if (wanted.integers.empty() && wanted.name != "all") return;
    std::vector<int> idle;
    const std::vector<int> used = devices_of(plan.setup, plan.placement);
    std::ranges::copy_if(devices, std::back_inserter(idle),
                         [&used](int device) { return std::ranges::find(used, device) == used.end(); });
    if (idle.empty() || !plan.placement.device->has_own_memory()) return;
    plan.placement.notes.push_back(fmt::format(
        "GPU{} {} of backend.devices: nothing to do, with {} shot{} in {} slab{} each", idle.size() == 1 ? "" : "s",
        fmt::join(idle, ", "), plan.survey.shots.size(), plan.survey.shots.size() == 1 ? "" : "s",
        plan.placement.slabs.size(), plan.placement.slabs.size() == 1 ? "" : "s"));
}

/// Puts the slabs of a plan on ranks and devices. Processes share a grid where one has fewer devices than there are
/// slabs.
void place_slabs(Plan& plan, const std::vector<int>& devices) {
    if (plan.placement.ranks_per_grid > 1)
        plan.placement.workers = {spread(devices, own_slabs(plan.placement).count)};
    else
        plan.placement.workers = workers_of(devices, plan.placement.slabs.size(), plan.survey.shots.size());
    if (plan.placement.device == nullptr || plan.placement.device->has_own_memory())
        plan.setup.ordinal = plan.placement.workers.front().front();
}

/// "GPU 0", "GPUs 0, 1", "the CPU".
std::string names_of(const Placement& placement, const std::vector<int>& of_slabs) {
    const std::vector<int> devices = each_once(of_slabs);
    const std::string numbers = fmt::format("{}", fmt::join(devices, ", "));
    if (!placement.device->has_own_memory())
        return placement.workers.size() == 1 ? "the CPU" : fmt::format("a share of its threads ({})", numbers);
    return (devices.size() == 1 ? "GPU " : "GPUs ") + numbers;
}

}  // namespace

void set_slabs(Plan& plan) {
    // Once chosen, the slabs stay: a model that changes the faces must not change the kernel that was chosen for them.
    if (!plan.placement.slabs.empty()) return check_can_be_cut(plan);
    const std::int64_t planes = plan.setup.grid.nz();
    std::vector<int> devices = offered_devices(plan);
    if (const RankPlace& place = plan.placement.ranks; !place.slabs_of_first.empty()) {
        plan.placement.slabs_by = "the first process";
        take_slabs(plan, place.slabs_of_first, place.ranks_per_grid);
        return check_can_be_cut(plan);
    }
    SlabChoice choice{wanted_slabs(plan.config), "the configuration"};
    if (choice.count == 0) choice = choose_slabs(plan, each_once(devices));
    const std::vector<std::int64_t>& listed = plan.config.backend.split.integers;
    plan.placement.slabs = listed.empty() ? equal_slabs(planes, static_cast<int>(choice.count)) : slabs_of(listed);
    plan.placement.slabs_by = choice.by;
    check_can_be_cut(plan);
    const auto needed = static_cast<int>((plan.placement.slabs.size() + devices.size() - 1) / devices.size());
    plan.placement.ranks_per_grid = std::min(connected_ranks(plan.placement.ranks), needed);
    const std::vector<int> once = devices;
    for (std::int64_t more = workers_of_gpu(plan, once) - 1; more > 0; --more)
        devices.insert(devices.end(), once.begin(), once.end());
    place_slabs(plan, devices);
    note_idle_devices(plan, devices);
}

void take_slabs(Plan& plan, std::vector<Slab> slabs, int ranks_per_grid) {
    plan.placement.slabs = std::move(slabs);
    plan.placement.ranks_per_grid = ranks_per_grid;
    place_slabs(plan, offered_devices(plan));
}

SlabRange slabs_of_member(const Placement& placement, int member) {
    const std::size_t slabs = placement.slabs.size();
    const auto members = static_cast<std::size_t>(placement.ranks_per_grid), m = static_cast<std::size_t>(member);
    const std::size_t first = m * slabs / members;
    return {first, (m + 1) * slabs / members - first};
}

SlabRange own_slabs(const Placement& placement) {
    return slabs_of_member(placement, placement.ranks.rank % placement.ranks_per_grid);
}

bool leads_grid(const Placement& placement) {
    return placement.ranks.rank % placement.ranks_per_grid == 0;
}

Slab joined(const Placement& placement, const SlabRange& range) {
    const Slab &first = placement.slabs[range.first], &last = placement.slabs[range.first + range.count - 1];
    return {first.first_plane, last.first_plane + last.planes - first.first_plane};
}

std::int64_t workers_of_run(const Placement& placement) {
    return std::max<std::int64_t>(1, std::ssize(placement.workers)) * (placement.ranks.size / placement.ranks_per_grid);
}

std::int64_t own_workers(const Placement& placement) {
    return std::max<std::int64_t>(1, std::ssize(placement.workers));
}

std::int64_t workers_on_a_device(const Placement& placement) {
    if (placement.workers.empty() || !placement.device->has_own_memory()) return own_workers(placement);
    return std::ranges::count(placement.workers, placement.workers.front());
}

bool share_one_gpu(const BackendConfig& backend, const Placement& placement) {
    const std::vector<std::int64_t>& listed = backend.devices.integers;
    const bool lists_one = !listed.empty() && std::ranges::count(listed, listed.front()) == std::ssize(listed);
    return placement.device->count() == 1 || lists_one;
}

std::int64_t shots_together(const Placement& placement) {
    return own_workers(placement) * placement.batch;
}

bool is_pipelined(const Placement& placement, const Survey& survey) {
    return std::ssize(survey.shots) > shots_together(placement);
}

std::vector<int> devices_of(const Setup& setup, const Placement& placement) {
    std::vector<int> devices;
    for (const auto& worker : placement.workers) devices.insert(devices.end(), worker.begin(), worker.end());
    return devices.empty() ? std::vector{setup.ordinal} : each_once(devices);
}

bool links_devices(const BackendConfig& backend, const Placement& placement) {
    return placement.ranks_per_grid > 1 && finds_links(backend, *placement.device);
}

std::vector<std::string> notes_on_exchange(const BackendConfig& backend, const Placement& placement) {
    std::vector<std::string> notes;
    if (placement.ranks_per_grid > 1 && placement.device->has_own_memory() && backend.exchange != "host")
        notes.push_back("planes between GPUs of different processes go " +
                        (links_devices(backend, placement)
                             ? "by " + placement.device->link_library().name + ", on one GPU through the host"
                             : "through the host: " + placement.device->link_library().problem));
    for (const auto& worker : placement.workers)
        for (std::size_t i = 1; i < worker.size(); ++i)
            if (!placement.device->connect(worker[i - 1], worker[i]))
                notes.push_back(
                    fmt::format("GPUs {} and {} cannot copy from each other directly: the planes at their "
                                "cut go through the host",
                                worker[i - 1], worker[i]));
    return notes;
}

void cut_again(const Setup& setup, Placement& placement) {
    if (placement.slabs.size() <= 1) {
        placement.slabs = {{0, setup.grid.nz()}};
        return;
    }
    const int most = most_slabs(setup);
    placement.slabs = equal_slabs(setup.grid.nz(), std::min(most, static_cast<int>(placement.slabs.size())));
}

Setup setup_of_part(const Setup& setup, const Placement& placement, std::size_t slab) {
    return placement.slabs.size() <= 1 ? setup : setup_of_slab(setup, placement.slabs[slab]);
}

Setup typical_setup(const Setup& setup, const Placement& placement) {
    return placement.slabs.size() <= 1 ? setup : setup_of_slab(setup, thickest(placement.slabs));
}

namespace {

/// The bytes of the slabs of a worker on the device that has most of them.
std::int64_t most_of_a_device(const Placement& placement, const std::vector<std::int64_t>& slabs) {
    std::map<int, std::int64_t> of_device;
    std::int64_t most = 0;
    const SlabRange own = own_slabs(placement);
    for (std::size_t i = 0; i < own.count; ++i) {
        const int device = placement.workers.empty() ? 0 : placement.workers.front()[i];
        most = std::max(most, of_device[device] += slabs[own.first + i]);
    }
    return most;
}

}  // namespace

double share_of_fullest_device(const Setup& setup, const Placement& placement) {
    const std::vector<std::int64_t> slabs = slab_bytes(setup, placement);
    return static_cast<double>(most_of_a_device(placement, slabs)) /
           static_cast<double>(std::accumulate(slabs.begin(), slabs.end(), std::int64_t{0}));
}

std::vector<std::int64_t> slab_bytes(const Setup& setup, const Placement& placement) {
    const Memory memory = placement.device->memory();
    std::vector<std::int64_t> bytes;
    for (std::size_t slab = 0; slab < placement.slabs.size(); ++slab) {
        const Allocations list =
            placement.device->allocations(setup_of_part(setup, placement, slab), placement.batch, {});
        bytes.push_back(list.bytes(memory, Owner::medium) + list.bytes(memory, Owner::wavefield));
    }
    return bytes;
}

std::int64_t bytes_of_own_slabs(const Placement& placement, const std::vector<std::int64_t>& slabs) {
    const SlabRange own = own_slabs(placement);
    const auto first = slabs.begin() + static_cast<std::ptrdiff_t>(own.first);
    return std::accumulate(first, first + static_cast<std::ptrdiff_t>(own.count), std::int64_t{0});
}

std::int64_t bytes_in_one_memory(const Placement& placement, const std::vector<std::int64_t>& slabs) {
    return placement.device->has_own_memory() ? most_of_a_device(placement, slabs)
                                              : bytes_of_own_slabs(placement, slabs);
}

std::shared_ptr<Medium> make_own_medium(const Plan& plan, const Slab& slab, const MediumReaders& readers,
                                        const MakeExchange& make_exchange) {
    const SlabRange own = own_slabs(plan.placement);
    std::vector<Slab> parts(plan.placement.slabs.begin() + static_cast<std::ptrdiff_t>(own.first),
                            plan.placement.slabs.begin() + static_cast<std::ptrdiff_t>(own.first + own.count));
    // Its ghosts belong to the first and the last of them.
    const Slab computed = with_ghosts(plan.setup, slab);
    for (Slab& part : parts) part.first_plane -= computed.first_plane;
    parts.back().planes = computed.planes - parts.back().first_plane;
    parts.front().planes += std::exchange(parts.front().first_plane, 0);
    const auto make_part = [&plan](std::size_t part, const Setup& setup, const MediumReaders& rows, double dt_s) {
        Setup placed = setup;
        if (plan.placement.device->has_own_memory()) placed.ordinal = plan.placement.workers.front()[part];
        return plan.placement.device->make_medium(placed, rows, dt_s);
    };
    const Setup setup = plan.placement.slabs.size() <= 1 ? plan.setup : setup_of_slab(plan.setup, slab);
    const MediumReaders rows = readers_from_plane(readers, computed.first_plane);
    if (parts.size() == 1) return make_part(0, setup, rows, plan.time.dt_s);
    return make_slab_medium(setup, rows, plan.time.dt_s, std::move(parts), make_part, make_exchange);
}

std::shared_ptr<Medium> make_medium(const Plan& plan, const MediumReaders& readers, Team* team,
                                    const MakeExchange& make_exchange) {
    if (plan.placement.ranks_per_grid <= 1)
        return make_own_medium(plan, {0, plan.setup.grid.nz()}, readers, make_exchange);
    std::vector<Slab> parts;
    for (int member = 0; member < plan.placement.ranks_per_grid; ++member)
        parts.push_back(joined(plan.placement, slabs_of_member(plan.placement, member)));
    const auto make_part = [&](std::size_t member, const Setup& setup, const MediumReaders&, double) {
        if (member == 0) return make_own_medium(plan, parts[0], readers, make_exchange);
        return make_remote_medium(*team, static_cast<int>(member), setup, {plan.domain.part, parts[member]});
    };
    return make_slab_medium(plan.setup, readers, plan.time.dt_s, parts, make_part, exchange_in(*team), 1);
}

std::string describe_slabs(const Setup& setup, const Placement& placement) {
    std::string text;
    if (placement.slabs.size() > 1) {
        std::string planes;
        for (const Slab& slab : placement.slabs) planes += (planes.empty() ? "" : ", ") + std::to_string(slab.planes);
        if (placement.slabs.size() > 8) {
            const auto [fewest, most] = std::ranges::minmax(placement.slabs, {}, &Slab::planes);
            planes = fmt::format("{} to {}", fewest.planes, most.planes);
        }
        const std::string where = placement.ranks_per_grid > 1 ? fmt::format("{} processes", placement.ranks_per_grid)
                                                               : names_of(placement, placement.workers.front());
        text = fmt::format("slabs     {} along z, of {} planes, on {}; {} are exchanged at each cut and {} ({})\n",
                           placement.slabs.size(), planes, where, CutPlanes(setup).count,
                           setup.stepping == Stepping::leap ? "leap" : "step", placement.slabs_by);
    }
    if (const int groups = placement.ranks.size / placement.ranks_per_grid; placement.ranks.size > 1) {
        text += fmt::format("ranks     {}", placement.ranks.size);
        if (placement.ranks_per_grid > 1) text += fmt::format(", {} for each grid", placement.ranks_per_grid);
        if (groups > 1) text += ", which draw shots from one queue";
        if (const int idle = placement.ranks.size % placement.ranks_per_grid; idle > 0)
            text += fmt::format("; {} of them {} nothing to do", idle, idle == 1 ? "has" : "have");
        text += '\n';
    }
    if (placement.workers.size() > 1) {
        text += fmt::format("workers   {}, which draw shots from one queue: ", placement.workers.size());
        for (const auto& worker : placement.workers)
            text += (&worker == placement.workers.data() ? "" : "; ") + names_of(placement, worker);
        text += '\n';
    }
    return text;
}

nlohmann::ordered_json slabs_json(const Placement& placement) {
    nlohmann::ordered_json json{{"count", placement.slabs.size()}};
    for (const Slab& slab : placement.slabs) json["planes"].push_back(slab.planes);
    json["chosen_by"] = placement.slabs_by;
    json["devices_of_workers"] = placement.workers;
    if (placement.ranks.size > 1)
        json["ranks"] = {{"count", placement.ranks.size}, {"per_grid", placement.ranks_per_grid}};
    return json;
}

}  // namespace onda
