#include "solver/planning/history.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <spdlog/fmt/fmt.h>
#include <system_error>

#include "io/text/bytes_text.hpp"
#include "io/text/saturating.hpp"
#include "kernels/boundaries/cpml.hpp"
#include "kernels/equations/parameters.hpp"
#include "kernels/imaging/correlation.hpp"
#include "kernels/imaging/ring_boxes.hpp"
#include "solver/imaging/reverse_schedule.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

constexpr double kShareForHistory = 0.8;  ///< of the memory that is free
constexpr double kShareForStates = 0.5;   ///< of the host's

/// Axes with perfectly matched layers.
int axes_with_layers(const Problem& problem) {
    const Cpml& layers = problem.strips.get<Cpml>();
    int axes = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        axes += layers.face[2 * axis].width() > 0 || layers.face[2 * axis + 1].width() > 0;
    return axes;
}

/// What there is for the forward field on the device, beside everything else.
std::int64_t room_for_history(const Plan& plan) {
    Plan without = plan;
    without.imaging->history = {1, 0, 0};
    const MemoryForecast forecast = forecast_memory(without);
    const bool own = plan.placement.device->has_own_memory();
    const std::int64_t available = own ? available_device_bytes(plan.config.backend, plan.setup, plan.placement)
                                       : available_host_bytes(plan.placement.ranks);
    const std::int64_t taken = own ? forecast.device_peak_bytes() : forecast.peak_bytes();
    std::int64_t room = static_cast<std::int64_t>(kShareForHistory * static_cast<double>(available)) - taken;
    if (const auto& most = plan.imaging->misfit.config.memory_gib)
        room = std::min(room, static_cast<std::int64_t>(*most * 1073741824.));
    return room / workers_on_a_device(plan.placement);
}

/// The most levels that fit beside so many further bytes.
std::int64_t slots_that_fit(const Plan& plan, std::int64_t room, std::int64_t further) {
    constexpr std::int64_t many = 1024;  // allocators round each array up, but not each level
    const std::int64_t fixed = correlation_bytes(plan.experiment(), plan.computation(), 0),
                       each = (correlation_bytes(plan.experiment(), plan.computation(), many) - fixed) / many;
    return (room - fixed - further) / std::max<std::int64_t>(1, each);
}

std::int64_t interval_of(const Plan& plan) {
    const NameOrIntegers& every = plan.imaging->misfit.config.every;
    if (!every.integers.empty()) return every.integers.front();
    if (!plan.task->compares_data) return 1;  // an operator is the transpose of another, to rounding
    return std::min(longest_interval(plan.survey.highest_frequency_hz(), plan.time.dt_s), plan.time.steps);
}

std::int64_t ring_interval_of(const Plan& plan) {
    const NameOrIntegers& every = plan.imaging->misfit.config.ring_every;
    if (!every.integers.empty()) return std::min(every.integers.front(), plan.time.steps);
    if (!plan.task->compares_data) return 1;
    return std::min(longest_ring_interval(plan.survey.highest_frequency_hz(), plan.time.dt_s), plan.time.steps);
}

/// The fewest levels on the device together that a reversal takes.
std::int64_t fewest_slots(std::int64_t levels) {
    return (levels + kMostSegments - 1) / kMostSegments;
}

/// Whether shots can be taken from the batch.
bool may_shrink(const Plan& plan) {
    return plan.placement.batch > 1 && plan.config.backend.batch == 0;
}

std::int64_t room_on_host(const Plan& plan, double share) {
    return static_cast<std::int64_t>(share * static_cast<double>(available_host_bytes(plan.placement.ranks)));
}

/// Plans the states that the host keeps, for the levels that the device does.
void set_states(Plan& plan) {
    HistoryPlan& history = plan.imaging->history;
    history.checkpoints =
        std::clamp<std::int64_t>(room_on_host(plan, kShareForStates) / std::max<std::int64_t>(1, state_bytes(plan)), 0,
                                 history.segments(plan.time) - 1);
}

