#include "solver/tasks/linear_tasks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "io/text/saturating.hpp"
#include "kernels/shot/source_density.hpp"
#include "solver/imaging/adjoint_points.hpp"
#include "solver/imaging/applied_traces.hpp"
#include "solver/imaging/born_run.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/rho_gradient.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/batch_results.hpp"
#include "solver/tasks/batch_watch.hpp"
#include "solver/tasks/model_change.hpp"
#include "solver/tasks/shot_gradients.hpp"

namespace onda {
namespace {

/// What all of them do in the same way.
class LinearTask : public Task {
public:
    explicit LinearTask(const TaskParts& parts) : plan_(parts.plan), parts_(parts) {
        if (!plan_.operand) throw std::invalid_argument("a linear operator that is applied to nothing");
    }

    [[nodiscard]] std::int64_t steps() const override { return plan_.time.steps; }
    void prepare(ShotInProgress& shot) const override { set_up(shot, plan_); }
    void collect(Batch&) override {}
    void finish(Batch& batch) const override {
        for (ShotInProgress& shot : batch) {
            shot.outputs.take_product(shot.product);
            shot.product = {};
            shot.record.files = parts_.files.finish(shot.outputs);
        }
    }
    [[nodiscard]] std::int64_t nodes_computed() const override { return nodes_; }
    [[nodiscard]] std::int64_t wavefield_bytes() const override { return wavefield_bytes_; }

protected:
    /// The rows of a shot of the operand. \throws std::out_of_range.
    [[nodiscard]] const ShotRows& rows_of(const ShotInProgress& shot) const {
        return plan_.operand->shots.at(shot.shot.id);
    }
    /// Makes what steps a batch, unless the one before was for as many shots on the same grid. \param make takes the
    /// medium. \returns whether it was made.
    template <typename Run, typename Make>
    bool provide(Run& run, const Batch& batch, const Make& make) {
        return parts_.times.measure("shot set-up", [&] {
            const Plan& plan = *batch.front().plan;  // shots with parts of their own advance alone
            if (run && shots_ == batch.size() && parts_.media.holds(plan.domain.part)) return false;
            run.reset();
            make(parts_.media.of(plan));
            shots_ = batch.size();
            return true;
        });
    }
    void account(const Batch& batch, std::int64_t fields, std::int64_t bytes) {
        nodes_ += batch.front().plan->setup.grid.points() * std::ssize(batch) * fields;
        wavefield_bytes_ = std::max(wavefield_bytes_, bytes);
    }

    const Plan& plan_;
    TaskParts parts_;

private:
    std::size_t shots_ = 0;
    std::int64_t nodes_ = 0, wavefield_bytes_ = 0;
};

StepHook stability_hook(BatchWatch& watch, const std::function<const Propagator&()>& run) {
    return {"stability watch", [&watch](std::int64_t step) { return watch.next(step); },
            [&watch, run] { watch.look(run()); }};
}

/// What the receivers of a field recorded, [receiver][recorded sample].
std::vector<double> recorded_rows(const Wavefield& field, std::size_t rows, const TimeAxis& time, int slot) {
    std::vector<double> values(rows * static_cast<std::size_t>(time.recorded_samples()));
    field.download_traces(std::span(values), slot);
    return values;
}

/// What the receivers of a shot recorded, times a factor, at the sampling of the seismograms.
ShotRows seismograms_of(const ShotInProgress& shot, const Wavefield& field, int slot, double factor = 1.) {
    const TimeAxis& time = shot.plan->time;
    const std::size_t receivers = shot.shot.receivers.size();
    std::vector<double> recorded = recorded_rows(field, receivers, time, slot);
    for (double& value : recorded) value *= factor;
    TraceList<const double> from(time.recorded_samples());
    from.add(recorded);
    ShotRows rows{from.count(), time.output_samples, {}};
    rows.values.resize(receivers * static_cast<std::size_t>(rows.samples));
    TraceList<double> to(rows.samples);
    to.add(rows.values);
    sample_output(time, from, to);
    return rows;
}

/// Traces of leaps at every step: 0 between their samples.
OwnedTraces at_every_step(OwnedTraces traces, const TimeAxis& time) {
    if (time.stride == 1) return traces;
    for (std::vector<double>& trace : traces) {
        std::vector<double> spread(static_cast<std::size_t>(time.signal_samples()));
        for (std::size_t i = 0; i < trace.size(); ++i) spread[i * static_cast<std::size_t>(time.stride)] = trace[i];
        trace = std::move(spread);
    }
    return traces;
}

/// The adjoint run of traces of a shot.
AdjointPoints adjoint_run(const ShotInProgress& shot, const ShotRows& rows, bool records) {
    const Plan& plan = *shot.plan;
    const std::vector<Position> sources = shot.shot.source_positions(), receivers = shot.shot.receivers.list();
    OwnedTraces traces;
    for (auto from = rows.values.begin(); std::ssize(traces) < rows.rows; from += rows.samples)
        traces.emplace_back(from, from + rows.samples);
    traces = at_every_step(adjoint_of_output_sampling(plan.time, std::move(traces)), plan.time);
    return adjoint_points({sources, receivers}, plan.setup.grid, plan.boundary.halos, std::move(traces), records);
}

// ---- F

class ForwardOperator final : public LinearTask {
public:
    using LinearTask::LinearTask;

