/// \file
/// The stability of shots that advance together, and the pressure that they reach.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solver/plan/plan.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/propagation/stability_watch.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {

/// Looks at the wavefields of a batch at an interval, wherever there is a snapshot, and at the end.
class BatchWatch {
public:
    /// \param plan of the run. \param batch with the points of its shots; both outlive this.
    BatchWatch(const Plan& plan, Batch& batch);

    /// The first step later than `step` at which look() is due; later than the last if there is none.
    [[nodiscard]] std::int64_t next(std::int64_t step) const;
    /// Notes the largest pressure of each shot in its record. \throws Error(unstable).
    void look(const Propagator& propagator);
    /// Looks without a note, at a step that depends on the machine. \throws Error(unstable).
    void check(const Propagator& propagator) const;
    /// The largest |p| of the batch when it was last looked at.
    [[nodiscard]] const double& largest() const { return largest_; }

private:
    const Plan& plan_;
    Batch& batch_;
    std::vector<StabilityWatch> watches_;  ///< of each shot
    double largest_ = 0.;
};

/// Counts pressure in that a shot looked at or wrote.
void observe(ShotRecord& record, std::span<const float> pressure);

}  // namespace onda
