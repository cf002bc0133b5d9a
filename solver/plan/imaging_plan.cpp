#include "solver/plan/imaging_plan.hpp"

#include <spdlog/fmt/fmt.h>
#include <vector>

#include "io/text/bytes_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "kernels/imaging/correlation.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"

namespace onda {
namespace {

/// The bytes of each slab of the grid. \param bytes_of a slab, from its set-up.
template <typename BytesOf>
std::vector<std::int64_t> bytes_of_parts(const Plan& plan, const BytesOf& bytes_of) {
    std::vector<std::int64_t> slabs;
    for (std::size_t slab = 0; slab < plan.placement.slabs.size(); ++slab)
        slabs.push_back(bytes_of(setup_of_part(plan.setup, plan.placement, slab)));
    return slabs;
}

std::vector<std::int64_t> wavefield_bytes(const Plan& plan) {
    const Device& device = *plan.placement.device;
    return bytes_of_parts(plan, [&](const Setup& part) {
        return device.allocations(part, plan.placement.batch, {}).bytes(device.memory(), Owner::wavefield);
    });
}

std::int64_t ring_bytes(const Plan& plan, const Setup& part, Memory memory) {
    return plan.placement.device
        ->ring_allocations(part, plan.placement.batch, plan.imaging->history.ring_size(plan.time))
        .bytes(memory);
}

/// Rings, and a wavefield without layers.
std::int64_t rebuilt_bytes(const Plan& plan) {
    const Device& device = *plan.placement.device;
    return bytes_in_one_memory(plan.placement, bytes_of_parts(plan, [&](const Setup& part) {
                                   Setup without_layers = part;
                                   without_layers.strips = {};
                                   return device.allocations(without_layers, plan.placement.batch, {})
                                              .bytes(device.memory(), Owner::wavefield) +
                                          ring_bytes(plan, part, device.memory());
                               }));
}

/// The bytes of all slabs of this process beside the memory of devices.
std::int64_t ring_bytes_beside(const Plan& plan, Memory memory) {
    if (!plan.imaging || !plan.imaging->history.ring) return 0;
    return bytes_of_own_slabs(plan.placement,
                              bytes_of_parts(plan, [&](const Setup& part) { return ring_bytes(plan, part, memory); }));
}

/// ": rebuilt backward from 4 planes …"
std::string describe_ring(const Plan& plan) {
    const HistoryPlan& history = plan.imaging->history;
    const int planes = plan.setup.scheme.halo();
    std::string text =
        fmt::format(": rebuilt backward, once, from {} plane{} inside each absorbing layer at {} time steps", planes,
                    planes == 1 ? "" : "s", history.ring_size(plan.time).levels);
    if (history.ring_values == RingValues::of_16_bits) text += ", in 16 bits";
    if (const std::int64_t bytes = host_ring_bytes(plan); bytes > 0)
        text += fmt::format(", {} of it in the memory of the host", bytes_text(bytes));
    if (const std::int64_t bytes = file_ring_bytes(plan); bytes > 0)
        text += fmt::format(", and {} in a file in {}", bytes_text(bytes), shown(history.ring_folder));
    return text;
}

}  // namespace

std::int64_t correlation_bytes(const Plan& plan, std::int64_t slots) {
    const Device& device = *plan.placement.device;
    const int shots = plan.placement.batch;
    return bytes_in_one_memory(
        plan.placement, bytes_of_parts(plan, [&](const Setup& part) {
            const auto of = [&](Correlated what) {
                return device.correlation_allocations(part, shots, slots, what).bytes(device.memory());
            };
            std::int64_t bytes = of(correlated_differences(plan.imaging->illuminations));
            if (part.keeps_applied) bytes = saturating_sum(bytes, of(Correlated::applied));
            if (!plan.imaging->density) return bytes;
            return saturating_sum(bytes,
                                  device.flux_correlation_allocations(part, shots, slots).bytes(device.memory()));
        }));
}

std::int64_t second_wavefield_bytes(const Plan& plan) {
    return bytes_in_one_memory(plan.placement, wavefield_bytes(plan));
}

std::int64_t state_bytes(const Plan& plan) {
    return bytes_of_own_slabs(plan.placement, wavefield_bytes(plan));
}

std::int64_t history_bytes(const Plan& plan) {
    if (!plan.imaging) return 0;
    if (plan.imaging->scatters) return second_wavefield_bytes(plan) + correlation_bytes(plan, 1);
    const HistoryPlan& history = plan.imaging->history;
    if (history.slots == 0) return 0;
    if (history.ring) return correlation_bytes(plan, 1) + rebuilt_bytes(plan);
    return correlation_bytes(plan, history.slots) +
           (history.segments(plan.time) > 1 ? second_wavefield_bytes(plan) : 0);
}

std::int64_t host_ring_bytes(const Plan& plan) {
    return ring_bytes_beside(plan, Memory::pinned);
}

std::int64_t file_ring_bytes(const Plan& plan) {
    return ring_bytes_beside(plan, Memory::file);
}

std::int64_t checkpoint_bytes(const Plan& plan) {
    return plan.imaging ? saturating_product(plan.imaging->history.checkpoints, state_bytes(plan)) : 0;
}

int wavefields_together(const Plan& plan) {
    if (!plan.imaging || plan.imaging->history.slots == 0) return 1;
    const HistoryPlan& history = plan.imaging->history;
    return plan.imaging->scatters || history.ring || history.segments(plan.time) > 1 ? 2 : 1;
}

std::int64_t doubles_of_second_image(const Plan& plan) {
    return plan.setup.keeps_applied ? 2 : 0;
}

std::int64_t steps_of_shot(const Plan& plan) {
    return plan.time.steps + (plan.imaging ? plan.imaging->history.forward_steps(plan.time) : 0);
}

std::string describe_history(const Plan& plan) {
    if (!plan.imaging) return {};
    const HistoryPlan& history = plan.imaging->history;
    const std::int64_t segments = history.segments(plan.time);
    std::string text = fmt::format("history   {} levels of the forward field, one every {} time step{}, {}",
                                   history.levels(plan.time), history.every, history.every == 1 ? "" : "s",
                                   bytes_text(saturating_sum(history_bytes(plan), host_ring_bytes(plan))));
    if (history.ring) text += describe_ring(plan);
    if (segments > 1)
        text +=
            fmt::format(": {} together, from {} states in {}; the forward field is computed {:.2g} times",
                        history.slots, history.checkpoints, bytes_text(checkpoint_bytes(plan)),
                        static_cast<double>(history.forward_steps(plan.time)) / static_cast<double>(plan.time.steps));
    return text + fmt::format(" ({})\n", plan.imaging->chosen_by);
}

}  // namespace onda