    void prepare(ShotInProgress& shot) const override {
        LinearTask::prepare(shot);
        if (!plan_.operand->shots.contains(shot.shot.id)) return;
        const ShotRows& given = rows_of(shot);
        auto from = given.values.begin();
        for (std::vector<double>& signal : shot.points.sources.signal) {
            signal.assign(from, from + given.samples);
            from += given.samples;
        }
    }
    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override;

private:
    std::unique_ptr<Wavefield> field_;
};

void ForwardOperator::compute(Batch& batch, StepControl& control) {
    BatchWatch watch(plan_, batch);
    std::vector<ShotPoints> points = begin_batch(batch, parts_.files);
    provide(field_, batch, [&](Medium& medium) { field_ = medium.make_wavefield(static_cast<int>(batch.size())); });
    Propagator propagator(*field_, std::move(points), plan_.time);
    TimeLoop loop(plan_.time, parts_.times, control);
    loop.add(stability_hook(watch, [&]() -> const Propagator& { return propagator; }));
    loop.run(propagator, watch.largest());
    account(batch, 1, field_->allocated_bytes());
}

/// In single precision the samples are those of a run into files, bit for bit.
void ForwardOperator::collect(Batch& batch) {
    if (plan_.setup.precision == Precision::float64) {
        for (int slot = 0; ShotInProgress & shot : batch) shot.product.rows = seismograms_of(shot, *field_, slot++);
        return;
    }
    std::vector<ShotGather> gathers;
    for (int slot = 0; ShotInProgress & shot : batch)
        gathers.push_back(recorded_gather(shot.shot, plan_.survey, plan_.time, shot.plan->domain, *field_, slot++));
    bring_to_output_sampling(plan_.time, gathers);
    for (std::size_t i = 0; ShotInProgress & shot : batch) {
        const ShotGather& gather = gathers[i++];
        shot.product.rows = {
            std::ssize(gather.receivers_m), gather.samples, {gather.pressure.begin(), gather.pressure.end()}};
    }
}

// ---- F'

/// Leaps are single steps but for rounding, and so is their transpose, which they themselves would give of every second
/// value of a signal.
class AdjointOperator final : public LinearTask {
public:
    explicit AdjointOperator(const TaskParts& parts) : LinearTask(parts), time_(parts.plan.time) { time_.stride = 1; }

    void compute(Batch& batch, StepControl& control) override;

private:
    /// What an adjoint run gives of each source of a shot.
    [[nodiscard]] ShotRows signals_of(const ShotInProgress& shot, const Sources& sources, double scale, int slot,
                                      const AppliedTraces& applied) const;

