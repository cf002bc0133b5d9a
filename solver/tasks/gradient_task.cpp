#include "solver/tasks/gradient_task.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "io/text/saturating.hpp"
#include "solver/data/observed_data.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/batch_results.hpp"
#include "solver/tasks/batch_watch.hpp"
#include "solver/tasks/shot_gradients.hpp"

namespace onda {
namespace {

/// What the receivers of a shot recorded, as it is written, with all digits that the run has.
class SyntheticTraces {
public:
    /// \param shot whose gather holds them in single precision, and lives as long as this.
    SyntheticTraces(const ShotInProgress& shot, const TimeAxis& time, const Wavefield& forward, int slot) {
        const std::vector<float>& pressure = shot.gather.pressure;
        const std::int64_t receivers = std::ssize(shot.gather.receivers_m);
        if (forward.problem().precision == Precision::float64) {
            std::vector<double> recorded(pressure.size());
            forward.download_traces(std::span(recorded), slot);
            own(sampled_output(time, TraceList<const double>(recorded, receivers)), time);
        } else if (TraceList<const float> recorded(pressure, receivers); copies_samples(time)) {
            recorded.samples = time.output_samples;
            traces_ = std::move(recorded);
        } else {
            own(sampled_output(time, recorded), time);
        }
    }
    [[nodiscard]] const TraceValues& traces() const { return traces_; }

private:
    void own(OwnedTraces traces, const TimeAxis& time) {
        owned_ = std::move(traces);
        traces_ = TraceList<const double>(std::as_const(owned_), time.output_samples);
    }

