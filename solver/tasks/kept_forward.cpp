#include "solver/tasks/kept_forward.hpp"

#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/stored_pressure.hpp"
#include "io/text/error.hpp"
#include "solver/plan/plan.hpp"

namespace onda {

std::int64_t KeptForward::begin(PhaseTimes& times, StepControl& control) {
    if (checkpoints_ == nullptr) return 0;
    times.measure("checkpoints", [this] {
        if (checkpoints_->find(*this) > 0) checkpoints_->restore(*this);
    });
    if (step() > 0) control.begin_at(step());
    return step();
}

void KeptForward::add_to(TimeLoop& loop, StepControl& control) {
    if (checkpoints_ == nullptr) return;
    if (step() > 0) loop.go_on();
    loop.set_after_stretch([this, &control] { return checkpoints_->is_due(*this, control); },
                           [this, &control] { checkpoints_->keep(*this, control); });
}

std::string KeptForward::name_of(std::int64_t step) const {
    return fmt::format("step {} of {}", step, steps());
}

void KeptForward::settle() {
    watch_.check(propagator_);
    if (snapshots_ != nullptr) snapshots_->settle();
}

template <typename T>
std::vector<T> KeptForward::traces_of(std::size_t slot, const RecordedBefore<T>& before, std::int64_t samples) const {
    const std::int64_t of_trace = plan_.time.recorded_samples();
    std::vector<T> traces(batch_[slot].shot.receivers.size() *
                          static_cast<std::size_t>(plan_.survey.motion.rows() * of_trace));
    if (traces.empty()) return traces;
    propagator_.wavefield().download_traces(std::span<T>(traces), static_cast<int>(slot));
    before.put_into(traces, of_trace);
    keep_beginnings(traces, of_trace, samples);
    return traces;
}

void KeptForward::keep(std::size_t slot, CheckpointRecord& record, KeptValues& values) const {
    const ShotInProgress& shot = batch_[slot];
    record.samples = propagator_.step() / plan_.time.stride + 1;
    record.traces = traces_of(slot, shot.before, record.samples);
    if (keeps_doubles_) values.put(traces_of(slot, shot.before_in_double, record.samples));
    if (!storable(std::span<const float>(record.traces)))
        throw Error(ExitCode::unstable, fmt::format("shot {}: a trace is not finite in single precision at step {}",
                                                    shot.shot.id, propagator_.step()));
}

void KeptForward::take_back(std::size_t slot, const CheckpointRecord& record, KeptValues& values) {
    batch_[slot].before = {record.samples, record.traces};
    if (keeps_doubles_) batch_[slot].before_in_double = {record.samples, values.get<double>()};
}

}  // namespace onda
