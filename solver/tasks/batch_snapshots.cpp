#include "solver/tasks/batch_snapshots.hpp"

#include <algorithm>
#include <utility>

#include "io/text/saturating.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {

void add_snapshot_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    const std::int64_t frames =
        saturating_product(std::int64_t{std::ssize(experiment.survey.shots)}, experiment.snapshots.steps.size());
    list.add(host_row("snapshots being written to disk: as downloaded", held::survey,
                      downloaded_points(experiment.snapshots, computation.setup.grid, computation.placement),
                      sizeof(float), std::min(frames, own_workers(computation.placement) * FieldSet::kDownloads)));
    if (experiment.domain.aperture)
        list.add(host_row("snapshots being written to disk: a whole frame", held::survey,
                          written_points(experiment.snapshots, computation.setup.grid, computation.placement),
                          sizeof(float)));
}

BatchSnapshots::BatchSnapshots(const SnapshotPlan& snapshots, Batch& batch, Team* team)
    : snapshots_(snapshots), batch_(batch), queue_([this](int slot, double time_s, std::span<const float> values) {
          ShotInProgress& shot = batch_[static_cast<std::size_t>(slot)];
          shot.outputs.take_snapshot(time_s,
                                     whole_frame_.empty() ? values : in_whole_frame(shot.plan->domain.part, values));
      }) {
    if (are_shared()) {
        elsewhere_.emplace(*team);
        for (int slot = 0; const ShotInProgress& shot : batch_) {
            for (const WantedPart& part : shot.outputs.wanted_parts()) elsewhere_->begin(slot, part);
            ++slot;
        }
    } else if (batch_.front().plan->domain.aperture) {
        // Where nothing is computed, frames are zero.
        whole_frame_.assign(static_cast<std::size_t>(snapshots_.window.points()), 0.f);
    }
}

void BatchSnapshots::take(Propagator& propagator) {
    if (elsewhere_)
        elsewhere_->take(propagator.time_s(), [&] { take_here(propagator); });
    else
        take_here(propagator);
}

void BatchSnapshots::take_here(Propagator& propagator) {
    const ShotInProgress& first = batch_.front();
    Window window;
    if (are_shared()) {
        if (first.parts.front().member != 0) return;
        window = first.parts.front().window;
    } else {
        const WindowInPart in_part = window_in_part(snapshots_.window, first.plan->domain.part);
        if (in_part.window.points() == 0)
            return batch_.front().outputs.take_snapshot(propagator.time_s(), whole_frame_);
        window = first.plan->domain.computed.window(in_part.window);
    }
    for (int slot = 0; slot < static_cast<int>(batch_.size()); ++slot)
        queue_.take(propagator.wavefield(), window, propagator.time_s(), slot);
}

std::span<const float> BatchSnapshots::in_whole_frame(const Window& part, std::span<const float> values) {
    const Window& window = snapshots_.window;
    put_into_window(window, window_in_part(window, part), values, whole_frame_);
    return whole_frame_;
}

void BatchSnapshots::settle() {
    queue_.drain();
    if (elsewhere_) elsewhere_->settle();
}

std::vector<float> BatchSnapshots::whole_frame(int slot, std::int64_t i) const {
    const ShotInProgress& shot = batch_[static_cast<std::size_t>(slot)];
    if (!are_shared()) return shot.outputs.snapshot(i);
    std::vector<float> whole(static_cast<std::size_t>(snapshots_.window.points()));
    for (const SnapshotPart& part : shot.parts)
        put_into_window(snapshots_.window, {part.window, part.first},
                        part.member == 0 ? shot.outputs.snapshot(i) : elsewhere_->read(part.member, slot, i), whole);
    return whole;
}

void BatchSnapshots::give_back(int slot, double time_s, std::span<const float> frame) {
    ShotInProgress& shot = batch_[static_cast<std::size_t>(slot)];
    if (!are_shared()) return shot.outputs.take_snapshot(time_s, frame);
    for (const SnapshotPart& part : shot.parts) {
        const std::vector<float> values = taken_from_window(snapshots_.window, {part.window, part.first}, frame);
        if (part.member == 0)
            shot.outputs.take_snapshot(time_s, values);
        else
            elsewhere_->give_back(part.member, slot, time_s, values);
    }
}

void BatchSnapshots::finish() {
    if (!elsewhere_) return queue_.drain();
    for (auto& [slot, files] : elsewhere_->finish([this] { queue_.drain(); }))
        batch_[static_cast<std::size_t>(slot)].outputs.take_parts(files);
}

}  // namespace onda
