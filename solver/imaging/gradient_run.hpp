/// \file
/// A forward run whose field is kept, and the adjoint run that meets it: the images of some shots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/imaging/correlation.hpp"
#include "kernels/imaging/flux_correlation.hpp"
#include "kernels/medium.hpp"
#include "kernels/shot_state.hpp"
#include "solver/imaging/adjoint_points.hpp"
#include "solver/imaging/anisotropy_gradient.hpp"
#include "solver/imaging/history_plan.hpp"
#include "solver/imaging/image_sums.hpp"
#include "solver/imaging/node_values.hpp"
#include "solver/imaging/rebuilt_field.hpp"
#include "solver/imaging/reverse_schedule.hpp"
#include "solver/imaging/rho_gradient.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/propagation/recorded_before.hpp"
#include "solver/propagation/time_loop.hpp"

namespace onda {

/// Gives the adjoint runs of all shots from what their receivers have recorded on a wavefield.
using AdjointOf = std::function<std::vector<AdjointPoints>(const Wavefield& forward)>;

/// Keeps the adjoint runs of a batch on disk, so that they need not begin at rest.
class AdjointKeeper {
public:
    virtual ~AdjointKeeper() = default;
    /// The steps after which the adjoint runs go on; 0: they begin at rest.
    [[nodiscard]] virtual std::int64_t begins_after() const = 0;
    /// Gives a run whose adjoint runs have been set up what was kept of them: GradientRun::adjoint_state() and
    /// set_recorded_before().
    virtual void restore() = 0;
    /// Whether adjoint_state() should be kept as it is after a stretch of the adjoint run.
    [[nodiscard]] virtual bool is_due() = 0;
    /// \throws what ends the run.
    virtual void keep() = 0;
    /// Whether the run is to end after a stretch of the forward run. What the adjoint run has come to since is kept.
    [[nodiscard]] virtual bool wants_to_end() = 0;
    /// Ends where there is nothing new to keep. \throws what ends the run.
    virtual void end() = 0;
};

/// What the loops of a run report to, and what is done at steps of the forward field, the first time if they are
/// computed again.
struct RunSupport {
    PhaseTimes& times;
    StepControl& control;
    std::vector<StepHook> forward_hooks = {};
    const double* max_abs = nullptr;  ///< the largest |p|, which a hook keeps up to date; null: none does
    QueuedHook queued = {};           ///< between steps of the forward field
    AdjointKeeper* keeper = nullptr;  ///< null: nothing is kept
};

/// Sums over the levels that met of squares, times the interval of these: of differences of levels what the diagonal of
/// a Hessian is made of.
struct Illumination {
    NodeValues forward;  ///< (p[n+1] - p[n])^2, on all computed nodes; or p[n]^2
    NodeValues adjoint;  ///< (nu[n+1] - nu[n+2])^2, in layers of what is out of their coordinates; or nu[n+1]^2
};

/// \throws std::logic_error for a problem of order 4 in time that does not keep what images take of it.
void check_keeps_applied(const Problem& problem);

/// Gradients and images of some shots that advance together, batch after batch.
class GradientRun final : Reversal {
public:
    /// \param medium whose fields are correlated, of order 4 in time one that keeps A p (Problem::keeps_applied);
    /// \param time with stride 1; they outlive the run.
    /// \param sums of density: with variable density; the adjoint runs must record at the sources.
    /// \param lines where pressures are multiplied at an offset, of sums with `offsets`.
    /// \throws std::bad_alloc; cuda::Error; std::invalid_argument for layers that overlap, and with sums of density for
    /// another equation, and for a ring where the field cannot be rebuilt; std::logic_error for a ring without the
    /// pressures that are asked for, and for a medium that does not keep what it should.
    GradientRun(Medium& medium, int shots, const TimeAxis& time, const HistoryPlan& plan, const ImageSums& sums = {},
                const OffsetLines& lines = {});

    [[nodiscard]] int shots() const { return forward_field_->shots(); }
    /// Of both fields together, the forward field where it is computed again included.
    [[nodiscard]] std::int64_t steps() const { return plan_.forward_steps(time_) + time_.steps; }
    /// Runs the shots forward, asks for their adjoint runs once the receivers have recorded, and runs those. \throws
    /// what the control, the hooks, the device or `adjoint_of` throws.
    void run(std::span<const ShotPoints> shots, const AdjointOf& adjoint_of, const RunSupport& support);

