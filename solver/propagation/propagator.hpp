/// \file
/// Shots on a wavefield, from rest to their last step.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/wavefield.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// What a wavefield needs of a shot.
struct ShotPoints {
    Sources sources;
    NodeWeights receivers;
};

/// Something that is queued between time steps, so that nobody waits for a device.
struct QueuedHook {
    /// The first step later than `step` after which it is queued.
    std::function<std::int64_t(std::int64_t step)> next;
    std::function<void(std::int64_t step)> act;
    /// Where act() queues the same after many steps.
    struct Repeated {
        std::function<bool(std::int64_t step)> is_due;  ///< whether act(step) would queue `work`
        std::function<void(std::int64_t step)> pass;    ///< all of act(step) but that
        RepeatedWork work;
    };
    std::optional<Repeated> repeated = std::nullopt;
};

/// A hook that queues what two hooks do; where they are due after the same step, the first comes first, and nothing is
/// told of what repeats. One of them may be empty.
QueuedHook both(QueuedHook first, QueuedHook second);

/// The propagator of one shot or of several that advance together. Complete when constructed: fields at rest, sources
/// and receivers in place.
class Propagator {
public:
    /// \param wavefield of as many shots; must outlive the propagator. Of order 4 in time the first value of each
    /// signal counts for nothing, unless its sources are plain.
    Propagator(Wavefield& wavefield, std::vector<ShotPoints> shots, const TimeAxis& time);
    /// The propagator of one shot. \param wavefield of one shot; must outlive the propagator.
    Propagator(Wavefield& wavefield, Sources sources, NodeWeights receivers, const TimeAxis& time);

    /// Advances by `steps`, recording every sample on the way.
    void advance(std::int64_t steps);
    /// What is queued between steps from now on, until another takes its place. An empty one queues nothing.
    void set_hook(QueuedHook hook) { hook_ = std::move(hook); }
    /// Lets the steps go on from another, whose state the wavefield has been given.
    void go_on_from(std::int64_t step) { step_ = step; }
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] double time_s() const { return static_cast<double>(step_) * dt_s_; }
    [[nodiscard]] Wavefield& wavefield() { return wavefield_; }
    [[nodiscard]] const Wavefield& wavefield() const { return wavefield_; }

private:
    /// Passes by the steps, up to `end`, after which the same work is queued. \returns whether the hook is due after
    /// the last of the pieces.
    [[nodiscard]] bool divide(std::int64_t end);

    Wavefield& wavefield_;
    double dt_s_;
    std::int64_t step_ = 0;
    QueuedHook hook_;
    std::vector<std::int64_t> pieces_;  ///< the steps that are queued together, cut where work is repeated
};

}  // namespace onda
