#include "solver/tasks/comparing_task.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "io/text/saturating.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/batch_results.hpp"
#include "solver/tasks/kept_adjoint.hpp"
#include "solver/tasks/shot_gradients.hpp"

namespace onda {
namespace {

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

/// In double, of one shot: a few planes at a time; of density the whole image, its gradient, densities and the fluxes
/// of each axis, of Q the whole image, its gradient and the image of each memory field.
void add_image_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    const std::int64_t applied = computation.setup.keeps_applied ? 1 : 0, points = computation.setup.grid.points();
    list.add(host_row("planes of images being made to gradients", held::survey,
                      nodes_of_planes_together(experiment.domain.computed, experiment.domain.grid),
                      (1 + applied) * std::int64_t{sizeof(double)}));
    if (applied > 0) list.add(host_row("gains of absorbing zones", held::survey, points, sizeof(double)));
    if (experiment.imaging->sums.density)
        list.add(host_row("images being made to gradients of density", held::survey, points,
                          (computation.setup.grid.dimensions + 3) * std::int64_t{sizeof(double)}));
    if (experiment.imaging->sums.anisotropy)
        list.add(host_row("images being made to gradients of epsilon and delta", held::survey, points,
                          3 * std::int64_t{sizeof(double)}));
    if (experiment.imaging->of_q)
        list.add(host_row(
            "images being made to gradients of Q", held::survey, points,
            static_cast<std::int64_t>((strengths_of(*computation.setup.scheme.equation) + 2) * sizeof(double))));
}

}  // namespace

bool subtracts_synthetic(const ImagingPlan& imaging) {
    const bool may_keep = imaging.condition != nullptr || imaging.fits_linearly;
    return !may_keep || imaging.misfit.config.image.direct_wave == "subtract";
}

bool images_observed_alone(const ImagingPlan& imaging) {
    return imaging.condition != nullptr && !subtracts_synthetic(imaging);
}

ComparingTask::ComparingTask(const TaskParts& parts)
    : plan_(parts.plan),
      parts_(parts),
      imaging_(plan_.imaging.value()),
      observed_(imaging_.misfit.config, plan_.survey.shots, observed_sampling(plan_.domain.grid, plan_.time),
                images_observed_alone(imaging_) ? ObservedUse::imaged : ObservedUse::compared, plan_.survey.encoding) {}

std::int64_t ComparingTask::steps() const {
    return steps_of_shot(plan_);
}

void ComparingTask::prepare(ShotInProgress& shot) const {
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

void ComparingTask::compute(Batch& batch, StepControl& control) {
    const Plan& plan = *batch.front().plan;  // shots with parts of their own advance alone
    BatchWatch watch(plan_, batch);
    const std::vector<ShotPoints> points = begin_batch(batch, parts_.files);
    parts_.times.measure("shot set-up", [&] { provide(batch); });
    const StepHook hook{"stability watch", [&](std::int64_t step) { return watch.next(step); },
                        [&] {
                            watch.look(forward());
                            for (ShotInProgress& shot : batch) throw_if_unreadable(shot.observed);
                        }};
    std::optional<BatchCheckpoints> checkpoints;
    std::optional<KeptAdjoint> kept;
    if (parts_.checkpoints != nullptr) checkpoints.emplace(*parts_.checkpoints, plan, batch);
    if (checkpoints && imaging_.reverses)
        parts_.times.measure("checkpoints", [&] { kept.emplace(reversal(), plan_.time, *checkpoints, control); });
    const AdjointOf adjoint_of = [&](const Wavefield& field) { return compare(batch, field); };
    const RunSupport support{parts_.times, control, {hook}, &watch.largest(), {}, kept ? &*kept : nullptr};
    run({batch, points, adjoint_of, support, watch, checkpoints ? &*checkpoints : nullptr});
    const double fields =
        static_cast<double>(steps_computed()) / static_cast<double>(plan_.time.steps) + (imaging_.scatters ? 1. : 0.);
    nodes_ += std::llround(fields * static_cast<double>(plan.setup.grid.points() * std::ssize(batch)));
    wavefield_bytes_ = std::max(wavefield_bytes_, allocated_bytes());
}

std::vector<AdjointPoints> ComparingTask::compare(Batch& batch, const Wavefield& field) const {
    return parts_.times.measure("misfit", [&] {
        collect_recorded(batch, field);
        std::vector<AdjointPoints> adjoint;
        for (int slot = 0; ShotInProgress & shot : batch) adjoint.push_back(compare(shot, field, slot++));
        return adjoint;
    });
}

AdjointPoints ComparingTask::compare(ShotInProgress& shot, const Wavefield& field, int slot) const {
    const Plan& plan = *shot.plan;
    const std::vector<Position> receivers = shot.shot.receivers.list();
    const std::vector<Position> sources = shot.shot.source_positions();
    const ShotGeometry geometry{
        .source_m = sources.front(),
        .receivers_m = receivers,
        .samples = plan_.time.output_samples,
        .dt_s = plan_.time.output_dt_s,
        .room = plan_.time.recorded_samples(),
        .shot = shot.shot.id,
    };
    MisfitOfShot misfit = misfit_of(shot, geometry, shot.observed.get(), field, slot);
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
    if (!imaging_.reverses) return {};
    return adjoint_points({sources, receivers}, plan.setup.grid, plan.boundary.halos,
                          adjoint_of_output_sampling(plan_.time, std::move(misfit.adjoint_source)),
                          imaging_.sums.density);
}

void ComparingTask::collect(Batch& batch) {
    for (int slot = 0; ShotInProgress & shot : batch) {
        const ComputedGrid& computed = shot.plan->domain.computed;
        collect_images(shot, slot);
        if (imaging_.sums.illuminates) {
            const auto energy = [&](LevelSum of) {
                return values_in<float>(computed.inner(), planes_of(reversal(), of, slot), computed.grid());
            };
            shot.images.illumination_source = energy(LevelSum::forward_squares);
            shot.images.illumination_receiver = energy(LevelSum::adjoint_squares);
        }
        ++slot;
    }
}

void ComparingTask::finish(Batch& batch) const {
    finish_batch(plan_.time, parts_.files, batch, [](ShotInProgress& shot) {
        shot.outputs.take_images(shot.images);
        shot.images = {};
    });
}

void add_comparing_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
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
    const std::int64_t parameters = experiment.imaging->sums.anisotropy   ? 3
                                    : density || experiment.imaging->of_q ? 2
                                                                          : 1;
    list.add(host_row("gradients", held::survey, experiment.domain.grid.points(),
                      parameters * std::int64_t{sizeof(float)}, shots));
    list.add(host_row("observed seismograms", held::survey,
                      bytes_of_gathers(experiment.survey, experiment.time, computation.placement), 1,
                      experiment.survey.encoding ? 3 : 2));
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

}  // namespace onda