    OwnedTraces owned_;  ///< empty where they are those of the gather
    TraceValues traces_;
};

std::future<std::vector<float>> there(std::vector<float> traces) {
    std::promise<std::vector<float>> read;
    read.set_value(std::move(traces));
    return read.get_future();
}

/// Ends a run whose observed seismograms are known to have a fault before it has made the forward field.
void throw_if_unreadable(std::future<std::vector<float>>& observed) {
    if (!observed.valid() || observed.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    observed = there(observed.get());
}

/// What is migrated is what was recorded; the derivative of a misfit has the opposite sign.
void negate(OwnedTraces& traces) {
    for (std::vector<double>& trace : traces)
        for (double& value : trace) value = -value;
}

/// Whether observed seismograms are compared with those of the model.
bool subtracts_synthetic(const ImagingPlan& imaging) {
    return imaging.condition == nullptr || imaging.misfit.config.image.direct_wave == "subtract";
}

/// How seismograms are compared: what is migrated alone has been filtered as it was read.
MisfitSettings compared_settings(const ImagingPlan& imaging) {
    MisfitSettings settings = imaging.misfit;
    if (!subtracts_synthetic(imaging)) settings.config.band_pass.reset();
    return settings;
}

/// Gradients, or images by a condition.
class GradientTask : public Task {
public:
    explicit GradientTask(const TaskParts& parts)
        : plan_(parts.plan),
          parts_(parts),
          imaging_(plan_.imaging.value()),
          subtracts_(subtracts_synthetic(imaging_)),
          compared_(compared_settings(imaging_)),
          observed_(imaging_.misfit.config, plan_.survey.shots, observed_sampling(plan_.domain.grid, plan_.time),
                    subtracts_ ? ObservedUse::compared : ObservedUse::imaged) {}

    [[nodiscard]] std::int64_t steps() const override { return steps_of_shot(plan_); }
    void prepare(ShotInProgress& shot) const override {
        set_up(shot, plan_);
        // Those of the first batch are read while it steps; the others are prepared beside the steps of one as it is.
        if (prepared_++ >= plan_.placement.batch)
            shot.observed = there(observed_.traces(shot.shot));
        else
            shot.observed = std::async(std::launch::async, [this, of = shot.shot] {
                const std::lock_guard lock(reading_);  // one after the other: the others would only wait for the file
                return observed_.traces(of);
            });
    }
    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override;
    void finish(Batch& batch) const override {
        finish_batch(plan_.time, parts_.files, batch, [](ShotInProgress& shot) {
            shot.outputs.take_images(shot.images);
            shot.images = {};
        });
    }
    [[nodiscard]] std::int64_t nodes_computed() const override { return nodes_; }
    [[nodiscard]] std::int64_t wavefield_bytes() const override { return wavefield_bytes_; }

private:
    /// What the shots' receivers have recorded, compared with what was observed, and the runs that follow from it.
    std::vector<AdjointPoints> compare(Batch& batch, const Wavefield& forward) const;
    AdjointPoints compare(ShotInProgress& shot, const Wavefield& forward, int slot) const;
    void collect_images(ShotInProgress& shot, int slot) const;

    const Plan& plan_;
    TaskParts parts_;
    const ImagingPlan& imaging_;
    bool subtracts_;
    MisfitSettings compared_;
    ObservedData observed_;
    mutable std::mutex reading_;
    mutable std::atomic<std::int64_t> prepared_ = 0;
    std::optional<GradientRun> run_;
    std::int64_t nodes_ = 0, wavefield_bytes_ = 0;
};

void GradientTask::compute(Batch& batch, StepControl& control) {
    const int shots = static_cast<int>(batch.size());
    const Plan& plan = *batch.front().plan;  // shots with parts of their own advance alone
    BatchWatch watch(plan_, batch);
    const std::vector<ShotPoints> points = begin_batch(batch, parts_.files);
    parts_.times.measure("shot set-up", [&] {
        if (run_ && run_->shots() == shots && parts_.media.holds(plan.domain.part)) return;
        run_.reset();
        run_.emplace(parts_.media.of(plan), shots, plan_.time, imaging_.history, imaging_.sums);
    });
    const StepHook hook{"stability watch", [&](std::int64_t step) { return watch.next(step); },
                        [&] {
                            watch.look(run_->forward());
                            for (ShotInProgress& shot : batch) throw_if_unreadable(shot.observed);
                        }};
    run_->run(points, [&](const Wavefield& forward) { return compare(batch, forward); },
              {parts_.times, control, {hook}, &watch.largest()});
    nodes_ += plan.setup.grid.points() * shots * (steps() / plan_.time.steps);
    wavefield_bytes_ = std::max(wavefield_bytes_, run_->allocated_bytes());
}

std::vector<AdjointPoints> GradientTask::compare(Batch& batch, const Wavefield& forward) const {
    return parts_.times.measure("misfit", [&] {
        collect_recorded(batch, forward);
        std::vector<AdjointPoints> adjoint;
        for (int slot = 0; ShotInProgress & shot : batch) adjoint.push_back(compare(shot, forward, slot++));
        return adjoint;
    });
}

AdjointPoints GradientTask::compare(ShotInProgress& shot, const Wavefield& forward, int slot) const {
    const Plan& plan = *shot.plan;
    const std::vector<Position> receivers = shot.shot.receivers.list();
    const std::vector<Position> sources = shot.shot.source_positions();
    const std::int64_t samples = plan_.time.output_samples;
    const std::vector<float> observed = shot.observed.get();
    const SyntheticTraces synthetic(shot, plan_.time, forward, slot);
    const ShotGeometry geometry{
        .source_m = sources.front(),
        .receivers_m = receivers,
        .samples = samples,
        .dt_s = plan_.time.output_dt_s,
        .room = plan_.time.recorded_samples(),
    };
    const std::vector<float> nothing(subtracts_ ? 0 : observed.size());
    MisfitOfShot misfit = evaluate_misfit(
        compared_, geometry, subtracts_ ? synthetic.traces() : TraceList<const float>(nothing, std::ssize(receivers)),
        TraceList<const float>(observed, std::ssize(receivers)));
    if (imaging_.condition != nullptr) negate(misfit.adjoint_source);
    shot.images.shot = shot.shot.id;
    shot.images.part = plan.domain.part;
    shot.images.misfit = misfit.value;
    shot.images.misfit_of_trace = std::move(misfit.of_trace);
    shot.images.dead = misfit.dead;
    shot.images.excluded = misfit.excluded;
    shot.images.dt_s = plan_.time.output_dt_s;
    if (imaging_.adjoint_sources)
        for (const std::vector<double>& trace : misfit.adjoint_source)
            shot.images.adjoint_source.insert(shot.images.adjoint_source.end(), trace.begin(), trace.end());
    return adjoint_points({sources, receivers}, plan.setup.grid, plan.boundary.halos,
                          adjoint_of_output_sampling(plan_.time, std::move(misfit.adjoint_source)),
                          imaging_.sums.density);
}

void GradientTask::collect(Batch& batch) {
    for (int slot = 0; ShotInProgress & shot : batch) {
        const ComputedGrid& computed = shot.plan->domain.computed;
        collect_images(shot, slot);
        if (imaging_.sums.illuminates) {
            const auto energy = [&](LevelSum of) {
                return values_in<float>(computed.inner(), planes_of(*run_, of, slot), computed.grid());
            };
            shot.images.illumination_source = energy(LevelSum::forward_squares);
            shot.images.illumination_receiver = energy(LevelSum::adjoint_squares);
        }
        ++slot;
    }
}

void GradientTask::collect_images(ShotInProgress& shot, int slot) const {
    const Plan& plan = *shot.plan;
    if (imaging_.condition == nullptr) {
        auto gradients = gradients_of<float>(*run_, slot, plan, plan.setup, parts_.media);
        shot.images.gradient_vp = std::move(gradients.vp);
        shot.images.gradient_rho = std::move(gradients.rho);
        return;
    }
    const ComputedGrid& computed = plan.domain.computed;
    const MediumReaders readers = medium_readers(parts_.media.model(), computed, plan.domain.part);
    const ImagePlanes image = imaging_.condition->make({*run_, slot, plan.setup, readers, plan.time.dt_s});
    shot.images.image = values_in<float>(computed.inner(), image, computed.grid());
}

/// In double, of one shot: a few planes at a time; of density the whole image, its gradient, densities and the fluxes
/// of each axis.
void add_image_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    const std::int64_t applied = computation.setup.keeps_applied ? 1 : 0, points = computation.setup.grid.points();
    list.add(host_row("planes of images being made to gradients", held::survey,
                      nodes_of_planes_together(experiment.domain.computed, experiment.domain.grid),
                      (1 + applied) * std::int64_t{sizeof(double)}));
    if (applied > 0) list.add(host_row("gains of absorbing strips", held::survey, points, sizeof(double)));
    if (experiment.imaging->sums.density)
        list.add(host_row("images being made to gradients of density", held::survey, points,
                          (computation.setup.grid.dimensions + 3) * std::int64_t{sizeof(double)}));
}

void add_gradient_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    add_shot_memory(list, experiment, computation);
    add_model_memory(list, experiment, computation);
    add_gather_memory(list, experiment, computation);
    if (!leads_grid(computation.placement)) {  // data, residuals and gradients are with the process that leads
        const std::int64_t plane = computation.setup.grid.nx() * computation.setup.grid.ny();
        list.add(host_row("images on their way", held::survey,
                          plane * joined(computation.placement, own_slabs(computation.placement)).planes,
                          sizeof(double)));
        return;
    }
    const std::int64_t shots = shots_together(computation.placement);
    const bool density = experiment.imaging->sums.density;
    list.add(
        host_row("gradients", held::survey, experiment.domain.grid.points(), (density ? 2 : 1) * sizeof(float), shots));
    list.add(host_row("observed seismograms", held::survey,
                      bytes_of_gathers(experiment.survey, experiment.time, computation.placement), 1, 2));
    add_image_memory(list, experiment, computation);
    if (density)
        list.add(host_row("pressure at sources", held::resampling,
                          saturating_product(experiment.survey.size.most_sources, experiment.time.recorded_samples()),
                          sizeof(double)));
    const std::int64_t traces = saturating_product(experiment.survey.size.most_receivers, shots);
    list.add(host_row("residuals", held::resampling,
                      saturating_product(traces, experiment.time.recorded_samples() + experiment.time.output_samples),
                      2 * sizeof(double)));
}

std::unique_ptr<Task> make_gradient_task(const TaskParts& parts) {
    return std::make_unique<GradientTask>(parts);
}

}  // namespace

constinit const TaskRow kGradientTask{
    .name = "gradient",
    .help =
        "compares seismograms with observed ones, and computes how the misfit changes with the velocity of each node",
    .steps_singly = true,
    .takes_applied = true,
    .computes_gradients = true,
    .compares_data = true,
    .make = make_gradient_task,
    .largest_shot = largest_shot,
    .add_memory = add_gradient_memory,
};

constinit const TaskRow kMigrationTask{
    .name = "rtm",
    .help = "images the subsurface by reverse-time migration of observed seismograms",
    .steps_singly = true,
    .takes_applied = true,
    .computes_gradients = true,
    .compares_data = true,
    .makes_images = true,
    .make = make_gradient_task,
    .largest_shot = largest_shot,
    .add_memory = add_gradient_memory,
};

}  // namespace onda