/// Plans levels on the device and states on the host. \returns whether the device has room for both wavefields.
bool set_checkpoints(Plan& plan, std::int64_t room) {
    HistoryPlan& history = plan.imaging->history;
    const std::int64_t levels = std::max<std::int64_t>(1, history.levels(plan.time)), fewest = fewest_slots(levels);
    const std::int64_t root = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(levels))));
    const std::int64_t fit = slots_that_fit(plan, room, second_wavefield_bytes(plan));
    if (fit < fewest) return false;
    const bool wanted = plan.imaging->misfit.config.storage == "checkpoints";
    history.slots = std::clamp(wanted ? root : fit, fewest, std::min(fit, levels));
    set_states(plan);
    return true;
}

/// What keeps the forward field from being rebuilt, in words that follow "a field with"; empty: nothing.
std::string objection_to_ring(const Plan& plan) {
    if (plan.placement.ranks_per_grid > 1) return "slabs of several processes";
    if (plan.placement.slabs.size() > 1 && plan.imaging->misfit.config.ring_values == "16bit")
        return "ring_values of 16bit on slabs, where blocks would be others than those of the uncut grid,";
    return ring_objection(plan.setup);
}

std::int64_t room_in_folder(const std::filesystem::path& folder) {
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    return error ? 0 : static_cast<std::int64_t>(kShareForHistory * static_cast<double>(space.available));
}

/// Plans a ring in one of the memories that the configuration leaves. \param beside_if_need_be whether in others than
/// the device's, too. \returns whether one has room.
bool set_ring(Plan& plan, std::int64_t room, bool beside_if_need_be) {
    HistoryPlan& history = plan.imaging->history;
    const ImagingConfig& section = plan.imaging->misfit.config;
    const std::string& wanted = section.ring;
    const RingValues values = section.ring_values == "16bit" ? RingValues::of_16_bits : RingValues::full;
    const bool own = plan.placement.device->has_own_memory();
    const auto fits = [&](RingPlace place) {
        history = {
            history.every,         1, 0, place, values, plan.imaging->sums.takes_level_before(), section.ring_folder,
            ring_interval_of(plan)};
        const std::int64_t workers = own_workers(plan.placement);
        return history_bytes(plan.experiment(), plan.computation()) <= room &&
               host_ring_bytes(plan.experiment(), plan.computation()) <=
                   room_on_host(plan, kShareForHistory) / workers &&
               file_ring_bytes(plan.experiment(), plan.computation()) <= room_in_folder(section.ring_folder) / workers;
    };
    const bool any = wanted == "auto";
    return ((any || wanted == "device") && fits(RingPlace::device)) ||
           ((wanted == "host" || (any && own && beside_if_need_be)) && fits(RingPlace::host)) ||
           ((wanted == "disk" || (any && beside_if_need_be && !section.ring_folder.empty())) && fits(RingPlace::file));
}

/// \throws Error where rings are to lie on a disk, and nobody says where, or in no folder.
void check_ring_folder(const Plan& plan) {
    const ImagingConfig& section = plan.imaging->misfit.config;
    if (section.ring == "disk" && section.ring_folder.empty())
        plan.config.origin.value_fault("imaging.ring", "a disk of which folder? Add imaging.ring_folder");
    std::error_code error;
    if (!section.ring_folder.empty() && !std::filesystem::is_directory(section.ring_folder, error))
        plan.config.origin.value_fault("imaging.ring_folder", "is not a folder: rings are kept in one that exists");
}

