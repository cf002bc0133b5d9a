#include "solver/tasks/least_squares_task.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "solver/imaging/born_run.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/comparing_task.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/model_change.hpp"
#include "solver/tasks/shot_gradients.hpp"

namespace onda {
namespace {

class NormalProductTask final : public ComparingTask {
public:
    explicit NormalProductTask(const TaskParts& parts) : ComparingTask(parts) {
        if (!plan_.operand) throw std::invalid_argument("a product with nothing");
    }

protected:
    void provide(const Batch& batch) override {
        if (provide_run(run_, batch)) scale_ = perturb(*run_, plan_, *batch.front().plan, parts_.media);
    }
    void run(const Running& running) override { run_->run(running.points, running.adjoint_of, running.support); }
    [[nodiscard]] const GradientRun& reversal() const override { return run_->gradient(); }
    [[nodiscard]] std::int64_t allocated_bytes() const override { return run_->allocated_bytes(); }
    [[nodiscard]] MisfitOfShot misfit_of(ShotInProgress& shot, const ShotGeometry& geometry,
                                         const std::vector<float>& observed, const Wavefield& scattered,
                                         int slot) const override;
    void collect_images(ShotInProgress& shot, int slot) const override {
        const Plan& plan = *shot.plan;
        shot.images.gradient_vp = gradients_of<float>(run_->gradient(), slot, plan, plan.setup, parts_.media).vp;
    }

private:
    std::optional<GaussNewtonRun> run_;
    double scale_ = 1.;  ///< of what is scattered
};

MisfitOfShot NormalProductTask::misfit_of(ShotInProgress& /*shot*/, const ShotGeometry& geometry,
                                          const std::vector<float>& observed, const Wavefield& scattered,
                                          int slot) const {
    const std::int64_t receivers = std::ssize(geometry.receivers_m);
    std::vector<double> recorded(static_cast<std::size_t>(receivers * plan_.time.recorded_samples()));
    scattered.download_traces(std::span(recorded), slot);
    for (double& value : recorded) value *= scale_;
    OwnedTraces predicted = sampled_output(plan_.time, TraceList<const double>(recorded, receivers));
    return evaluate_prediction(imaging_.misfit, geometry,
                               TraceList<const double>(std::as_const(predicted), geometry.samples),
                               TraceList<const float>(observed, receivers));
}

/// Beside that of gradients: the change of velocity on the nodes of the run and on those computed, and that of k. The
/// iterations have x, b - A x, p and A p, the image that is written, weights, both
/// illuminations, and b M; where codes are drawn again the change before and J'd, too.
void add_product_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    add_comparing_memory(list, experiment, computation);
    list.add(host_row("changes of the model", held::survey,
                      2 * computation.setup.grid.points() + experiment.domain.grid.points(), sizeof(double)));
    constexpr std::int64_t vectors = 11;
    list.add(host_row("vectors of the iterations", held::survey, experiment.domain.grid.points(),
                      vectors * std::int64_t{sizeof(float)}));
}

}  // namespace

constinit const TaskRow kLeastSquaresTask{
    .name = "lsrtm",
    .help = "images the subsurface by least-squares migration: the change of velocity that fits observed seismograms",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .takes_applied = true,
    .computes_gradients = true,
    .compares_data = true,
    .fits_linearly = true,
    .leaves_sums = true,
    .make = make_gradient_task,
    .largest_shot = largest_shot,
    .add_memory = add_comparing_memory,
};

constinit const TaskRow kNormalProductTask{
    .name = "lsrtm product",
    .help = "applies the Born operator and its transpose to a change of velocity",
    .steps_singly = true,
    .keeps_checkpoints = true,
    .takes_applied = true,
    .computes_gradients = true,
    .scatters = true,
    .compares_data = true,
    .fits_linearly = true,
    .leaves_sums = true,
    .make = [](const TaskParts& parts) -> std::unique_ptr<Task> { return std::make_unique<NormalProductTask>(parts); },
    .largest_shot = largest_shot,
    .add_memory = add_product_memory,
};

}  // namespace onda
