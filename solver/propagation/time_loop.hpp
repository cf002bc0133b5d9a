/// \file
/// The time steps of shots that advance together, and whatever is done at some of them.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "solver/discretisation/time_axis.hpp"
#include "solver/program/phase_times.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

/// Who lets the steps of a task go on, and is told how far they are.
class StepControl {
public:
    virtual ~StepControl() = default;
    /// Before each stretch of steps. \returns the most strides of the time axis that it may have. \throws what ends the
    /// run.
    virtual std::int64_t begin_stretch() = 0;
    /// \param seconds that so many strides took.
    virtual void end_stretch(std::int64_t strides, double seconds) = 0;
    /// After what was due at the end of a stretch. \param step of those of Task::steps(). \param max_abs the largest
    /// |p| that was last seen.
    virtual void tell(std::int64_t step, double time_s, double max_abs) = 0;

    // What checkpoints ask of it; where nobody wants anything of them, none are kept.

    /// Told before the first stretch if the steps do not begin with the first.
    virtual void begin_at(std::int64_t /*step*/) {}
    /// Whether the run is to end, so that shots should be kept as they are.
    [[nodiscard]] virtual bool wants_to_end() { return false; }
    /// Whether somebody has asked for a checkpoint since the last time that this was asked.
    [[nodiscard]] virtual bool wants_checkpoint() { return false; }
    /// Ends the run, whose shots are kept where that was possible. \throws what ends it.
    virtual void end() {}
};

/// Something that is done at steps of its own choice.
struct StepHook {
    const char* phase;  ///< of the run, which its time counts to
    /// The first step later than `step` at which it is due; any later than the last if there is none.
    std::function<std::int64_t(std::int64_t step)> next;
    std::function<void()> act;
    bool takes_long = false;  ///< writes files or the like: other batches may have the device meanwhile
};

/// Steps a propagator from where it is to the last step, or to another, and stops wherever a hook is due.
class TimeLoop {
public:
    /// \param time, \param times and \param control outlive the loop.
    TimeLoop(const TimeAxis& time, PhaseTimes& times, StepControl& control)
        : time_(time), times_(times), control_(control) {}

    /// Adds a hook. Hooks that are due at the same step act in the order in which they were added.
    void add(StepHook hook) { hooks_.push_back({std::move(hook), 0}); }
    /// What is done after stretches, if it is due, when everything else that was due has been done; how long they are
    /// depends on the machine. Other batches may have the device meanwhile.
    void set_after_stretch(std::function<bool()> is_due, std::function<void()> act) {
        is_due_after_stretch_ = std::move(is_due);
        after_stretch_ = std::move(act);
    }
    /// Takes the step that the propagator is at for one at which everything due has been done: it goes on from there.
    void go_on() { goes_on_ = true; }
    /// \param max_abs the largest |p|, which a hook keeps up to date. \throws what the control, the device or a hook
    /// throws.
    void run(Propagator& propagator, const double& max_abs) { run(propagator, max_abs, time_.steps); }
    /// \param last the step to stop at: a multiple of the stride, at most that of the time axis.
    void run(Propagator& propagator, const double& max_abs, std::int64_t last);

private:
    struct Entry {
        StepHook hook;
        std::int64_t due;
    };
    void act(std::int64_t step, std::unique_lock<std::mutex>& turn);
    [[nodiscard]] std::int64_t next_stop(std::int64_t step, std::int64_t last) const;

    const TimeAxis& time_;
    PhaseTimes& times_;
    StepControl& control_;
    std::vector<Entry> hooks_;
    std::function<bool()> is_due_after_stretch_;
    std::function<void()> after_stretch_;
    bool goes_on_ = false;
};

}  // namespace onda
