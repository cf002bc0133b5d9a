/// \file
/// The shots of a survey that are still to be computed, batch by batch, with all that can be done meanwhile done under
/// their time steps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "solver/outputs/shot_files.hpp"
#include "solver/program/progress.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/propagation/stability_watch.hpp"
#include "solver/ranks/team.hpp"
#include "solver/shots/batch_snapshots.hpp"
#include "solver/shots/phase_times.hpp"
#include "solver/shots/shot_in_progress.hpp"
#include "solver/shots/shot_ledger.hpp"
#include "solver/shots/shot_media.hpp"
#include "solver/shots/shot_selection.hpp"

namespace onda {

/// What a survey run needs and does not own.
struct SurveyRunParts {
    const Plan& plan;
    ShotMedia& media;
    const ShotFiles& files;
    ShotLedger& ledger;
    PhaseTimes& times;
    Progress& progress;
    const std::atomic<bool>* given_up = nullptr;  ///< set where another worker of the run has failed
    std::int64_t workers = 1;                     ///< of the run, which draw shots from one ledger
    Team* team = nullptr;                         ///< the processes that share the grid, led by this one
};

/// Ends a survey run because another worker has failed, which has the reason.
struct GivenUp {};

/// What the shots ask of a device at most.
ShotSize largest_shot(const Plan& plan);
/// The bytes of the sources and receivers of a shot as weighted nodes, and of the sources' signals, until a device has
/// them.
std::int64_t bytes_of_points(const ShotSize& shot);
/// Adds the rows of shots that are set up, and of the threads that a survey run has.
void add_shot_memory(Allocations& list, const Plan& plan);

/// Threads that finish the shots of a batch at the same time. Only one of them at a time writes to its file; the others
/// wait for the disk, or hash what was written.
int finishing_threads(std::int64_t shots);

/// The part of one process in a survey: it takes shots that nobody has, until none are left.
///
/// Three things go on at the same time: the steps of a batch; on another thread the sources and receivers of the next
/// one; on a third the dispersion removal, hashes and files of the one before.
class SurveyRun {
public:
    using Clock = std::chrono::steady_clock;

    explicit SurveyRun(const SurveyRunParts& parts, ShotSelection selection, Clock::time_point end_by);

    /// \returns whether it stopped because the time is over. \throws Error; Interrupted; GivenUp. The ledger knows the
    /// shots that are finished then; what the exception ends is lost.
    bool run();

    /// The nodes that were advanced, strips included, added over the shots.
    [[nodiscard]] std::int64_t nodes_computed() const { return nodes_; }
    /// The bytes of the largest wavefield.
    [[nodiscard]] std::int64_t wavefield_bytes() const { return wavefield_bytes_; }

private:
    /// Whether the next batch may be claimed while this one is computed: others that are ready sooner must find shots.
    [[nodiscard]] bool may_claim_ahead() const;
    Batch claim_and_prepare();
    [[nodiscard]] std::shared_ptr<const Plan> plan_of(std::size_t index) const;
    bool time_is_over() const;
    void compute(Batch& batch);
    void propagate(Propagator& propagator, Batch& batch, const std::vector<StabilityWatch>& watches);
    /// The largest |p| of the batch as it is now. \throws Error(unstable).
    double watch(const Propagator& propagator, Batch& batch, const std::vector<StabilityWatch>& watches) const;
    void take_what_is_due(Propagator& propagator, Batch& batch, std::optional<BatchSnapshots>& snapshots);
    [[nodiscard]] std::int64_t next_output(std::int64_t step, const Batch& batch) const;
    void collect(Batch& batch);
    void finish(Batch& batch) const;
    void finish(ShotInProgress& shot) const;

    const Plan& plan_;
    SurveyRunParts parts_;
    ShotSelection selection_;
    Clock::time_point end_by_;
    std::size_t cursor_ = 0;
    std::unique_ptr<Wavefield> wavefield_;
    std::int64_t computed_ = 0, nodes_ = 0, wavefield_bytes_ = 0;
    double longest_batch_s_ = 0.;
    std::int64_t pace_steps_ = 1;  ///< of the stride
};

}  // namespace onda