    /// The wavefield of the forward run, until the adjoint runs begin.
    [[nodiscard]] const Wavefield& forward_field() const { return *forward_field_; }
    [[nodiscard]] Wavefield& forward_field() { return *forward_field_; }
    /// The forward run, while it is stepped.
    [[nodiscard]] const Propagator& forward() const { return forward_.value(); }
    /// The wavefield of the adjoint run that has ended, with what it recorded.
    [[nodiscard]] const Wavefield& adjoint_field() const { return adjoint_field_ ? *adjoint_field_ : *forward_field_; }
    /// The sum over all time steps of (p[n+1] - p[n]) (nu[n+1] - nu[n+2]), on all computed nodes of a shot; of order 4
    /// in time with G / 12 (A nu[n+1]) (A p[n]), G the taper of a sponge. Waits.
    [[nodiscard]] NodeValues image(int shot) const;
    /// Likewise that of R[n+1] (nu[n+1] - nu[n+2]) for each memory field R, p[n] with drag: what gradient_of_q() takes
    /// beside the image. None where nothing absorbs, and without differences.
    [[nodiscard]] std::vector<NodeValues> memory_images(int shot) const;
    /// What gradient_of_anisotropy() takes, of a shot. Waits. \throws std::logic_error unless the run is of anisotropy.
    [[nodiscard]] AnisotropyImages anisotropy_images(int shot) const;
    /// Of a shot. Waits. \throws std::logic_error unless the run illuminates.
    [[nodiscard]] Illumination illumination(int shot) const;
    /// image(), or one of illumination(): whole planes from plane `first` along z on, as many as there is room for.
    void download_planes(LevelSum sum, int shot, std::int64_t first, std::span<double> planes) const;
    /// The same of the sum of nu[n+1] p[n]. \throws std::logic_error unless pressures are summed.
    void download_pressures(int shot, std::int64_t first, std::span<double> planes) const;
    /// The same of the horizontal one of two stresses, whose other one pressures are of.
    void download_horizontal_stresses(int shot, std::int64_t first, std::span<double> planes) const;
    /// The same at an offset: of p[x - h] nu[x + h] on the lines that were asked for, [z][line][h].
    void download_offsets(int shot, std::int64_t first, std::span<double> planes) const;
    /// What gradient_of_rho() takes beside the image, of a shot. Waits. \throws std::logic_error unless the run is of
    /// density.
    [[nodiscard]] DensityImages density_images(int shot) const;
    [[nodiscard]] std::int64_t allocated_bytes() const;

    // What an AdjointKeeper keeps. The forward field and what is kept of it are computed again: where the adjoint field
    // goes on, the price is that of one forward run, and of the levels that are still to be met.

    /// The state of the adjoint run and of all sums. As it is between two steps when a keeper is asked.
    [[nodiscard]] ShotState& adjoint_state() { return state_; }
    [[nodiscard]] const Propagator& adjoint() const { return adjoint_.value(); }
    /// What the adjoint run of a shot has recorded so far, [source][sample]; empty unless sums are of density.
    [[nodiscard]] std::vector<double> recorded(int shot) const;
    /// Lets the traces of a shot begin with samples of another run, recorded() of it. \throws Error(bad_data) for
    /// another number of them.
    void set_recorded_before(int shot, std::vector<double> traces);
    /// The steps of the last batch that were computed here, of steps().
    [[nodiscard]] std::int64_t steps_computed() const { return steps_done_ - steps_before_; }

private:
    class Progressing;

    void advance(std::int64_t to) override;
    void save(std::int64_t segment) override { states_->save(segment); }
    void restore(std::int64_t segment) override;
    void discard(std::int64_t segment) override { states_->discard(segment); }
    void reverse(std::int64_t segment) override;