/// What the configuration asks for. \returns as set_history().
bool set_wanted_ring(Plan& plan, std::int64_t room) {
    const ConfigOrigin& origin = plan.config.origin;
    if (const std::string objection = objection_to_ring(plan); !objection.empty())
        origin.fault("imaging.storage",
                     fmt::format("ring: no field with {} is rebuilt: use full or checkpoints", objection));
    plan.imaging->chosen_by = "the configuration";
    if (set_ring(plan, room, true)) return true;
    if (may_shrink(plan)) return false;
    const std::int64_t on_disk = file_ring_bytes(plan.experiment(), plan.computation()),
                       on_host = host_ring_bytes(plan.experiment(), plan.computation());
    if (history_bytes(plan.experiment(), plan.computation()) <= room && on_host > 0)
        origin.fault("imaging.storage",
                     fmt::format("ring: the rings take {} of the host's memory, and {} may be used: use checkpoints, "
                                 "ring_values: 16bit, fewer shots together (backend.batch: 1), or imaging.ring: disk",
                                 bytes_text(saturating_product(on_host, own_workers(plan.placement))),
                                 bytes_text(room_on_host(plan, kShareForHistory))));
    if (const std::filesystem::path& folder = plan.imaging->misfit.config.ring_folder;
        history_bytes(plan.experiment(), plan.computation()) <= room && on_disk > 0)
        origin.value_fault("imaging.ring_folder",
                           fmt::format("the rings take {}, and {} of what is free there may be used: choose another "
                                       "folder, checkpoints, ring_values: 16bit, or fewer shots together "
                                       "(backend.batch: 1)",
                                       bytes_text(on_disk), bytes_text(room_in_folder(folder))));
    origin.fault("imaging.storage",
                 fmt::format("ring: two wavefields and the rings take {}, and {} are left for them: use "
                             "checkpoints, fewer shots together (backend.batch: 1), or imaging.ring: host or disk",
                             bytes_text(saturating_sum(history_bytes(plan.experiment(), plan.computation()),
                                                       host_ring_bytes(plan.experiment(), plan.computation()))),
                             bytes_text(std::max<std::int64_t>(0, room))));
}

/// Plans a ring in place of checkpoints where nobody says which, unless these compute clearly fewer steps: from eight
/// segments on, what they save is less than what states cost on their way, and on a device with memory of its own it
/// always is (1024^3 nodes, 500 steps: states took four times as long as all steps). Processes decide on their own, by
/// the memory that each finds, so that those of one run, which are to give the same bits, take none.
void prefer_ring(Plan& plan, std::int64_t room, bool has_checkpoints) {
    HistoryPlan& history = plan.imaging->history;
    if (plan.placement.ranks.size > 1 || !objection_to_ring(plan).empty()) return;
    const HistoryPlan checkpoints = history;
    const bool states_are_dear = plan.placement.device->has_own_memory();
    const bool fits = set_ring(plan, room, states_are_dear);
    const std::int64_t saved = history.forward_steps(plan.time) - checkpoints.forward_steps(plan.time);
    const bool saves_steps = has_checkpoints && !states_are_dear && saved > plan.time.steps / 8;
    if (!fits || saves_steps) history = checkpoints;
}

}  // namespace

