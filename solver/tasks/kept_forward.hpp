/// \file
/// Shots of forward runs, as checkpoints keep them.
#pragma once

#include "solver/propagation/propagator.hpp"
#include "solver/tasks/batch_snapshots.hpp"
#include "solver/tasks/batch_watch.hpp"
#include "solver/tasks/checkpoints.hpp"

namespace onda {

/// A batch that a propagator advances: its wavefield, the traces so far, and snapshots.
class KeptForward final : public KeptShots {
public:
    /// All outlive this.
    KeptForward(const Plan& plan, Batch& batch, Propagator& propagator, const BatchWatch& watch)
        : plan_(plan), batch_(batch), propagator_(propagator), watch_(watch) {}
    /// Snapshots on their way to outputs; outlive what is kept.
    void set_snapshots(BatchSnapshots* snapshots) { snapshots_ = snapshots; }

    [[nodiscard]] std::int64_t step() const override { return propagator_.step(); }
    [[nodiscard]] std::int64_t steps() const override { return plan_.time.steps; }
    [[nodiscard]] std::string name_of(std::int64_t step) const override;
    [[nodiscard]] ShotState& state() const override { return propagator_.wavefield(); }
    void settle() override;
    void keep(std::size_t slot, CheckpointRecord& record, KeptValues& values) const override;
    void take_back(std::size_t slot, const CheckpointRecord& record, KeptValues& values) override;
    void go_on_from(std::int64_t step) override { propagator_.go_on_from(step); }

private:
    const Plan& plan_;
    Batch& batch_;
    Propagator& propagator_;
    const BatchWatch& watch_;
    BatchSnapshots* snapshots_ = nullptr;
};

}  // namespace onda
