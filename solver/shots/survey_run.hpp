/// \file
/// The shots of a survey that are still to be computed, batch by batch, with all that can be done meanwhile done under
/// their time steps. What is done with them is the plan's task.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/files/interruption.hpp"
#include "kernels/plan/allocations.hpp"
#include "solver/program/phase_times.hpp"
#include "solver/program/progress.hpp"
#include "solver/ranks/team.hpp"
#include "solver/shots/shot_ledger.hpp"
#include "solver/shots/shot_selection.hpp"
#include "solver/tasks/checkpoints.hpp"
#include "solver/tasks/task.hpp"

namespace onda {

struct Experiment;
struct Plan;

/// How the workers of a run end where one of them has failed: at once, or with checkpoints of their shots, as the same
/// command may do on another machine, or another day.
enum class Ending { none, at_once, with_checkpoints };

/// What a survey run needs and does not own.
struct SurveyRunParts {
    const Plan& plan;
    ShotMedia& media;
    const ShotFiles& files;
    ShotLedger& ledger;
    PhaseTimes& times;
    Progress& progress;
    const std::atomic<Ending>* ending = nullptr;      ///< set where another worker of the run has failed
    std::int64_t workers = 1;                         ///< of the run, which draw shots from one queue
    Team* team = nullptr;                             ///< the processes that share the grid, led by this one
    const CheckpointSettings* checkpoints = nullptr;  ///< null where none are kept
};

/// Ends a survey run because another worker has failed, which has the reason.
struct GivenUp {};
/// Ends the steps of a survey run because its time is over.
struct TimeIsOver {};

/// Adds the rows of the threads that a survey run has.
void add_thread_memory(Allocations& list, const Experiment& experiment);

/// The part of one process in a survey: it takes shots that nobody has, until none are left.
///
/// Three things of the plan's task go on at the same time: a batch is computed; on another thread the next one is
/// prepared; on a third the one before is finished.
class SurveyRun : private StepControl {
public:
    using Clock = std::chrono::steady_clock;

    explicit SurveyRun(const SurveyRunParts& parts, ShotSelection selection, Clock::time_point end_by);

    /// \returns whether it stopped because the time is over. \throws Error; Interrupted; GivenUp. The queue knows the
    /// shots that are finished then; what the exception ends is lost.
    bool run();

    /// The nodes that were advanced, strips included, added over the shots.
    [[nodiscard]] std::int64_t nodes_computed() const { return task_->nodes_computed(); }
    /// The bytes of the largest wavefield.
    [[nodiscard]] std::int64_t wavefield_bytes() const { return task_->wavefield_bytes(); }

private:
    /// Whether the next batch may be claimed while this one is computed: others that are ready sooner must find shots.
    [[nodiscard]] bool may_claim_ahead() const;
    Batch claim_and_prepare();
    bool time_is_over() const;
    [[nodiscard]] bool ends_with_others() const;
    [[nodiscard]] bool others_gave_up() const;
    [[nodiscard]] bool others_keep() const;
    void finish(Batch& batch) const;

    std::int64_t begin_stretch() override;
    void end_stretch(std::int64_t strides, double seconds) override;
    void tell(std::int64_t step, double time_s, double max_abs) override;
    void begin_at(std::int64_t step) override;
    bool wants_to_end() override;
    bool wants_checkpoint() override;
    void end() override;

    const Plan& plan_;
    SurveyRunParts parts_;
    std::unique_ptr<CheckpointStore> checkpoints_;  ///< null where none are kept
    std::unique_ptr<Task> task_;
    ShotSelection selection_;
    Clock::time_point end_by_;
    Clock::duration to_write_;  ///< a checkpoint
    std::size_t cursor_ = 0;
    std::int64_t computed_ = 0, together_ = 0;  ///< shots before the batch that is computed, and in it
    double longest_batch_s_ = 0.;
    std::int64_t checkpoints_asked_ = checkpoints_asked_for();  ///< checkpoints_asked_for() that have been heard
    std::int64_t pace_ = 1;  ///< strides from one look at signals and other workers to the next
};

}  // namespace onda
