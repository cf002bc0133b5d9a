#include "solver/tasks/inversion_tasks.hpp"

#include <optional>
#include <stdexcept>
#include <vector>

#include "solver/tasks/comparing_task.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/kept_forward.hpp"
#include "solver/tasks/synthetic_traces.hpp"

namespace onda {
namespace {

/// A forward run whose seismograms are compared, and nothing else.
class MisfitTask final : public ComparingTask {
public:
    using ComparingTask::ComparingTask;

protected:
    void provide(const Batch& batch) override {
        const int shots = static_cast<int>(batch.size());
        const Plan& of_shots = *batch.front().plan;
        if (field_ && field_->shots() == shots && parts_.media.holds(of_shots.domain.part)) return;
        field_.reset();
        field_ = parts_.media.of(of_shots).make_wavefield(shots);
    }
    void run(const Running& running) override {
        const RunSupport& support = running.support;
        propagator_.emplace(*field_, std::vector<ShotPoints>(running.points.begin(), running.points.end()), plan_.time);
        KeptForward kept(*running.batch.front().plan, running.batch, *propagator_, running.watch, running.checkpoints,
                         KeptDigits::all);
        begun_ = kept.begin(support.times, support.control);
        TimeLoop loop(plan_.time, support.times, support.control);
        for (const StepHook& hook : support.forward_hooks) loop.add(hook);
        kept.add_to(loop, support.control);
        loop.run(*propagator_, *support.max_abs);
        propagator_.reset();
        running.adjoint_of(*field_);
    }
    [[nodiscard]] const Propagator& forward() const override { return propagator_.value(); }
    [[nodiscard]] const GradientRun& reversal() const override {
        throw std::logic_error("a misfit without a gradient");
    }
    [[nodiscard]] std::int64_t steps_computed() const override { return steps() - begun_; }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return field_->allocated_bytes(); }
    [[nodiscard]] MisfitOfShot misfit_of(ShotInProgress& shot, const ShotGeometry& geometry,
                                         const std::vector<float>& observed, const Wavefield& field,
                                         int slot) const override {
        const SyntheticTraces synthetic(shot, plan_.time, field, slot);
        return evaluate_misfit(imaging_.misfit, geometry, synthetic.traces(),
                               TraceList<const float>(observed, std::ssize(geometry.receivers_m)));
    }
    void collect_images(ShotInProgress& /*shot*/, int /*slot*/) const override {}

private:
    std::unique_ptr<Wavefield> field_;
    std::optional<Propagator> propagator_;
    std::int64_t begun_ = 0;  ///< the step that the last batch went on from
};

std::unique_ptr<Task> make_misfit_task(const TaskParts& parts) {
    return std::make_unique<MisfitTask>(parts);
}

}  // namespace

constinit const TaskRow kInversionGradientTask{
    .name = "fwi gradient",
    .help = "computes how the misfit of seismograms changes with the model, as an iteration of an inversion takes it",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .takes_applied = true,
    .computes_gradients = true,
    .compares_data = true,
    .leaves_sums = true,
    .filters_all = true,
    .make = make_gradient_task,
    .largest_shot = largest_shot,
    .add_memory = add_comparing_memory,
};

constinit const TaskRow kMisfitTask{
    .name = "fwi misfit",
    .help = "compares seismograms with observed ones, as the trial steps of an inversion do",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .compares_data = true,
    .leaves_sums = true,
    .filters_all = true,
    .make = make_misfit_task,
    .largest_shot = largest_shot,
    .add_memory = add_comparing_memory,
};

constinit const TaskRow kPredictionTask{
    .name = "fwi prediction",
    .help = "computes seismograms and compares them with observed ones, as a stage of an inversion begins",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .compares_data = true,
    .filters_all = true,
    .make = make_misfit_task,
    .largest_shot = largest_shot,
    .add_memory = add_comparing_memory,
};

}  // namespace onda