    TimeAxis time_;  ///< of the adjoint runs
    std::unique_ptr<Wavefield> field_;
};

void AdjointOperator::compute(Batch& batch, StepControl& control) {
    const std::vector<ShotPoints> forward = begin_batch(batch, parts_.files);
    provide(field_, batch, [&](Medium& medium) { field_ = medium.make_wavefield(static_cast<int>(batch.size())); });
    std::vector<ShotPoints> points;
    std::vector<double> scales;
    AppliedTraces applied(field_->fields(), time_.recorded_samples());
    for (const ShotInProgress& shot : batch) {
        AdjointPoints adjoint = adjoint_run(shot, rows_of(shot), true);
        applied.add_shot(adjoint.points.receivers);
        points.push_back(std::move(adjoint.points));
        scales.push_back(adjoint.scale);
    }
    Propagator propagator(*field_, std::move(points), time_);
    propagator.set_hook(applied.hook());
    const double unknown = 0.;
    TimeLoop(time_, parts_.times, control).run(propagator, unknown);
    for (std::size_t slot = 0; slot < batch.size(); ++slot)
        batch[slot].product.rows =
            signals_of(batch[slot], forward[slot].sources, scales[slot], static_cast<int>(slot), applied);
    account(batch, 1, field_->allocated_bytes());
}

ShotRows AdjointOperator::signals_of(const ShotInProgress& shot, const Sources& sources, double scale, int slot,
                                     const AppliedTraces& applied) const {
    const auto count = shot.shot.sources.size();
    const std::int64_t samples = time_.recorded_samples();
    const std::vector<double> recorded = recorded_rows(*field_, count, time_, slot);
    const std::vector<double> densities = source_densities(parts_.media.of(*shot.plan), sources);
    ShotRows signals{std::ssize(shot.shot.sources), samples, {}};
    for (std::size_t i = 0; i < count; ++i) {
        const auto of_source = std::span(recorded).subspan(i * static_cast<std::size_t>(samples));
        const std::vector<double> signal =
            adjoint_signal(of_source.first(static_cast<std::size_t>(samples)), scale, densities[i],
                           shot.plan->setup.grid, applied.trace(static_cast<std::size_t>(slot), i));
        signals.values.insert(signals.values.end(), signal.begin(), signal.end());
    }
    return signals;
}

// ---- J

class BornOperator final : public LinearTask {
public:
    using LinearTask::LinearTask;

    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override;

private:
    std::optional<BornRun> run_;
    double scale_ = 1.;  ///< of what is scattered
};

void BornOperator::compute(Batch& batch, StepControl& control) {
    BatchWatch watch(plan_, batch);
    const std::vector<ShotPoints> points = begin_batch(batch, parts_.files);
    if (provide(run_, batch, [&](Medium& medium) {
            run_.emplace(medium, static_cast<int>(batch.size()), plan_.time, plan_.imaging->sums.density);
        }))
        scale_ = perturb(*run_, plan_, *batch.front().plan, parts_.media);
    const StepHook hook = stability_hook(watch, [&]() -> const Propagator& { return run_->background(); });
    run_->run(points, {parts_.times, control, {hook}, &watch.largest()});
    account(batch, 2, run_->allocated_bytes());
}

void BornOperator::collect(Batch& batch) {
    for (int slot = 0; ShotInProgress & shot : batch)
        shot.product.rows = seismograms_of(shot, run_->scattered_field(), slot++, scale_);
}

// ---- J'

class BornTranspose final : public LinearTask {
public:
    using LinearTask::LinearTask;

