#include "solver/plan/imaging_plan.hpp"

#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/text/bytes_text.hpp"
#include "io/text/saturating.hpp"
#include "kernels/imaging/correlation.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"

namespace onda {
namespace {

/// Bytes of a list in the device's memory, of the part on the device that has most of the grid.
std::int64_t on_fullest_device(const Plan& plan, std::int64_t bytes) {
    return static_cast<std::int64_t>(
        std::ceil(share_of_fullest_device(plan.setup, plan.placement) * static_cast<double>(bytes)));
}

Allocations ring_allocations(const Plan& plan) {
    return plan.placement.device->ring_allocations(plan.setup, plan.placement.batch,
                                                   plan.imaging->history.ring_size(plan.time));
}

/// Rings, and a wavefield without layers.
std::int64_t rebuilt_bytes(const Plan& plan) {
    const Device& device = *plan.placement.device;
    Setup without_layers = plan.setup;
    without_layers.strips = {};
    return device.allocations(without_layers, plan.placement.batch, {}).bytes(device.memory(), Owner::wavefield) +
           ring_allocations(plan).bytes(device.memory());
}

/// ": rebuilt backward from 4 planes …"
std::string describe_ring(const Plan& plan) {
    const HistoryPlan& history = plan.imaging->history;
    const int planes = plan.setup.scheme.halo();
    std::string text =
        fmt::format(": rebuilt backward, once, from {} plane{} inside each absorbing layer at {} time steps", planes,
                    planes == 1 ? "" : "s", history.ring_size(plan.time).levels);
    if (const std::int64_t bytes = host_ring_bytes(plan); bytes > 0)
        text += fmt::format(", {} of it in the memory of the host", bytes_text(bytes));
    return text;
}

}  // namespace

std::int64_t correlation_bytes(const Plan& plan, std::int64_t slots) {
    const Device& device = *plan.placement.device;
    const auto of = [&](Correlated what) {
        return device.correlation_allocations(plan.setup, plan.placement.batch, slots, what).bytes(device.memory());
    };
    std::int64_t bytes = of(correlated_differences(plan.imaging->illuminations));
    if (plan.setup.keeps_applied) bytes = saturating_sum(bytes, of(Correlated::applied));
    if (plan.imaging->density)
        bytes = saturating_sum(
            bytes, device.flux_correlation_allocations(plan.setup, plan.placement.batch, slots).bytes(device.memory()));
    return on_fullest_device(plan, bytes);
}

std::int64_t second_wavefield_bytes(const Plan& plan) {
    return on_fullest_device(plan, state_bytes(plan));
}

std::int64_t state_bytes(const Plan& plan) {
    const Device& device = *plan.placement.device;
    return device.allocations(plan.setup, plan.placement.batch, {}).bytes(device.memory(), Owner::wavefield);
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
    return plan.imaging && plan.imaging->history.ring ? ring_allocations(plan).bytes(Memory::pinned) : 0;
}

std::int64_t checkpoint_bytes(const Plan& plan) {
    return plan.imaging ? saturating_product(plan.imaging->history.checkpoints, state_bytes(plan)) : 0;
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
