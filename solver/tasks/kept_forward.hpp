/// \file
/// Shots of forward runs, as checkpoints keep them.
#pragma once

#include "solver/propagation/propagator.hpp"
#include "solver/propagation/time_loop.hpp"
#include "solver/tasks/batch_snapshots.hpp"
#include "solver/tasks/batch_watch.hpp"
#include "solver/tasks/checkpoints.hpp"

namespace onda {

/// With how many digits traces are kept: as files have them, or all that a run in double precision has.
enum class KeptDigits { single_precision, all };

/// A batch that a propagator advances: its wavefield, the traces so far, and snapshots.
class KeptForward final : public KeptShots {
public:
    /// All outlive this. \param checkpoints null where none are kept.
    KeptForward(const Plan& plan, Batch& batch, Propagator& propagator, const BatchWatch& watch,
                BatchCheckpoints* checkpoints, KeptDigits digits = KeptDigits::single_precision)
        : plan_(plan),
          batch_(batch),
          propagator_(propagator),
          watch_(watch),
          checkpoints_(checkpoints),
          keeps_doubles_(digits == KeptDigits::all &&
                         propagator.wavefield().problem().precision == Precision::float64) {}
    /// Lets the shots go on from their checkpoints, if there are some. \returns the step that they begin at. \throws as
    /// BatchCheckpoints.
    std::int64_t begin(PhaseTimes& times, StepControl& control);
    /// Lets a loop that steps the shots keep checkpoints, and begin where begin() did. \param control of the loop.
    void add_to(TimeLoop& loop, StepControl& control);
    /// Snapshots on their way to outputs; outlive what is kept.
    void set_snapshots(BatchSnapshots* snapshots) { snapshots_ = snapshots; }

    [[nodiscard]] std::int64_t step() const override { return propagator_.step(); }
    [[nodiscard]] std::int64_t steps() const override { return plan_.time.steps; }
    [[nodiscard]] std::string name_of(std::int64_t step) const override;
    [[nodiscard]] std::map<std::string, std::string> follows_from(std::size_t slot, std::int64_t step) const override;
    [[nodiscard]] ShotState& state() const override { return propagator_.wavefield(); }
    void settle() override;
    void keep(std::size_t slot, CheckpointRecord& record, KeptValues& values) const override;
    void take_back(std::size_t slot, const CheckpointRecord& record, KeptValues& values) override;
    void go_on_from(std::int64_t step) override { propagator_.go_on_from(step); }

private:
    /// The first samples of each trace of a shot. \param before those that another run has recorded.
    template <typename T>
    [[nodiscard]] std::vector<T> traces_of(std::size_t slot, const RecordedBefore<T>& before,
                                           std::int64_t samples) const;

    const Plan& plan_;
    Batch& batch_;
    Propagator& propagator_;
    const BatchWatch& watch_;
    BatchCheckpoints* checkpoints_;
    bool keeps_doubles_;
    BatchSnapshots* snapshots_ = nullptr;
};

}  // namespace onda
