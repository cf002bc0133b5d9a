#include "solver/shots/survey_run.hpp"

#include <algorithm>
#include <future>
#include <omp.h>
#include <optional>
#include <utility>
#include <vector>

#include "io/files/interruption.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/propagation/stability_watch.hpp"

namespace onda {

void add_thread_memory(Allocations& list, const Experiment& experiment) {
    // Threads that set shots up and finish them while others are stepped.
    if (experiment.survey.shots.size() > 1) list.add(host_row("threads: of the survey", held::whole_run, 1'200'000, 1));
}

namespace {

/// At a cautious rate.
SurveyRun::Clock::duration time_to_write(std::int64_t bytes) {
    constexpr double bytes_s = 3e8;
    return std::chrono::duration_cast<SurveyRun::Clock::duration>(
        std::chrono::duration<double>(1. + static_cast<double>(bytes) / bytes_s));
}

}  // namespace

SurveyRun::SurveyRun(const SurveyRunParts& parts, ShotSelection selection, Clock::time_point end_by)
    : plan_(parts.plan),
      parts_(parts),
      checkpoints_(parts.checkpoints != nullptr ? std::make_unique<CheckpointStore>(*parts.checkpoints) : nullptr),
      task_(plan_.task->make({plan_, parts.media, parts.files, parts.times, parts.team, checkpoints_.get()})),
      selection_(std::move(selection)),
      end_by_(end_by),
      to_write_(checkpoints_ ? time_to_write(bytes_of_checkpoints(plan_.experiment(), plan_.computation()))
                             : Clock::duration::zero()) {
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < plan_.survey.shots.size(); ++i)
        missing += selection_.contains(plan_.survey.shots.id(i)) && !parts_.ledger.is_finished(i);
    parts_.progress.begin(missing, task_->steps());
}

bool SurveyRun::run() {
    const auto prepare = [this] {
        const bool ahead = plan_.survey.shots.size() > 1 && may_claim_ahead();
        return std::async(ahead ? std::launch::async : std::launch::deferred,
                          [this, threads = omp_get_max_threads()] {  // of this worker, which no new thread knows
                              omp_set_num_threads(threads);
                              return claim_and_prepare();
                          });
    };
    std::future<void> finishing;  // waits when it goes: what is computed is kept
    Batch batch = parts_.times.measure("shot set-up", [&] { return claim_and_prepare(); });
    while (!batch.empty() && !time_is_over()) {
        std::future<Batch> next = prepare();
        const Clock::time_point start = Clock::now();
        together_ = std::ssize(batch);
        try {
            task_->compute(batch, *this);
        } catch (const TimeIsOver&) {
            break;
        }
        // The last batch gives its gathers up before this one takes as much memory for its own.
        parts_.times.measure("outputs", [&] {
            if (finishing.valid()) finishing.get();
            task_->collect(batch);
        });
        longest_batch_s_ = std::max(longest_batch_s_, std::chrono::duration<double>(Clock::now() - start).count());
        computed_ += together_;
        Batch following = parts_.times.measure("shot set-up", [&] { return next.get(); });
        if (following.empty()) {
            parts_.times.measure("outputs", [&] { finish(batch); });
        } else {
            // On the CPU the steps of the next batch have the other threads.
            const int threads = plan_.placement.device->has_own_memory() ? omp_get_max_threads() : 1;
            finishing = std::async(std::launch::async, [this, threads, done = std::move(batch)]() mutable {
                omp_set_num_threads(threads);
                finish(done);
            });
        }
        batch = std::move(following);
    }
    if (finishing.valid()) parts_.times.measure("outputs", [&] { finishing.get(); });
    parts_.progress.clear();
    return !batch.empty();
}

bool SurveyRun::may_claim_ahead() const {
    if (parts_.workers == 1) return true;
    const auto left = static_cast<std::int64_t>(plan_.survey.shots.size() - cursor_);
    return left > (parts_.workers - 1) * plan_.placement.batch;
}

