/// \file
/// Shots of gradient runs, as checkpoints keep them.
#pragma once

#include "solver/imaging/gradient_run.hpp"
#include "solver/tasks/checkpoints.hpp"

namespace onda {

/// A batch whose adjoint fields meet the forward ones: the adjoint fields, what is summed, and what these record. The
/// forward fields, of which far more is kept in memory, are computed again, and with them the seismograms and the
/// misfit: nothing of a shot is kept before its adjoint field begins.
class KeptAdjoint final : public KeptShots, public AdjointKeeper {
public:
    /// Looks for what is there of the batch. All outlive this. \throws as BatchCheckpoints::find().
    KeptAdjoint(GradientRun& run, const TimeAxis& time, BatchCheckpoints& checkpoints, StepControl& control);

    // Steps are counted over both fields, each once.
    [[nodiscard]] std::int64_t step() const override { return time_.steps + run_.adjoint().step(); }
    [[nodiscard]] std::int64_t steps() const override { return 2 * time_.steps; }
    [[nodiscard]] std::int64_t first_kept_step() const override { return time_.steps + 1; }
    [[nodiscard]] std::string name_of(std::int64_t step) const override;
    [[nodiscard]] std::string computed_again() const override { return "the forward field"; }
    [[nodiscard]] ShotState& state() const override { return run_.adjoint_state(); }
    void settle() override;
    void keep(std::size_t slot, CheckpointRecord& record, KeptValues& values) const override;
    void take_back(std::size_t slot, const CheckpointRecord& record, KeptValues& values) override;
    void go_on_from(std::int64_t /*step*/) override {}  // the run does, which knows begins_after()

    [[nodiscard]] std::int64_t begins_after() const override { return begins_after_; }
    void restore() override { checkpoints_.restore(*this); }
    [[nodiscard]] bool is_due() override { return checkpoints_.is_due(*this, control_); }
    void keep() override { checkpoints_.keep(*this, control_); }
    [[nodiscard]] bool wants_to_end() override { return control_.wants_to_end(); }
    void end() override { control_.end(); }

private:
    GradientRun& run_;
    const TimeAxis& time_;
    BatchCheckpoints& checkpoints_;
    StepControl& control_;
    std::int64_t begins_after_;
};

}  // namespace onda
