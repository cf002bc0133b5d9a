#include "solver/shots/survey_run.hpp"

#include <algorithm>
#include <cmath>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

/// Lets errors say which shot they are about, where there are several.
template <typename Work>
auto of_shot(const Plan& plan, const Shot& shot, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        if (plan.survey.shots.size() == 1) throw;
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
    const double bound = amplitude_bound(sources, plan.grid, plan.time, plan.velocity.min_m_s, plan.velocity.max_m_s) *
                         std::sqrt(plan.density_contrast());
    return {plan.computed, plan.time, plan.setup.precision, bound, plan.density_contrast()};
}

/// Whether a source may have nodes in the strips at the cuts of an aperture. Those at the faces of the grid are counted
/// with the survey.
bool may_reach_cuts(const Plan& plan) {
    if (!plan.aperture) return false;
    double widest_m = plan.grid.spacing_m[0];
    if (plan.grid.dimensions == 3) widest_m = std::max(widest_m, plan.grid.spacing_m[1]);
    return plan.aperture->limit_m() < kPointRadius * widest_m;
}

}  // namespace

ShotSize largest_shot(const Plan& plan) {
    const SurveySize& size = plan.survey.size;
    ShotSize most;
    most.source_nodes = size.most_source_nodes;
    most.receiver_nodes = size.most_receiver_nodes;
    most.sources = may_reach_cuts(plan) ? size.most_source_nodes : size.most_source_rows;
    most.receivers = size.most_receivers;
    most.signal_samples = plan.time.steps + 1;
    most.trace_samples = plan.time.recorded_samples();
    most.download_points = downloaded_points(plan);
    return most;
}

std::int64_t bytes_of_points(const ShotSize& shot) {
    constexpr std::int64_t entry = sizeof(std::int64_t) + sizeof(double), row = sizeof(std::int64_t);
    return saturating_sum(saturating_product(saturating_sum(shot.receiver_nodes, shot.source_nodes), entry),
                          saturating_product(saturating_sum(shot.receivers, shot.sources), row),
                          saturating_product(shot.sources, shot.signal_samples, std::int64_t{sizeof(double)}));
}

void add_shot_memory(Allocations& list, const Plan& plan) {
    // Of one batch until the wavefield has them, and of the next while it is computed.
    const std::int64_t points = bytes_of_points(largest_shot(plan)), batch = shots_together(plan);
    list.add(host_row("shots that are set up", held::set_up, points, 1, batch));
    list.add(host_row("sources and receivers", held::survey, points, 1, is_pipelined(plan) ? batch : 0));
    // Those that set shots up and finish them beside the steps of others.
    if (plan.survey.shots.size() > 1) list.add(host_row("threads: of the survey", held::whole_run, 1'200'000, 1));
}

int finishing_threads(std::int64_t shots) {
    constexpr std::int64_t most = 8;
    return static_cast<int>(std::min({shots, most, std::int64_t{omp_get_max_threads()}}));
}

SurveyRun::SurveyRun(const SurveyRunParts& parts, ShotSelection selection, Clock::time_point end_by)
    : plan_(parts.plan), parts_(parts), selection_(std::move(selection)), end_by_(end_by) {
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < plan_.survey.shots.size(); ++i)
        missing += selection_.contains(plan_.survey.shots.id(i)) && !parts_.ledger.is_finished(i);
    parts_.progress.begin(missing, plan_.time.steps);
}