/// Once nothing is left that nobody had, looks from the beginning for what others gave up.
Batch SurveyRun::claim_and_prepare() {
    Batch batch;
    const Shots& shots = plan_.survey.shots;
    std::int64_t begin = 0;  // shots advance together from one step
    const auto claim_up_to_end = [&] {
        for (; cursor_ < shots.size() && std::ssize(batch) < plan_.placement.batch; ++cursor_) {
            if (!selection_.contains(shots.id(cursor_))) continue;
            const std::int64_t step = checkpoints_ ? checkpoints_->step_of(shots.id(cursor_)) : 0;
            if (!batch.empty() && step != begin && !parts_.ledger.is_finished(cursor_)) return;
            if (!parts_.ledger.claim(cursor_)) continue;
            if (batch.empty()) begin = step;
            batch.emplace_back().index = cursor_;
        }
    };
    claim_up_to_end();
    if (batch.empty()) {
        cursor_ = 0;
        claim_up_to_end();
    }
    for (ShotInProgress& shot : batch) task_->prepare(shot);
    return batch;
}

/// Whether the time is over, or would be before the next batch is done. Long ones may be kept half done, once that of
/// which nothing is kept is.
bool SurveyRun::time_is_over() const {
    constexpr double long_s = 60.;
    const double not_kept = static_cast<double>(task_->steps_not_kept()) / static_cast<double>(task_->steps());
    const double needed_s = longest_batch_s_ * (checkpoints_ && longest_batch_s_ > long_s ? not_kept : 1.);
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(needed_s)) >
           end_by_;
}

std::int64_t SurveyRun::begin_stretch() {
    throw_if_interrupted();
    if (others_gave_up() && !(checkpoints_ && others_keep())) throw GivenUp{};  // or once the shots are kept
    return pace_;
}

/// Sets the number of steps of a stretch to about a fifth of a second: often enough for the progress line and for a
/// signal.
void SurveyRun::end_stretch(std::int64_t strides, double seconds) {
    constexpr double aim_s = 0.2;
    pace_ = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(aim_s / std::max(seconds, 1e-6) * static_cast<double>(strides)), 1,
        StabilityWatch::kInterval);
}

void SurveyRun::tell(std::int64_t step, double time_s, double max_abs) {
    parts_.progress.update(computed_, together_, step, time_s, max_abs);
}

void SurveyRun::begin_at(std::int64_t step) {
    parts_.progress.go_on(together_ * step);
}

/// A worker beside this one has failed.
bool SurveyRun::others_gave_up() const {
    return parts_.ending != nullptr && *parts_.ending != Ending::none;
}

bool SurveyRun::others_keep() const {
    return parts_.ending != nullptr && *parts_.ending == Ending::with_checkpoints;
}

bool SurveyRun::ends_with_others() const {
    return checkpoints_ && checkpoints_->settings().ends_with_others;
}

bool SurveyRun::wants_to_end() {
    return asks_to_end(noticed_signal()) || others_keep() || Clock::now() + to_write_ > end_by_;
}

bool SurveyRun::wants_checkpoint() {
    const std::int64_t asked = checkpoints_asked_for();
    return std::exchange(checkpoints_asked_, asked) != asked;
}

/// Also while the shots before are being finished, which signals do not hinder.
void SurveyRun::end() {
    if (const int signal = noticed_signal(); signal != 0 && !ends_with_others()) throw Interrupted{signal};
    if (others_gave_up()) throw GivenUp{};
    throw TimeIsOver{};
}

/// What the shots of a batch leave is where it stays when this returns.
void SurveyRun::finish(Batch& batch) const {
    std::optional<UnheardSignals> until_all_is_kept;
    if (checkpoints_) until_all_is_kept.emplace();
    task_->finish(batch);
    std::vector<std::pair<std::size_t, ShotRecord>> finished;
    for (ShotInProgress& shot : batch) finished.emplace_back(shot.index, std::move(shot.record));
    parts_.ledger.finish(finished);
    if (!checkpoints_) return;
    for (const ShotInProgress& shot : batch) checkpoints_->remove(shot.shot.id);
}

}  // namespace onda
