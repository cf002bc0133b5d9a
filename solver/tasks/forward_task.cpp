#include "solver/tasks/forward_task.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "solver/model/density.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/loop_failure.hpp"
#include "solver/propagation/stability_watch.hpp"
#include "solver/tasks/batch_snapshots.hpp"

namespace onda {
namespace {

/// Lets errors say which shot they are about, where there are several.
template <typename Work>
auto of_shot(const Shots& shots, const Shot& shot, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (shots.size() == 1) throw;
        throw Error(error.code(), fmt::format("shot {}: {}", shot.id, error.what()));
    }
}

/// Counts pressure in that a shot looked at or wrote.
void observe(ShotRecord& record, std::span<const float> pressure) {
    float largest = 0.f;
    for (const float p : pressure) largest = std::max(largest, std::abs(p));
    record.largest_observed_pressure = std::max(record.largest_observed_pressure, static_cast<double>(largest));
}

/// The larger of a pressure and of what files, which are in single precision, hold of it.
double with_rounding(double pressure) {
    const auto stored = static_cast<double>(static_cast<float>(pressure));
    return std::isfinite(stored) ? std::max(pressure, stored) : pressure;
}

StabilityWatch watch_over(const Plan& plan, const Sources& sources) {
    const VelocityRange& velocity = plan.model.velocity;
    const double contrast = density_contrast(plan.setup.scheme.equation, plan.model.further);
    const double bound =
        amplitude_bound(sources, plan.domain.grid, plan.time, velocity.min_m_s, velocity.max_m_s) * std::sqrt(contrast);
    return {plan.domain.computed, plan.time, plan.setup.precision, bound, contrast};
}

class ForwardTask : public Task {
public:
    explicit ForwardTask(const TaskParts& parts) : plan_(parts.plan), parts_(parts) {}

    [[nodiscard]] std::int64_t steps() const override { return plan_.time.steps; }
    void prepare(ShotInProgress& shot) const override { set_up(shot, plan_); }
    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override;
    void finish(Batch& batch) const override;
    [[nodiscard]] std::int64_t nodes_computed() const override { return nodes_; }
    [[nodiscard]] std::int64_t wavefield_bytes() const override { return wavefield_bytes_; }

private:
    using Watches = std::vector<StabilityWatch>;

    void propagate(Propagator& propagator, Batch& batch, const Watches& watches, StepControl& control);
    /// At its interval, wherever there is a snapshot, and at the end; not at rest.
    [[nodiscard]] std::int64_t next_watch(std::int64_t step) const;
    /// The largest |p| of the batch as it is now. \throws Error(unstable).
    double watch(const Propagator& propagator, Batch& batch, const Watches& watches) const;
    [[nodiscard]] std::int64_t next_output(std::int64_t step, const Batch& batch) const;
    void take_what_is_due(Propagator& propagator, Batch& batch, std::optional<BatchSnapshots>& snapshots);
    void finish(ShotInProgress& shot) const;

