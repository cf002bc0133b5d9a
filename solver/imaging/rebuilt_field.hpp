/// \file
/// A forward field that is not kept but computed a second time, from its last levels backward, beside the adjoint one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/imaging/field_ring.hpp"
#include "kernels/medium.hpp"
#include "solver/imaging/history_plan.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

/// The forward field of some shots on its way back, batch after batch.
class RebuiltField {
public:
    /// \param medium, \param time with stride 1, \param forward a wavefield of the medium; they outlive this.
    /// \param plan with a ring. \throws std::bad_alloc; cuda::Error; std::logic_error and std::invalid_argument for
    /// what cannot be rebuilt (FieldSet::make_ring).
    RebuiltField(Medium& medium, const Wavefield& forward, const TimeAxis& time, const HistoryPlan& plan);

    /// Queues what is kept of a level of the forward field, its latest: of every one from 0 on.
    void keep(std::int64_t level);
    /// Turns back where the forward field has ended, before that is used for something else.
    void turn_back(std::span<const ShotPoints> shots);
    /// Queues the steps back to a level, without meeting it. Nothing for one that is not below.
    void step_back_to(std::int64_t level);
    /// n where the levels of the field are p[n-1] and p[n].
    [[nodiscard]] std::int64_t level() const { return level_; }
    void wait() { field_->wait(); }
    /// Queues the steps back to a level that is met, from the one before it; levels come from the last to the first.
    /// \returns fields whose differences of levels are those of the forward field, with the opposite sign.
    [[nodiscard]] const FieldSet& at(std::int64_t level);
    /// Of a level that at() has been asked for: p of the level before it, everywhere. Only where rings hold pressures.
    [[nodiscard]] FieldSet& pressure_before(std::int64_t level);

    [[nodiscard]] std::int64_t allocated_bytes() const { return field_->allocated_bytes() + ring_->allocated_bytes(); }

private:
    /// Of a level that is met.
    [[nodiscard]] std::int64_t slot_of(std::int64_t level) const { return level / plan_.every - 1; }

    const Wavefield& forward_;
    const TimeAxis& time_;
    HistoryPlan plan_;
    std::unique_ptr<Wavefield> field_;  ///< without layers
    std::unique_ptr<FieldRing> ring_;
    std::int64_t level_ = 0;  ///< n where the levels of the field are p[n-1], its latest, and p[n]
};

}  // namespace onda