bool SurveyRun::run() {
    const auto prepare = [this] {
        const bool ahead = plan_.survey.shots.size() > 1 && may_claim_ahead();
        return std::async(ahead ? std::launch::async : std::launch::deferred, [this] { return claim_and_prepare(); });
    };
    std::future<void> finishing;  // waits when it goes: what is computed is kept
    Batch batch = parts_.times.measure("shot set-up", [&] { return claim_and_prepare(); });
    while (!batch.empty() && !time_is_over()) {
        std::future<Batch> next = prepare();
        const Clock::time_point start = Clock::now();
        compute(batch);
        // The last batch gives its gathers up before this one takes as much memory for its own.
        parts_.times.measure("outputs", [&] {
            if (finishing.valid()) finishing.get();
            collect(batch);
        });
        longest_batch_s_ = std::max(longest_batch_s_, std::chrono::duration<double>(Clock::now() - start).count());
        computed_ += std::ssize(batch);
        Batch following = parts_.times.measure("shot set-up", [&] { return next.get(); });
        if (following.empty()) {
            parts_.times.measure("outputs", [&] { finish(batch); });
        } else {
            // On the CPU the steps of the next batch have the other threads.
            const bool alone = plan_.device->has_own_memory();
            finishing = std::async(std::launch::async, [this, alone, done = std::move(batch)]() mutable {
                if (!alone) omp_set_num_threads(1);
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
    return left > (parts_.workers - 1) * plan_.batch;
}

/// Once nothing is left that nobody had, looks from the beginning for what others gave up.
Batch SurveyRun::claim_and_prepare() {
    Batch batch;
    const Shots& shots = plan_.survey.shots;
    const auto claim_up_to_end = [&] {
        for (; cursor_ < shots.size() && std::ssize(batch) < plan_.batch; ++cursor_)
            if (selection_.contains(shots.id(cursor_)) && parts_.ledger.claim(cursor_))
                batch.emplace_back().index = cursor_;
    };
    claim_up_to_end();
    if (batch.empty()) {
        cursor_ = 0;
        claim_up_to_end();
    }
    for (ShotInProgress& shot : batch) {
        shot.shot = shots[shot.index];
        shot.plan = plan_of(shot.index);
        const Grid& grid = shot.plan->setup.grid;
        const FaceHalos& halos = shot.plan->boundary.halos;
        shot.points.sources = make_sources(shot.shot, plan_.survey, grid, halos, plan_.time);
        shot.points.receivers = point_weights(shot.shot.receivers.list(), grid, halos, PointKind::receiver);
    }
    return batch;
}

std::shared_ptr<const Plan> SurveyRun::plan_of(std::size_t index) const {
    if (plan_.aperture) return std::make_shared<const Plan>(plan_of_shot(plan_, index));
    return {std::shared_ptr<const Plan>(), &plan_};
}

/// Also where the next batch would not be done in time.
bool SurveyRun::time_is_over() const {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(longest_batch_s_)) >
           end_by_;
}

void SurveyRun::compute(Batch& batch) {
    const int shots = static_cast<int>(batch.size());
    const Plan& plan = *batch.front().plan;  // shots with parts of their own advance alone
    std::vector<ShotPoints> points;
    std::vector<StabilityWatch> watches;
    for (ShotInProgress& shot : batch) {
        watches.push_back(watch_over(plan, shot.points.sources));
        points.push_back(std::move(shot.points));
        shot.parts = snapshot_parts(plan);
        shot.outputs = parts_.files.begin(shot.shot, shot.index, shot.parts);
        shot.record.shot = shot.shot.id;
    }
    Propagator propagator = parts_.times.measure("shot set-up", [&] {
        if (!wavefield_ || wavefield_->shots() != shots || !parts_.media.holds(plan)) {
            wavefield_.reset();
            wavefield_ = parts_.media.of(plan).make_wavefield(shots);
        }
        return Propagator(*wavefield_, points, plan_.time);
    });
    points.clear();
    propagate(propagator, batch, watches);
    nodes_ += plan.setup.grid.points() * shots;
    wavefield_bytes_ = std::max(wavefield_bytes_, wavefield_->allocated_bytes());
}

/// Takes from the wavefield what is left of the shots: it is free for the next ones.
void SurveyRun::collect(Batch& batch) {
    for (int slot = 0; ShotInProgress & shot : batch) {
        const Plan& plan = *shot.plan;
        shot.record.wavefield = fingerprint_wavefield(*wavefield_, plan.computed.inner(), slot);
        if (!shot.shot.receivers.empty()) {
            shot.gather = recorded_gather(plan, shot.shot, *wavefield_, slot);
            observe(shot.record, shot.gather.pressure);
        }
        ++slot;
    }
}

void SurveyRun::propagate(Propagator& propagator, Batch& batch, const std::vector<StabilityWatch>& watches) {
    const std::int64_t steps = plan_.time.steps;
    std::optional<BatchSnapshots> snapshots;
    if (!plan_.snapshots.steps.empty())
        parts_.times.measure("outputs", [&] { snapshots.emplace(plan_, batch, parts_.team); });
    std::int64_t next_check = StabilityWatch::kInterval, next = next_output(-1, batch);
    double largest = 0.;
    const auto take = [&] {
        if (propagator.step() != next) return;
        parts_.times.measure("outputs", [&] { take_what_is_due(propagator, batch, snapshots); });
        next = next_output(next, batch);
    };
    take();
    while (propagator.step() < steps) {
        throw_if_interrupted();
        if (parts_.given_up != nullptr && *parts_.given_up) throw GivenUp{};
        const std::int64_t now = propagator.step();
        const std::int64_t stride = plan_.time.stride;
        const std::int64_t stop = std::min({steps, next_check, next, now + pace_steps_ * stride});
        parts_.times.measure("time steps", [&] {
            const Clock::time_point start = Clock::now();
            propagator.advance(stop - now);
            // So many steps take about a fifth of a second: often enough for the progress line and for a signal.
            const double s = std::max(std::chrono::duration<double>(Clock::now() - start).count(), 1e-6);
            pace_steps_ = std::clamp<std::int64_t>(
                static_cast<std::int64_t>(0.2 / s * static_cast<double>((stop - now) / stride)), 1,
                StabilityWatch::kInterval);
        });
        if (stop == next_check || stop == steps || plan_.snapshots.steps.contains(stop))
            largest = parts_.times.measure("stability watch", [&] { return watch(propagator, batch, watches); });
        if (stop == next_check) next_check += StabilityWatch::kInterval;
        take();
        parts_.progress.update(computed_, std::ssize(batch), stop, propagator.time_s(), largest);
    }
    if (snapshots) parts_.times.measure("outputs", [&] { snapshots->finish(); });
}

double SurveyRun::watch(const Propagator& propagator, Batch& batch, const std::vector<StabilityWatch>& watches) const {
    double largest = 0.;
    const std::vector<Extremum> all_seen = propagator.wavefield().extrema();
    for (int slot = 0; ShotInProgress & shot : batch) {
        const auto which = static_cast<std::size_t>(slot);
        const Extremum& seen = all_seen[which];
        of_shot(plan_, shot.shot, [&] { watches[which].check(seen, propagator); });
        double& observed = shot.record.largest_observed_pressure;
        observed = with_rounding(largest_pressure(propagator.wavefield(), shot.plan->computed, seen, observed, slot++));
        largest = std::max(largest, seen.max_abs);
    }
    return largest;
}

std::int64_t SurveyRun::next_output(std::int64_t step, const Batch& batch) const {
    std::int64_t next = plan_.snapshots.steps.after(step).value_or(plan_.time.steps + 1);
    for (const ShotInProgress& shot : batch) next = std::min(next, shot.outputs.next_step(step).value_or(next));
    return next;
}

void SurveyRun::take_what_is_due(Propagator& propagator, Batch& batch, std::optional<BatchSnapshots>& snapshots) {
    if (snapshots && plan_.snapshots.steps.contains(propagator.step())) snapshots->take(propagator);
    for (int slot = 0; ShotInProgress & shot : batch) shot.outputs.take_wavefield(propagator, slot++);
}

/// Everything of a batch that needs no wavefield: what its shots leave is where it stays when this returns.
void SurveyRun::finish(Batch& batch) const {
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
    std::vector<std::pair<std::size_t, ShotRecord>> finished;
    for (ShotInProgress& shot : batch) finished.emplace_back(shot.index, std::move(shot.record));
    parts_.ledger.finish(finished);
}

void SurveyRun::finish(ShotInProgress& shot) const {
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

}  // namespace onda
