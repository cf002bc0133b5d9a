#include "solver/tasks/forward_task.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "solver/outputs/gather.hpp"
#include "solver/plan/plan.hpp"
#include "solver/tasks/batch_results.hpp"
#include "solver/tasks/batch_snapshots.hpp"
#include "solver/tasks/batch_watch.hpp"
#include "solver/tasks/checkpoints.hpp"
#include "solver/tasks/kept_forward.hpp"

namespace onda {
namespace {

class ForwardTask : public Task {
public:
    explicit ForwardTask(const TaskParts& parts) : plan_(parts.plan), parts_(parts) {}

    [[nodiscard]] std::int64_t steps() const override { return plan_.time.steps; }
    void prepare(ShotInProgress& shot) const override { set_up(shot, plan_); }
    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override { collect_recorded(batch, *wavefield_); }
    void finish(Batch& batch) const override { finish_batch(plan_.time, parts_.files, batch); }
    [[nodiscard]] std::int64_t nodes_computed() const override { return nodes_; }
    [[nodiscard]] std::int64_t wavefield_bytes() const override { return wavefield_bytes_; }

private:
    void propagate(Propagator& propagator, Batch& batch, BatchWatch& watch, KeptForward& kept,
                   std::optional<BatchCheckpoints>& checkpoints, StepControl& control);
    [[nodiscard]] std::int64_t next_output(std::int64_t step, const Batch& batch) const;
    void take_what_is_due(Propagator& propagator, Batch& batch, std::optional<BatchSnapshots>& snapshots);

    const Plan& plan_;
    TaskParts parts_;
    std::unique_ptr<Wavefield> wavefield_;
    std::int64_t nodes_ = 0, wavefield_bytes_ = 0;
};

void ForwardTask::compute(Batch& batch, StepControl& control) {
    const int shots = static_cast<int>(batch.size());
    const Plan& plan = *batch.front().plan;  // shots with parts of their own advance alone
    BatchWatch watch(plan_, batch);
    std::vector<ShotPoints> points = begin_batch(batch, parts_.files);
    std::optional<BatchCheckpoints> checkpoints;
    if (parts_.checkpoints != nullptr) checkpoints.emplace(*parts_.checkpoints, plan, batch);
    Propagator propagator = parts_.times.measure("shot set-up", [&] {
        if (!wavefield_ || wavefield_->shots() != shots || !parts_.media.holds(plan.domain.part)) {
            wavefield_.reset();
            wavefield_ = parts_.media.of(plan).make_wavefield(shots);
        }
        return Propagator(*wavefield_, std::move(points), plan_.time);
    });
    KeptForward kept(plan, batch, propagator, watch, checkpoints ? &*checkpoints : nullptr);
    const std::int64_t begun = kept.begin(parts_.times, control);
    propagate(propagator, batch, watch, kept, checkpoints, control);
    const double part = static_cast<double>(plan_.time.steps - begun) / static_cast<double>(plan_.time.steps);
    nodes_ += std::llround(part * static_cast<double>(plan.setup.grid.points() * shots));
    wavefield_bytes_ = std::max(wavefield_bytes_, wavefield_->allocated_bytes());
}

void ForwardTask::propagate(Propagator& propagator, Batch& batch, BatchWatch& watch, KeptForward& kept,
                            std::optional<BatchCheckpoints>& checkpoints, StepControl& control) {
    std::optional<BatchSnapshots> snapshots;
    if (!plan_.snapshots.steps.empty())
        parts_.times.measure("outputs", [&] { snapshots.emplace(plan_.snapshots, batch, parts_.team); });
    TimeLoop loop(plan_.time, parts_.times, control);
    loop.add({"stability watch", [&](std::int64_t step) { return watch.next(step); }, [&] { watch.look(propagator); }});
    loop.add({"outputs", [&](std::int64_t step) { return next_output(step, batch); },
              [&] { take_what_is_due(propagator, batch, snapshots); }, true});
    if (checkpoints && snapshots) parts_.times.measure("checkpoints", [&] { checkpoints->go_on_with(*snapshots); });
    if (snapshots) kept.set_snapshots(&*snapshots);
    kept.add_to(loop, control);
    loop.run(propagator, watch.largest());
    if (snapshots) parts_.times.measure("outputs", [&] { snapshots->finish(); });
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

void add_forward_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    add_shot_memory(list, experiment, computation);
    add_model_memory(list, experiment, computation);
    add_snapshot_memory(list, experiment, computation);
    add_gather_memory(list, experiment, computation);
}

}  // namespace

constinit const TaskRow kForwardTask{
    .name = "forward",
    .help = "computes what the sources of each shot excite, as its receivers and snapshots see it",
    .records_motion = true,
    .keeps_checkpoints = true,
    .make = [](const TaskParts& parts) -> std::unique_ptr<Task> { return std::make_unique<ForwardTask>(parts); },
    .largest_shot = largest_shot,
    .add_memory = add_forward_memory,
};

}  // namespace onda