    [[nodiscard]] std::int64_t steps() const override { return steps_of_shot(plan_); }
    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override;

private:
    std::optional<GradientRun> run_;
};

void BornTranspose::compute(Batch& batch, StepControl& control) {
    BatchWatch watch(plan_, batch);
    std::vector<ShotPoints> points = begin_batch(batch, parts_.files);
    for (ShotPoints& shot : points) shot.receivers = {};
    provide(run_, batch, [&](Medium& medium) {
        run_.emplace(medium, static_cast<int>(batch.size()), plan_.time, plan_.imaging->history,
                     ImageSums{.density = plan_.imaging->sums.density});
    });
    const StepHook hook = stability_hook(watch, [&]() -> const Propagator& { return run_->forward(); });
    const auto adjoint_of_given = [&](const Wavefield&) {
        std::vector<AdjointPoints> adjoint;
        for (const ShotInProgress& shot : batch)
            adjoint.push_back(adjoint_run(shot, rows_of(shot), plan_.imaging->sums.density));
        return adjoint;
    };
    run_->run(points, adjoint_of_given, {parts_.times, control, {hook}, &watch.largest()});
    account(batch, steps() / plan_.time.steps, run_->allocated_bytes());
}

void BornTranspose::collect(Batch& batch) {
    for (int slot = 0; ShotInProgress & shot : batch) {
        const auto gradients = gradients_of<double>(*run_, slot++, *shot.plan, shot.plan->setup, parts_.media);
        shot.product.part = shot.plan->domain.part;
        shot.product.image = {{gradients.vp.begin(), gradients.vp.end()}, {gradients.rho.begin(), gradients.rho.end()}};
    }
}

// ---- rows

/// With sources at the receivers, too.
ShotSize largest_either_way(const Experiment& experiment, const Computation& computation) {
    ShotSize most = largest_shot(experiment, computation);
    most.source_nodes = most.receiver_nodes = std::max(most.source_nodes, most.receiver_nodes);
    most.sources = most.receivers = std::max(most.sources, most.receivers);
    most.trace_samples = most.signal_samples;
    return most;
}

/// The rows of traces or signals that a batch is given or gives, in double precision: at the steps of the run, and as
/// they come or go.
void add_rows_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    add_shot_memory(list, experiment, computation);
    add_model_memory(list, experiment, computation);
    const ShotSize shot = largest_shot(experiment, computation);
    const std::int64_t rows = saturating_product(shot.receivers + shot.sources, shots_together(computation.placement));
    const std::int64_t recorded = experiment.time.signal_samples() * (computation.setup.keeps_applied ? 2 : 1);
    list.add(host_row("traces and signals of an operator", held::survey,
                      saturating_product(rows, recorded + experiment.time.output_samples), sizeof(double)));
}

/// With values on the nodes: a change of the model, or an image, and what is made of it. A change of the density, too,
/// is that of k, of the density and of the buoyancies along each axis, beside those of the density and velocity and k.
void add_node_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    add_rows_memory(list, experiment, computation);
    const std::int64_t values = (experiment.imaging->sums.density ? 8 + computation.setup.grid.dimensions : 3) +
                                doubles_of_second_image(computation);
    list.add(host_row("changes of the model, or images", held::survey, computation.setup.grid.points(),
                      values * std::int64_t{sizeof(double)}));
}

template <typename Kind>
std::unique_ptr<Task> make(const TaskParts& parts) {
    return std::make_unique<Kind>(parts);
}

}  // namespace

constinit const TaskRow kForwardOperator{
    .name = "forward operator",
    .help = "takes the signals of the sources to seismograms",
    .steps_singly = true,
    .may_leap = true,
    .make = make<ForwardOperator>,
    .largest_shot = largest_shot,
    .add_memory = add_rows_memory,
};

constinit const TaskRow kAdjointOperator{
    .name = "adjoint operator",
    .help = "takes seismograms to signals of the sources, by the transpose of the forward operator",
    .steps_singly = true,
    .may_leap = true,
    .transposes = true,
    .takes_applied = true,
    .make = make<AdjointOperator>,
    .largest_shot = largest_either_way,
    .add_memory = add_rows_memory,
};

constinit const TaskRow kBornOperator{
    .name = "Born operator",
    .help = "takes a change of the model to that of the seismograms, to first order",
    .steps_singly = true,
    .takes_applied = true,
    .scatters = true,
    .make = make<BornOperator>,
    .largest_shot = largest_shot,
    .add_memory = add_node_memory,
};

constinit const TaskRow kBornTranspose{
    .name = "transpose of the Born operator",
    .help = "takes seismograms to values on the nodes, by the transpose of the Born operator",
    .steps_singly = true,
    .takes_applied = true,
    .computes_gradients = true,
    .make = make<BornTranspose>,
    .largest_shot = largest_either_way,
    .add_memory = add_node_memory,
};

}  // namespace onda
