#include "solver/tasks/batch_results.hpp"

#include <span>
#include <utility>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/program/file_record.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/loop_failure.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/batch_watch.hpp"

namespace onda {

std::vector<ShotPoints> begin_batch(Batch& batch, const ShotFiles& files) {
    std::vector<ShotPoints> points;
    for (ShotInProgress& shot : batch) {
        points.push_back(std::move(shot.points));
        shot.parts = snapshot_parts(shot.plan->snapshots, shot.plan->domain, *shot.plan);
        shot.outputs = files.begin(shot.shot, shot.index, shot.parts);
        shot.record.shot = shot.shot.id;
    }
    return points;
}

void collect_recorded(Batch& batch, const Wavefield& wavefield) {
    for (int slot = 0; ShotInProgress & shot : batch) {
        const Plan& plan = *shot.plan;
        shot.record.wavefield = fingerprint_wavefield(wavefield, plan.domain.computed.inner(), slot);
        if (!shot.shot.receivers.empty()) {
            shot.gather = recorded_gather(shot.shot, plan.survey, plan.time, plan.domain, wavefield, slot, shot.before);
            observe(shot.record, shot.gather.pressure);
        }
        ++slot;
    }
}

namespace {

void hand_gather_over(ShotInProgress& shot, const TimeAxis& time) {
    if (shot.shot.receivers.empty()) return;
    Fingerprint hash;
    hash.add(std::span<const float>(shot.gather.pressure));
    for (const GatherComponent& component : shot.gather.motion) hash.add(std::span<const float>(component.values));
    shot.record.seismograms = hash.hex();
    if (!is_written_as_recorded(time)) observe(shot.record, shot.gather.pressure);
    shot.outputs.take_gather(shot.gather);
    shot.gather = {};
}

}  // namespace

void finish_batch(const TimeAxis& time, const ShotFiles& files, Batch& batch,
                  const std::function<void(ShotInProgress&)>& hand_over) {
    std::vector<ShotGather> gathers;
    std::vector<ShotInProgress*> recorded;
    for (ShotInProgress& shot : batch) {
        if (shot.shot.receivers.empty() || shot.has_output_sampling) continue;
        recorded.push_back(&shot);
        gathers.push_back(std::move(shot.gather));
    }
    bring_to_output_sampling(time, gathers);
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        recorded[i]->gather = std::move(gathers[i]);
        write_motion(recorded[i]->plan->survey.motion, recorded[i]->gather);
    }
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic) num_threads(finishing_threads(std::ssize(batch)))
    for (std::size_t i = 0; i < batch.size(); ++i)
        failure.guard([&] {
            const UnsyncedFiles proved_by_hashes(kHashedWhole);
            hand_gather_over(batch[i], time);
            if (hand_over) hand_over(batch[i]);
            batch[i].record.files = files.finish(batch[i].outputs);
        });
    failure.rethrow();
}

}  // namespace onda
