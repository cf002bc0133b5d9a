#include "solver/tasks/kept_forward.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/stored_pressure.hpp"
#include "io/text/error.hpp"
#include "kernels/fingerprint.hpp"
#include "solver/plan/plan.hpp"
#include "solver/signal/wavelet.hpp"

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

// Of a signal, sources of leaps and of order 4 in time take values beyond the step that they are added at.
std::map<std::string, std::string> KeptForward::follows_from(std::size_t slot, std::int64_t step) const {
    const TimeAxis& time = plan_.time;
    Fingerprint of_steps, of_signals, of_snapshots;
    const std::array axis{time.dt_s, static_cast<double>(time.stride), static_cast<double>(time.order)};
    of_steps.add(std::span<const double>(axis));
    std::set<std::size_t> wavelets;
    for (const SourcePoint& source : batch_[slot].shot.sources) wavelets.insert(source.wavelet);
    for (const std::size_t wavelet : wavelets) {
        const std::vector<double> signal = sample_wavelet(plan_.survey.wavelets.at(wavelet), time);
        const std::int64_t values = std::min(step + time.stride + 1, std::ssize(signal));
        of_signals.add(std::span<const double>(signal).first(static_cast<std::size_t>(values)));
    }
    const StepSet& snapshots = plan_.snapshots.steps;
    for (auto at = snapshots.after(-1); at && *at <= step; at = snapshots.after(*at))
        of_snapshots.add(std::span<const std::int64_t>(&*at, 1));
    return {{"time steps", of_steps.hex()},
            {"source signals", of_signals.hex()},
            {"steps of snapshots", of_snapshots.hex()}};
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
