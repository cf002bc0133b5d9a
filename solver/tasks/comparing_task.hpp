/// \file
/// Tasks that compare seismograms with observed ones, and leave on the nodes what follows: gradients, images, and the
/// products of least-squares migration.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "solver/data/observed_data.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/plan/plan.hpp"
#include "solver/tasks/batch_watch.hpp"
#include "solver/tasks/checkpoints.hpp"
#include "solver/tasks/task.hpp"

namespace onda {

/// Whether what is observed is compared with the seismograms of the model, and not with none.
bool subtracts_synthetic(const ImagingPlan& imaging);
/// Whether it is the source of an image as it is, filtered as it is read.
bool images_observed_alone(const ImagingPlan& imaging);

/// What all of them do in the same way: a forward run, a comparison, and the adjoint run that follows from it.
class ComparingTask : public Task {
public:
    explicit ComparingTask(const TaskParts& parts);

    [[nodiscard]] std::int64_t steps() const override;
    [[nodiscard]] std::int64_t steps_not_kept() const override { return imaging_.reverses ? plan_.time.steps : 0; }
    void prepare(ShotInProgress& shot) const override;
    void compute(Batch& batch, StepControl& control) override;
    void collect(Batch& batch) override;
    void finish(Batch& batch) const override;
    [[nodiscard]] std::int64_t nodes_computed() const override { return nodes_; }
    [[nodiscard]] std::int64_t wavefield_bytes() const override { return wavefield_bytes_; }

protected:
    /// Makes what steps a batch, unless the one before was for as many shots on the same grid.
    virtual void provide(const Batch& batch) = 0;
    /// A batch that is run.
    struct Running {
        Batch& batch;
        std::span<const ShotPoints> points;
        const AdjointOf& adjoint_of;  ///< takes the wavefield whose receivers have recorded what is compared
        const RunSupport& support;    ///< keeps adjoint fields, if there are some
        const BatchWatch& watch;
        BatchCheckpoints* checkpoints;  ///< null where none are kept
    };
    virtual void run(const Running& running) = 0;
    /// The run that the receivers record, while it is stepped.
    [[nodiscard]] virtual const Propagator& forward() const { return reversal().forward(); }
    /// What the runs of a batch have left, or leave. \throws std::logic_error where no field meets another.
    [[nodiscard]] virtual const GradientRun& reversal() const = 0;
    [[nodiscard]] GradientRun& reversal() { return const_cast<GradientRun&>(std::as_const(*this).reversal()); }
    /// The steps of the last batch that were computed here, of steps().
    [[nodiscard]] virtual std::int64_t steps_computed() const { return reversal().steps_computed(); }
    /// The bytes of all wavefields of a batch.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
    /// Compares what the receivers of a shot have recorded with what was observed. \param field and \param slot of the
    /// shot in it.
    [[nodiscard]] virtual MisfitOfShot misfit_of(ShotInProgress& shot, const ShotGeometry& geometry,
                                                 const std::vector<float>& observed, const Wavefield& field,
                                                 int slot) const = 0;
    /// Puts what the reversal has made on the nodes into ShotInProgress::images.
    virtual void collect_images(ShotInProgress& shot, int slot) const = 0;
    /// Makes what provide() is to make. \param more of its arguments. \returns whether it had to be made.
    template <typename Run, typename... More>
    bool provide_run(std::optional<Run>& run, const Batch& batch, const More&... more) const {
        const int shots = static_cast<int>(batch.size());
        const Plan& of_shots = *batch.front().plan;
        if (run && run->shots() == shots && parts_.media.holds(of_shots.domain.part)) return false;
        run.reset();
        run.emplace(parts_.media.of(of_shots), shots, plan_.time, imaging_.history, imaging_.sums, more...);
        return true;
    }

    const Plan& plan_;
    TaskParts parts_;
    const ImagingPlan& imaging_;

private:
    /// What the shots' receivers have recorded, compared with what was observed, and the runs that follow from it.
    std::vector<AdjointPoints> compare(Batch& batch, const Wavefield& field) const;
    AdjointPoints compare(ShotInProgress& shot, const Wavefield& field, int slot) const;

    ObservedData observed_;
    mutable std::mutex reading_;
    mutable std::atomic<std::int64_t> prepared_ = 0;
    std::int64_t nodes_ = 0, wavefield_bytes_ = 0;
};

/// Adds the rows of what these tasks hold (TaskRow::add_memory).
void add_comparing_memory(Allocations& list, const Experiment& experiment, const Computation& computation);

}  // namespace onda
