#include "solver/plan/imaging_plan.hpp"

#include <spdlog/fmt/fmt.h>
#include <vector>

#include "io/text/bytes_text.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "kernels/imaging/correlation.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"

namespace onda {
namespace {

/// The bytes of each slab of the grid. \param bytes_of a slab, from its set-up.
template <typename BytesOf>
std::vector<std::int64_t> bytes_of_parts(const Computation& computation, const BytesOf& bytes_of) {
    std::vector<std::int64_t> slabs;
    for (std::size_t slab = 0; slab < computation.placement.slabs.size(); ++slab)
        slabs.push_back(bytes_of(setup_of_part(computation.setup, computation.placement, slab)));
    return slabs;
}

std::vector<std::int64_t> wavefield_bytes(const Computation& computation) {
    const Device& device = *computation.placement.device;
    return bytes_of_parts(computation, [&](const Setup& part) {
        return device.allocations(part, computation.placement.batch, {}).bytes(device.memory(), Owner::wavefield);
    });
}

std::int64_t ring_bytes(const Experiment& experiment, const Computation& computation, const Setup& part,
                        Memory memory) {
    return computation.placement.device
        ->ring_allocations(part, computation.placement.batch, experiment.imaging->history.ring_size(experiment.time))
        .bytes(memory);
}

/// Rings, and a wavefield without layers.
std::int64_t rebuilt_bytes(const Experiment& experiment, const Computation& computation) {
    const Device& device = *computation.placement.device;
    return bytes_in_one_memory(computation.placement, bytes_of_parts(computation, [&](const Setup& part) {
                                   Setup without_layers = part;
                                   without_layers.strips = {};
                                   return device.allocations(without_layers, computation.placement.batch, {})
                                              .bytes(device.memory(), Owner::wavefield) +
                                          ring_bytes(experiment, computation, part, device.memory());
                               }));
}

/// The bytes of all slabs of this process beside the memory of devices.
std::int64_t ring_bytes_beside(const Experiment& experiment, const Computation& computation, Memory memory) {
    if (!experiment.imaging || !experiment.imaging->history.ring) return 0;
    return bytes_of_own_slabs(computation.placement, bytes_of_parts(computation, [&](const Setup& part) {
                                  return ring_bytes(experiment, computation, part, memory);
                              }));
}

/// Of each slab, with so many levels that are kept.
std::vector<std::int64_t> bytes_of_correlations(const Experiment& experiment, const Computation& computation,
                                                std::int64_t slots) {
    const Device& device = *computation.placement.device;
    const int shots = computation.placement.batch;
    return bytes_of_parts(computation, [&](const Setup& part) {
        const auto of = [&](Correlated what, const OffsetLines& lines = {}) {
            return device.correlation_allocations(part, shots, slots, what, lines).bytes(device.memory());
        };
        const ImageSums& sums = experiment.imaging->sums;
        std::int64_t bytes = 0;
        const EquationRow& equation = *part.scheme.equation;
        if (sums.differences) {
            bytes = of(correlated_differences(equation, sums.illuminates_differences()));
            for (const Correlated what : correlated_beside(equation, sums.anisotropy))
                bytes = saturating_sum(bytes, of(what));
        }
        if (sums.keeps_pressures())
            bytes = saturating_sum(
                bytes, of(correlated_pressures(equation, sums.illuminates_pressures()), experiment.imaging->offsets));
        if (sums.stresses && equation.fields.size() > 1) bytes = saturating_sum(bytes, of(Correlated::pressures));
        if (sums.differences && part.keeps_applied) bytes = saturating_sum(bytes, of(Correlated::applied));
        if (!sums.density) return bytes;
        return saturating_sum(bytes, device.flux_correlation_allocations(part, shots, slots).bytes(device.memory()));
    });
}

/// ": rebuilt backward from 4 planes …"
std::string describe_ring(const Experiment& experiment, const Computation& computation) {
    const HistoryPlan& history = experiment.imaging->history;
    const int planes = computation.setup.scheme.halo();
    std::string text =
        fmt::format(": rebuilt backward, once, from {} plane{} inside each absorbing layer at {} time steps", planes,
                    planes == 1 ? "" : "s", history.ring_size(experiment.time).levels);
    if (history.ring_every > 1)
        text += fmt::format(", every {}, between which others are interpolated",
                            ordinal_text(static_cast<std::uint64_t>(history.ring_every)));
    if (history.ring_values == RingValues::of_16_bits) text += ", in 16 bits";
    if (const std::int64_t bytes = host_ring_bytes(experiment, computation); bytes > 0)
        text += fmt::format(", {} of it in the memory of the host", bytes_text(bytes));
    if (const std::int64_t bytes = file_ring_bytes(experiment, computation); bytes > 0)
        text += fmt::format(", and {} in a file in {}", bytes_text(bytes), shown(history.ring_folder));
    return text;
}

}  // namespace

std::int64_t correlation_bytes(const Experiment& experiment, const Computation& computation, std::int64_t slots) {
    return bytes_in_one_memory(computation.placement, bytes_of_correlations(experiment, computation, slots));
}

std::int64_t sums_bytes(const Experiment& experiment, const Computation& computation) {
    return bytes_of_own_slabs(computation.placement, bytes_of_correlations(experiment, computation, 0));
}

std::int64_t second_wavefield_bytes(const Computation& computation) {
    return bytes_in_one_memory(computation.placement, wavefield_bytes(computation));
}

std::int64_t state_bytes(const Computation& computation) {
    return bytes_of_own_slabs(computation.placement, wavefield_bytes(computation));
}

std::int64_t scattered_bytes(const Experiment& experiment, const Computation& computation) {
    if (!experiment.imaging || !experiment.imaging->scatters) return 0;
    return second_wavefield_bytes(computation) + correlation_bytes(experiment, computation, 1);
}

std::int64_t history_bytes(const Experiment& experiment, const Computation& computation) {
    if (!experiment.imaging || !experiment.imaging->reverses) return 0;
    const HistoryPlan& history = experiment.imaging->history;
    if (history.slots == 0) return 0;
    if (history.ring) return correlation_bytes(experiment, computation, 1) + rebuilt_bytes(experiment, computation);
    return correlation_bytes(experiment, computation, history.slots) +
           (history.segments(experiment.time) > 1 ? second_wavefield_bytes(computation) : 0);
}

std::int64_t host_ring_bytes(const Experiment& experiment, const Computation& computation) {
    return ring_bytes_beside(experiment, computation, Memory::pinned);
}

std::int64_t file_ring_bytes(const Experiment& experiment, const Computation& computation) {
    return ring_bytes_beside(experiment, computation, Memory::file);
}

std::int64_t checkpoint_bytes(const Experiment& experiment, const Computation& computation) {
    return experiment.imaging ? saturating_product(experiment.imaging->history.checkpoints, state_bytes(computation))
                              : 0;
}

int wavefields_together(const Experiment& experiment) {
    if (!experiment.imaging) return 1;
    const int fields = experiment.imaging->scatters ? 2 : 1;
    if (!experiment.imaging->reverses || experiment.imaging->history.slots == 0) return fields;
    const HistoryPlan& history = experiment.imaging->history;
    return fields + (history.ring || history.segments(experiment.time) > 1 ? 1 : 0);
}

bool gives_sums_alone(const Experiment& experiment) {
    return experiment.imaging && experiment.imaging->leaves_sums;
}

std::int64_t doubles_of_second_image(const Computation& computation) {
    return computation.setup.keeps_applied ? 2 : 0;
}

std::int64_t steps_of_shot(const Experiment& experiment) {
    if (!experiment.imaging) return experiment.time.steps;
    if (!experiment.imaging->reverses) return (experiment.imaging->scatters ? 2 : 1) * experiment.time.steps;
    return experiment.time.steps + experiment.imaging->history.forward_steps(experiment.time);
}

std::string describe_history(const Experiment& experiment, const Computation& computation) {
    if (!experiment.imaging || !experiment.imaging->reverses) return {};
    const HistoryPlan& history = experiment.imaging->history;
    const std::int64_t segments = history.segments(experiment.time);
    std::string text = fmt::format(
        "history   {} levels of the forward field, one every {} time step{}, {}", history.levels(experiment.time),
        history.every, history.every == 1 ? "" : "s",
        bytes_text(saturating_sum(history_bytes(experiment, computation), host_ring_bytes(experiment, computation))));
    if (history.ring) text += describe_ring(experiment, computation);
    if (segments > 1)
        text += fmt::format(
            ": {} together, from {} states in {}; the forward field is computed {:.2g} times", history.slots,
            history.checkpoints, bytes_text(checkpoint_bytes(experiment, computation)),
            static_cast<double>(history.forward_steps(experiment.time)) / static_cast<double>(experiment.time.steps));
    return text + fmt::format(" ({})\n", experiment.imaging->chosen_by);
}

}  // namespace onda