    /// Whether the levels of a segment were met before the adjoint run goes on.
    [[nodiscard]] bool is_met(std::int64_t segment) const {
        return goes_on_after_ > 0 && segment > plan_.segment_after(time_, goes_on_after_);
    }
    [[nodiscard]] std::int64_t begin_of(std::int64_t segment) const {
        return segment == 0 ? 0 : plan_.end_of_segment(time_, segment - 1);
    }
    [[nodiscard]] double scale(int shot) const { return scales_.at(static_cast<std::size_t>(shot)); }
    void download_recorded(std::span<double> traces, int shot) const;
    [[nodiscard]] NodeValues whole(LevelSum sum, int shot) const;
    void add_second_image(int shot, std::int64_t first, std::span<double> planes, double factor) const;
    void add_memory_images(int shot, std::int64_t first, std::span<double> planes, double factor) const;
    void add_strain_image(int shot, std::int64_t first, std::span<double> planes, double factor) const;
    /// The products of the whole grid, with the scale of the adjoint run.
    [[nodiscard]] NodeValues scaled_products(const Correlation& sums, int shot) const;
    [[nodiscard]] std::vector<double> source_products(int shot) const;
    /// Steps of the adjoint run after which it is met again, at most.
    [[nodiscard]] std::int64_t most_steps() const {
        if (goes_on_after_ > 0 && met_ == goes_on_after_) return 1;  // the level before was met by another run
        return steps_between_meetings();
    }
    [[nodiscard]] std::int64_t steps_between_meetings() const {
        if (fluxes_ && fluxes_->remembers()) return 1;
        std::int64_t most = kAnySteps;
        for (const auto* each : {&correlation_, &applied_})
            if (*each) most = std::min(most, (*each)->most_steps());
        for (const auto& sums : beside_) most = std::min(most, sums->most_steps());
        return most;
    }
    /// What is queued between steps that the forward field makes for the first time.
    [[nodiscard]] QueuedHook of_first_time() const { return adjoint_ ? QueuedHook{} : support_->queued; }
    /// Steps a run to another step, with what is done the first time if it is the forward run that is made anew.
    void step_to(Propagator& run, std::int64_t last, bool first_time);
    void keep_or_end();
    void forward_to(std::int64_t step) { step_to(*forward_, step, !adjoint_); }
    void keep_from(std::int64_t segment);
    void keep(std::int64_t step, std::int64_t segment);
    void keep_differences(std::int64_t slot);
    [[nodiscard]] QueuedHook keep_levels_before(std::int64_t segment);
    void keep_level_before(FieldSet& fields, std::int64_t slot);
    [[nodiscard]] bool is_kept(std::int64_t level) const { return level > 0 && level % plan_.every == 0; }
    /// The slot of a level among those of a segment; -1 where it has none.
    [[nodiscard]] std::int64_t slot_in(std::int64_t segment, std::int64_t level) const;
    void keep_rings();
    void begin_adjoint();
    void go_on();
    void rebuild_what_was_met();
    void meet_now();
    [[nodiscard]] std::int64_t slot_of(std::int64_t level, std::int64_t segment);
    void meet_segment(std::int64_t segment);
    /// What is met of the adjoint field as it is now. \param slot -1: nothing is kept of its level.
    void meet(std::int64_t level, std::int64_t slot, std::int64_t steps);
    /// The meetings between two kept levels, all of which queue the same; none where it depends on more than the steps.
    [[nodiscard]] std::optional<QueuedHook::Repeated> meetings_between();

    Medium& medium_;
    const TimeAxis& time_;
    HistoryPlan plan_;
    bool illuminates_pressures_;
    std::unique_ptr<Wavefield> forward_field_;
    std::unique_ptr<Wavefield> adjoint_field_;          ///< null where the forward field is not needed any more
    std::int64_t slots_;                                ///< of levels that are kept together
    std::unique_ptr<Correlation> correlation_;          ///< of differences; null: not asked
    std::unique_ptr<Correlation> pressures_;            ///< null: not asked
    std::unique_ptr<Correlation> horizontal_;           ///< beside pressures; null: not asked, or there is one field
    std::unique_ptr<Correlation> applied_;              ///< beside differences; null: of order 2 in time
    std::vector<std::unique_ptr<Correlation>> beside_;  ///< correlated_beside() differences
    std::vector<double> inverse_gains_;                 ///< of the strips where A p is correlated; empty: all 1
    std::unique_ptr<FluxCorrelation> fluxes_;           ///< null: not of density
    std::unique_ptr<RebuiltField> rebuilt_;             ///< null where levels are kept
    std::vector<double> scales_;                        ///< of the adjoint runs of the shots
    JoinedStates state_;                                ///< of the adjoint field and the sums
    /// One for all batches and segments, so that what was captured of it serves again.
    RepeatedWork meeting_between_{[this] { meet(0, -1, steps_between_meetings()); }};

    // Of the batch that is computed.
    std::vector<ShotPoints> points_;
    const AdjointOf* adjoint_of_ = nullptr;
    const RunSupport* support_ = nullptr;
    std::optional<Propagator> forward_, adjoint_;
    std::unique_ptr<SavedStates> states_;                  ///< of the forward field, by the segment that they begin
    std::int64_t steps_done_ = 0, steps_before_ = 0;       ///< the latter without being computed
    std::int64_t goes_on_after_ = 0;                       ///< steps of the adjoint run; 0: it begins at rest
    std::int64_t met_ = 0;                                 ///< the step of the adjoint run that was met last
    std::vector<RecordedBefore<double>> recorded_before_;  ///< of each shot, until the adjoint run was kept
};

}  // namespace onda