void check_gradients(const Plan& plan) {
    const Config& c = plan.config;
    if (plan.task->compares_data && !c.imaging)
        c.origin.fault("imaging",
                       "a gradient compares seismograms with observed ones: add a section "
                       "`imaging` with `observed: FILE`, a seismograms.h5, SEG-Y or SU");
    if (plan.task->compares_data && c.imaging->observed.empty())
        c.origin.fault("imaging.observed",
                       "missing: the seismograms that synthetic ones are compared with, a seismograms.h5, SEG-Y or SU");
    if (plan.task->scatters && plan.placement.ranks_per_grid > 1)
        c.origin.value_fault("backend.slabs",
                             "no scattered field is computed on slabs of several processes: use fewer "
                             "slabs, or one process for each shot");
    if (plan.survey.size.most_receivers == 0)
        c.origin.fault("receivers", "a gradient needs receivers: there is nothing to compare without them");
    if (c.time.stepping == "leap" && !plan.task->may_leap)
        c.origin.value_fault("time.stepping", "gradients are computed with single steps: use auto or single");
    if (c.model.storage == "16bit")
        c.origin.value_fault("model.storage", "gradients need the velocities as they are: use auto or float");
    if (plan.task->scatters && plan.setup.absorbs())
        c.origin.fault("model", "scattered fields are those of media without loss so far: take model.q_rule: none");
    const EquationRow& equation = *plan.setup.scheme.equation;
    if (has_parameter(equation, kTheta.name))
        c.origin.fault("model",
                       "gradients, images, inversions, linear operators and scattered fields are those of isotropic "
                       "media and of VTI so far: leave theta and phi out, or take model.anisotropy: none");
    if (plan.setup.scheme.equation == Equation::compact && axes_with_layers(plan.setup) > 1)
        c.origin.fault(
            "scheme.stencil",
            "gradients of the compact stencil are exact with sponges, or with cpml across one axis only; use "
            "boundary: sponge, or the star");
    if (plan.imaging && plan.imaging->of_q && !plan.setup.absorbs())
        c.origin.value_fault("imaging.parameters",
                             "the model has no quality factor, or is taken without it: give it a q, or use vp");
    if (plan.imaging && plan.imaging->sums.anisotropy && !has_parameter(equation, kEpsilon.name))
        c.origin.value_fault("imaging.parameters",
                             "the model has no epsilon and delta, or is taken without them: give it some, or use vp");
    if (plan.imaging && plan.imaging->sums.anisotropy && !plan.task->compares_data)
        c.origin.value_fault("imaging.parameters",
                             "the Born operator and its transpose change vp and hold epsilon and delta: use vp");
    if (plan.imaging && plan.imaging->sums.density && !has_parameter(plan.setup.scheme.equation, "rho")) {
        if (plan.imaging->condition != nullptr)
            c.origin.value_fault("imaging.image.condition",
                                 "the model has no densities: use inverse_scattering, which is the same there");
        c.origin.value_fault("imaging.parameters",
                             "the model has no densities: give it some, with model.rho: gardner too, or use vp");
    }
}

bool set_history(Plan& plan) {
    HistoryPlan& history = plan.imaging->history;
    if (!plan.imaging->reverses) {
        history = {1, plan.time.steps, 0};
        return true;
    }
    check_ring_folder(plan);
    const std::string& storage = plan.imaging->misfit.config.storage;
    history = {interval_of(plan), 1, 0};
    const std::int64_t levels = std::max<std::int64_t>(1, history.levels(plan.time)), room = room_for_history(plan);
    if (storage == "ring") return set_wanted_ring(plan, room);
    const std::int64_t all = slots_that_fit(plan, room, 0);
    if (storage != "checkpoints" && all >= levels) {
        history.slots = levels;
        plan.imaging->chosen_by = storage == "full" ? "the configuration" : "all of them fit";
        return true;
    }
    if (storage == "full")
        plan.config.origin.fault(
            "imaging.storage",
            fmt::format("full: {} levels of the forward field take {}, and {} are left for them: use checkpoints, or a "
                        "larger imaging.every than {}",
                        levels, bytes_text(correlation_bytes(plan.experiment(), plan.computation(), levels)),
                        bytes_text(std::max<std::int64_t>(0, room)), history.every));
    const bool has_checkpoints = set_checkpoints(plan, room);
    if (storage == "auto") prefer_ring(plan, room, has_checkpoints);
    if (!has_checkpoints && !history.ring)
        plan.config.origin.fault(
            "imaging",
            fmt::format("two wavefields and {} level{} of the forward field take more than the {} that are "
                        "left for them: a coarser grid, fewer shots together (backend.batch: 1), or a larger "
                        "imaging.every than {}",
                        fewest_slots(levels), fewest_slots(levels) == 1 ? "" : "s",
                        bytes_text(std::max<std::int64_t>(0, room)), history.every));
    plan.imaging->chosen_by = storage == "checkpoints" ? "the configuration" : "not all of them fit";
    return false;
}

void settle_history(Plan& plan) {
    set_history(plan);
    if (plan.config.imaging)
        plan.config.imaging->storage = plan.imaging->history.ring ? "ring" : plan.imaging->misfit.config.storage;
}

void limit_history(Plan& plan, std::int64_t slots) {
    HistoryPlan& history = plan.imaging->history;
    if (slots >= history.slots) return;
    history.slots = slots;
    set_states(plan);
    plan.imaging->chosen_by = "the process with least memory";
}

}  // namespace onda
