#include "solver/planning/memory_of_run.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/saturating.hpp"
#include "solver/outputs/output.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/ranks/team_exchange.hpp"
#include "solver/shots/shot_table.hpp"
#include "solver/shots/survey_run.hpp"
#include "solver/tasks/checkpoints.hpp"
#include "solver/tasks/task.hpp"

namespace onda {
namespace {

/// Adds the rows of memory that is nobody's buffer.
void add_program_memory(Allocations& list, const Device& device, int threads) {
    list.add(host_row("program and libraries: files", held::whole_run, kMappedFilesBytes, 1));
    // What they allocate once: 0.7 to 4.1 MB, measured on runs of a few nodes.
    list.add(host_row("program and libraries: allocated", held::whole_run, 2'600'000, 1));
    // What each thread beyond the two of that measurement touches of its stack and its part of the allocator: 16
    // threads held 2.6 MB more.
    list.add(host_row("threads", held::whole_run, 185'000, 1, std::max(0, threads - 2)));
    list.add(host_row("driver and libraries of the device", held::whole_run, device.host_bytes, 1));
}

/// The bytes of all slabs of this process in the memory of the host, or of those of one device with memory of its own,
/// the fullest.
std::int64_t bytes_of_slabs(const Setup& setup, const Placement& placement) {
    return workers_on_a_device(placement) * bytes_in_one_memory(placement, slab_bytes(setup, placement));
}

/// The sums of the device's list. What of shots fills a petabyte is not asked for: its numbers would wrap there.
void add_device_memory(Allocations& list, const Plan& plan) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    const ShotSize shot = plan.task->largest_shot(plan.experiment(), plan.computation());
    const std::int64_t of_traces = saturating_product(shot.receivers, shot.trace_samples, std::int64_t{sizeof(double)});
    const bool wraps = saturating_sum(bytes_of_points(shot), of_traces) > most;
    const Allocations planned =
        plan.placement.device->allocations(plan.setup, plan.placement.batch, wraps ? ShotSize{} : shot);
    const Memory memory = plan.placement.device->memory();
    const bool own_memory = plan.placement.device->has_own_memory();
    std::int64_t traces = shot.receivers == 0 || wraps ? 0 : planned.of("traces").total_bytes();
    std::int64_t shots = planned.bytes(memory, Owner::shots) - (own_memory ? 0 : traces);
    if (wraps) traces = shots = kTooMany;
    const std::string host = fmt::format("wavefields and model of the {} backend", plan.placement.device->name);
    const auto add = [&](std::string name, Memory where, std::int64_t bytes, std::int64_t count) {
        list.add({std::move(name), where, held::survey, bytes, 1, bytes, count});
    };
    const std::int64_t workers = own_workers(plan.placement), sharing = workers_on_a_device(plan.placement);
    add(own_memory ? "wavefields, model and boundaries" : host, memory, bytes_of_slabs(plan.setup, plan.placement), 1);
    add("scattered field", memory, scattered_bytes(plan.experiment(), plan.computation()), sharing);
    add("forward field kept for gradients", memory, history_bytes(plan.experiment(), plan.computation()), sharing);
    add("rings of the forward field", Memory::host, host_ring_bytes(plan.experiment(), plan.computation()), workers);
    add("states of the forward field", Memory::host, checkpoint_bytes(plan.experiment(), plan.computation()), workers);
    add(own_memory ? "copy of the traces" : "traces in the backend", Memory::host, traces, workers);
    add(own_memory ? "sources, traces and downloads" : "sources and receivers: in the backend", memory, shots, sharing);
}

}  // namespace

Allocations memory_of_run(const Plan& plan) {
    Allocations list;
    // In the order in which the forecast lists them.
    add_program_memory(list, *plan.placement.device, plan.setup.threads);
    add_exchange_memory(list, plan.placement.ranks, plan.placement.ranks_per_grid, plan.setup,
                        wavefields_together(plan), plan.placement.batch,
                        links_devices(plan.config.backend, plan.placement));
    add_device_memory(list, plan);
    add_thread_memory(list, plan);
    plan.task->add_memory(list, plan.experiment(), plan.computation());
    for (const OutputFormat* format : output_formats())
        if (format->add_memory != nullptr && format->is_wanted(plan))
            format->add_memory(list, plan.experiment(), plan.computation());
    add_checkpoint_memory(list, plan);
    ShotTable::add_memory(list, std::ssize(plan.survey.shots));
    list.add(host_row("records of shots and snapshots: sources", held::survey, bytes_of_survey(plan.survey), 1));
    return list;
}

}  // namespace onda
