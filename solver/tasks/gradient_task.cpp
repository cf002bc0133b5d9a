#include "solver/tasks/gradient_task.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "solver/imaging/imaging_condition.hpp"
#include "solver/imaging/offset_gathers.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/comparing_task.hpp"
#include "solver/tasks/shot_gradients.hpp"
#include "solver/tasks/synthetic_traces.hpp"

namespace onda {
namespace {

/// What is migrated is what was recorded; the derivative of a misfit has the opposite sign.
void negate(OwnedTraces& traces) {
    for (std::vector<double>& trace : traces)
        for (double& value : trace) value = -value;
}

/// How seismograms are compared: what is migrated alone has been filtered as it was read.
MisfitSettings compared_settings(const ImagingPlan& imaging) {
    MisfitSettings settings = imaging.misfit;
    if (images_observed_alone(imaging)) settings.config.band_pass.reset();
    return settings;
}

/// Gradients, or images by a condition.
class GradientTask final : public ComparingTask {
public:
    explicit GradientTask(const TaskParts& parts)
        : ComparingTask(parts), subtracts_(subtracts_synthetic(imaging_)), compared_(compared_settings(imaging_)) {}

protected:
    void provide(const Batch& batch) override {
        const Domain& domain = batch.front().plan->domain;
        provide_run(run_, batch, lines_of_part(imaging_.offsets, domain.part, domain.computed));
    }
    void run(const Running& running) override { run_->run(running.points, running.adjoint_of, running.support); }
    [[nodiscard]] const GradientRun& reversal() const override { return *run_; }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return run_->allocated_bytes(); }
    [[nodiscard]] MisfitOfShot misfit_of(ShotInProgress& shot, const ShotGeometry& geometry,
                                         const std::vector<float>& observed, const Wavefield& field,
                                         int slot) const override;
    void collect_images(ShotInProgress& shot, int slot) const override;

private:
    bool subtracts_;
    MisfitSettings compared_;
    std::optional<GradientRun> run_;
};

MisfitOfShot GradientTask::misfit_of(ShotInProgress& shot, const ShotGeometry& geometry,
                                     const std::vector<float>& observed, const Wavefield& field, int slot) const {
    const std::int64_t receivers = std::ssize(geometry.receivers_m);
    std::optional<SyntheticTraces> synthetic;
    if (subtracts_) synthetic.emplace(shot, plan_.time, field, slot);
    const std::vector<float> nothing(subtracts_ ? 0 : observed.size());
    MisfitOfShot misfit = evaluate_misfit(compared_, geometry,
                                          synthetic ? synthetic->traces() : TraceList<const float>(nothing, receivers),
                                          TraceList<const float>(observed, receivers));
    if (imaging_.condition != nullptr) negate(misfit.adjoint_source);
    return misfit;
}

void GradientTask::collect_images(ShotInProgress& shot, int slot) const {
    const Plan& plan = *shot.plan;
    if (imaging_.condition == nullptr) {
        auto gradients = gradients_of<float>(*run_, slot, plan, plan.setup, parts_.media);
        shot.images.gradient_vp = std::move(gradients.vp);
        shot.images.gradient_rho = std::move(gradients.rho);
        shot.images.gradient_q = std::move(gradients.q);
        shot.images.gradient_epsilon = std::move(gradients.epsilon);
        shot.images.gradient_delta = std::move(gradients.delta);
        return;
    }
    const ComputedGrid& computed = plan.domain.computed;
    const MediumReaders readers = medium_readers(parts_.media.model(), computed, plan.domain.part);
    const ImagePlanes image = imaging_.condition->make({*run_, slot, plan.setup, readers, plan.time.dt_s});
    shot.images.image = values_in<float>(computed.inner(), image, computed.grid());
    if (!imaging_.offsets.lines.empty())
        shot.images.offset_gathers =
            offset_gathers_of(*run_, slot, imaging_.offsets, plan_.domain.grid, plan.domain.part, computed);
}

}  // namespace

std::unique_ptr<Task> make_gradient_task(const TaskParts& parts) {
    return std::make_unique<GradientTask>(parts);
}

constinit const TaskRow kGradientTask{
    .name = "gradient",
    .help =
        "compares seismograms with observed ones, and computes how the misfit changes with the velocity of each node",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .takes_applied = true,
    .computes_gradients = true,
    .compares_data = true,
    .make = make_gradient_task,
    .largest_shot = largest_shot,
    .add_memory = add_comparing_memory,
};

constinit const TaskRow kMigrationTask{
    .name = "rtm",
    .help = "images the subsurface by reverse-time migration of observed seismograms",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .takes_applied = true,
    .computes_gradients = true,
    .compares_data = true,
    .makes_images = true,
    .make = make_gradient_task,
    .largest_shot = largest_shot,
    .add_memory = add_comparing_memory,
};

}  // namespace onda
