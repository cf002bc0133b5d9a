#include "solver/tasks/kept_forward.hpp"

#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/stored_pressure.hpp"
#include "io/text/error.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

std::string KeptForward::name_of(std::int64_t step) const {
    return fmt::format("step {} of {}", step, steps());
}

void KeptForward::settle() {
    watch_.check(propagator_);
    if (snapshots_ != nullptr) snapshots_->settle();
}

void KeptForward::keep(std::size_t slot, CheckpointRecord& record, KeptValues& /*values*/) const {
    const ShotInProgress& shot = batch_[slot];
    const std::int64_t of_trace = plan_.time.recorded_samples();
    record.samples = propagator_.step() / plan_.time.stride + 1;
    std::vector<float> traces(shot.shot.receivers.size() * static_cast<std::size_t>(of_trace));
    if (!traces.empty()) propagator_.wavefield().download_traces(std::span<float>(traces), static_cast<int>(slot));
    shot.before.put_into(traces, of_trace);
    if (!traces.empty()) keep_beginnings(traces, of_trace, record.samples);
    record.traces = std::move(traces);
    if (!storable(std::span<const float>(record.traces)))
        throw Error(ExitCode::unstable, fmt::format("shot {}: a trace is not finite in single precision at step {}",
                                                    shot.shot.id, propagator_.step()));
}

void KeptForward::take_back(std::size_t slot, const CheckpointRecord& record, KeptValues& /*values*/) {
    batch_[slot].before = {record.samples, record.traces};
}

}  // namespace onda