    const Plan& plan_;
    TaskParts parts_;
    std::unique_ptr<Wavefield> wavefield_;
    std::int64_t nodes_ = 0, wavefield_bytes_ = 0;
};

void ForwardTask::compute(Batch& batch, StepControl& control) {
    const int shots = static_cast<int>(batch.size());
    const Plan& plan = *batch.front().plan;  // shots with parts of their own advance alone
    std::vector<ShotPoints> points;
    Watches watches;
    for (ShotInProgress& shot : batch) {
        watches.push_back(watch_over(plan, shot.points.sources));
        points.push_back(std::move(shot.points));
        shot.parts = snapshot_parts(plan);
        shot.outputs = parts_.files.begin(shot.shot, shot.index, shot.parts);
        shot.record.shot = shot.shot.id;
    }
    Propagator propagator = parts_.times.measure("shot set-up", [&] {
        if (!wavefield_ || wavefield_->shots() != shots || !parts_.media.holds(plan.domain.part)) {
            wavefield_.reset();
            wavefield_ = parts_.media.of(plan).make_wavefield(shots);
        }
        return Propagator(*wavefield_, points, plan_.time);
    });
    points.clear();
    propagate(propagator, batch, watches, control);
    nodes_ += plan.setup.grid.points() * shots;
    wavefield_bytes_ = std::max(wavefield_bytes_, wavefield_->allocated_bytes());
}

void ForwardTask::propagate(Propagator& propagator, Batch& batch, const Watches& watches, StepControl& control) {
    std::optional<BatchSnapshots> snapshots;
    if (!plan_.snapshots.steps.empty())
        parts_.times.measure("outputs", [&] { snapshots.emplace(plan_.snapshots, batch, parts_.team); });
    double largest = 0.;
    TimeLoop loop(plan_.time, parts_.times, control);
    loop.add({"stability watch", [&](std::int64_t step) { return next_watch(step); },
              [&] { largest = watch(propagator, batch, watches); }});
    loop.add({"outputs", [&](std::int64_t step) { return next_output(step, batch); },
              [&] { take_what_is_due(propagator, batch, snapshots); }});
    loop.run(propagator, largest);
    if (snapshots) parts_.times.measure("outputs", [&] { snapshots->finish(); });
}

std::int64_t ForwardTask::next_watch(std::int64_t step) const {
    const std::int64_t steps = plan_.time.steps, from = std::max(step, std::int64_t{0});
    if (from >= steps) return steps + 1;
    const std::int64_t next = (from / StabilityWatch::kInterval + 1) * StabilityWatch::kInterval;
    return std::min({steps, next, plan_.snapshots.steps.after(from).value_or(steps)});
}

double ForwardTask::watch(const Propagator& propagator, Batch& batch, const Watches& watches) const {
    double largest = 0.;
    const std::vector<Extremum> all_seen = propagator.wavefield().extrema();
    for (int slot = 0; ShotInProgress & shot : batch) {
        const auto which = static_cast<std::size_t>(slot);
        const Extremum& seen = all_seen[which];
        of_shot(plan_.survey.shots, shot.shot, [&] { watches[which].check(seen, propagator); });
        double& observed = shot.record.largest_observed_pressure;
        observed =
            with_rounding(largest_pressure(propagator.wavefield(), shot.plan->domain.computed, seen, observed, slot++));
        largest = std::max(largest, seen.max_abs);
    }
    return largest;
}

std::int64_t ForwardTask::next_output(std::int64_t step, const Batch& batch) const {
    std::int64_t next = plan_.snapshots.steps.after(step).value_or(plan_.time.steps + 1);
    for (const ShotInProgress& shot : batch) next = std::min(next, shot.outputs.next_step(step).value_or(next));
    return next;
}

void ForwardTask::take_what_is_due(Propagator& propagator, Batch& batch, std::optional<BatchSnapshots>& snapshots) {
    if (snapshots && plan_.snapshots.steps.contains(propagator.step())) snapshots->take(propagator);
    for (int slot = 0; ShotInProgress & shot : batch) shot.outputs.take_wavefield(propagator, slot++);
}

void ForwardTask::collect(Batch& batch) {
    for (int slot = 0; ShotInProgress & shot : batch) {
        const Plan& plan = *shot.plan;
        shot.record.wavefield = fingerprint_wavefield(*wavefield_, plan.domain.computed.inner(), slot);
        if (!shot.shot.receivers.empty()) {
            shot.gather = recorded_gather(shot.shot, plan.survey, plan.time, plan.domain, *wavefield_, slot);
            observe(shot.record, shot.gather.pressure);
        }
        ++slot;
    }
}

void ForwardTask::finish(Batch& batch) const {
    std::vector<ShotGather> gathers;
    for (ShotInProgress& shot : batch)
        if (!shot.shot.receivers.empty()) gathers.push_back(std::move(shot.gather));
    bring_to_output_sampling(plan_.time, gathers);
    for (std::size_t i = 0; ShotInProgress & shot : batch)
        if (!shot.shot.receivers.empty()) shot.gather = std::move(gathers[i++]);
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic) num_threads(finishing_threads(std::ssize(batch)))
    for (std::size_t i = 0; i < batch.size(); ++i) failure.guard([&] { finish(batch[i]); });
    failure.rethrow();
}

void ForwardTask::finish(ShotInProgress& shot) const {
    if (!shot.shot.receivers.empty()) {
        Fingerprint hash;
        hash.add(std::span<const float>(shot.gather.pressure));
        shot.record.seismograms = hash.hex();
        observe(shot.record, shot.gather.pressure);
        shot.outputs.take_gather(shot.gather);
        shot.gather = {};
    }
    shot.record.files = parts_.files.finish(shot.outputs);
}

void add_forward_memory(Allocations& list, const Plan& plan) {
    add_shot_memory(list, plan);
    add_model_memory(list, plan);
    add_snapshot_memory(list, plan);
    add_gather_memory(list, plan);
}

}  // namespace

constinit const TaskRow kForwardTask{
    .name = "forward",
    .help = "computes what the sources of each shot excite, as its receivers and snapshots see it",
    .make = [](const TaskParts& parts) -> std::unique_ptr<Task> { return std::make_unique<ForwardTask>(parts); },
    .largest_shot = largest_shot,
    .add_memory = add_forward_memory,
};

}  // namespace onda
