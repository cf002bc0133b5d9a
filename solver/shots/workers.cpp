#include "solver/shots/workers.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/failure.hpp"

namespace onda {
namespace {

/// The plan as one of its workers sees it: its own devices, and its share of the threads where they are the host's.
std::shared_ptr<const Plan> plan_of_worker(const Plan& plan, std::size_t worker) {
    if (plan.placement.workers.size() <= 1) return {std::shared_ptr<const Plan>(), &plan};
    auto own = std::make_shared<Plan>(plan);
    own->placement.workers = {plan.placement.workers[worker]};
    if (plan.placement.device->has_own_memory())
        own->setup.ordinal = plan.placement.workers[worker].front();
    else
        own->setup.threads = std::max(1, plan.setup.threads / static_cast<int>(plan.placement.workers.size()));
    return own;
}

/// The progress of several workers as that of one run, told on the thread that waits for them.
class JoinedProgress {
public:
    JoinedProgress(Progress& progress, std::size_t workers) : progress_(progress) {
        for (std::size_t i = 0; i < workers; ++i) parts_.push_back(std::make_unique<Part>(*this));
    }
    [[nodiscard]] Progress& of(std::size_t worker) { return *parts_[worker]; }

    /// Tells what has changed. \throws what the progress throws.
    void tell() {
        const At at = sum();
        if (at.together == 0) return;
        if (!std::exchange(told_begin_, true)) progress_.begin(at.shots, at.steps);
        progress_.update(at.done, at.together, at.step / at.together, at.time_s, at.max_abs);
    }

private:
    struct At {
        std::int64_t shots = 0, steps = 0;  ///< of the run
        std::int64_t done = 0, together = 0, step = 0;
        double time_s = 0., max_abs = 0.;
    };
    struct Part : Progress {
        explicit Part(JoinedProgress& joined) : all(joined) {}
        void begin(std::int64_t shots, std::int64_t steps) override {
            const std::lock_guard lock(all.mutex_);
            all.shots_ = std::max(all.shots_, shots);  // those that begin late may find shots computed
            all.steps_ = steps;
        }
        void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s,
                    double max_abs) override {
            const std::lock_guard lock(all.mutex_);
            at = {0, 0, done, together, step, time_s, max_abs};
        }
        void clear() override {}
        At at;
        JoinedProgress& all;
    };
    /// Steps are those of all shots that advance together.
    At sum() {
        const std::lock_guard lock(mutex_);
        At sum;
        sum.shots = shots_;
        sum.steps = steps_;
        for (const auto& part : parts_) {
            sum.done += part->at.done;
            sum.together += part->at.together;
            sum.step += part->at.together * part->at.step;
            sum.time_s = std::max(sum.time_s, part->at.time_s);
            sum.max_abs = std::max(sum.max_abs, part->at.max_abs);
        }
        return sum;
    }

    Progress& progress_;
    std::mutex mutex_;
    std::int64_t shots_ = 0, steps_ = 0;
    bool told_begin_ = false;
    std::vector<std::unique_ptr<Part>> parts_;
};

/// The first failure says how all end.
void end_all(std::atomic<Ending>& ending, const std::exception_ptr& failure) {
    Ending none = Ending::none;
    ending.compare_exchange_strong(
        none, is_about_the_machine(describe_failure(failure).code) ? Ending::with_checkpoints : Ending::at_once);
}

/// Waits for all workers. \returns whether one of them ran out of time. \throws what the first of them met that has a
/// reason of its own, or what the progress throws.
bool wait_for_all(std::vector<std::future<bool>>& runs, JoinedProgress& progress, std::atomic<Ending>& ending) {
    bool out_of_time = false;
    std::exception_ptr reason;
    const auto note = [&](const auto& body) {
        try {
            body();
        } catch (const GivenUp&) {
        } catch (...) {
            if (reason) return;
            reason = std::current_exception();
            end_all(ending, reason);
        }
    };
    for (std::future<bool>& run : runs) {
        while (run.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
            if (!reason) note([&] { progress.tell(); });
        note([&] { out_of_time = run.get() || out_of_time; });
    }
    if (!reason) note([&] { progress.tell(); });
    if (reason) std::rethrow_exception(reason);
    return out_of_time;
}

}  // namespace

Workers::Workers(const Plan& plan, const std::shared_ptr<const Model>& model, Team* team)
    : team_(team), on_a_device_(plan.placement.device->has_own_memory() ? workers_on_a_device(plan.placement) : 1) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, plan.placement.workers.size()); ++i) {
        Worker& worker = workers_.emplace_back();
        worker.plan = plan_of_worker(plan, i);
        worker.media = std::make_unique<ShotMedia>(*worker.plan, model, team);
    }
    description_ = workers_.front().media->description();
    if (workers_.size() > 1) description_ += fmt::format(", {} workers", workers_.size());
}

void Workers::account_for(const Worker& worker, const SurveyRun& run) {
    nodes_ += run.nodes_computed();
    const std::int64_t all = on_a_device_ * (worker.media->allocated_bytes() + run.wavefield_bytes());
    const auto bytes = static_cast<std::int64_t>(share_of_fullest_device(worker.plan->setup, worker.plan->placement) *
                                                 static_cast<double>(all));
    for (std::int64_t most = device_bytes_; most < bytes && !device_bytes_.compare_exchange_weak(most, bytes);) {
    }
}

bool Workers::run(const SharedRunParts& shared, const ShotSelection& selection, SurveyRun::Clock::time_point end_by) {
    if (workers_.size() > 1) return run_side_by_side(shared, selection, end_by);
    const Worker& worker = workers_.front();
    SurveyRun run({*worker.plan, *worker.media, shared.files, shared.ledger, shared.times, shared.progress, nullptr,
                   workers_of_run(worker.plan->placement), team_, shared.checkpoints},
                  selection, end_by);
    const bool out_of_time = run.run();
    account_for(worker, run);
    return out_of_time;
}

bool Workers::run_side_by_side(const SharedRunParts& shared, const ShotSelection& selection,
                               SurveyRun::Clock::time_point end_by) {
    // Each worker compares, prepares and writes shots with threads of its own: together as many as one would have.
    const int threads = std::max(1, omp_get_max_threads() / static_cast<int>(workers_.size()));
    JoinedProgress progress(shared.progress, workers_.size());
    std::vector<PhaseTimes> times(workers_.size());
    std::atomic<Ending> ending = Ending::none;
    std::vector<std::future<bool>> runs;
    for (std::size_t i = 0; i < workers_.size(); ++i)
        runs.push_back(std::async(std::launch::async, [&, i] {
            try {
                omp_set_num_threads(threads);
                const Worker& worker = workers_[i];
                SurveyRun run(
                    {*worker.plan, *worker.media, shared.files, shared.ledger, times[i], progress.of(i), &ending,
                     workers_of_run(worker.plan->placement) * std::ssize(workers_), nullptr, shared.checkpoints},
                    selection, end_by);
                const bool out_of_time = run.run();
                account_for(worker, run);
                return out_of_time;
            } catch (...) {
                end_all(ending, std::current_exception());
                throw;
            }
        }));
    const bool out_of_time = wait_for_all(runs, progress, ending);
    for (const PhaseTimes& of_worker : times) shared.times.take_longest(of_worker);
    shared.progress.clear();
    return out_of_time;
}

}  // namespace onda
