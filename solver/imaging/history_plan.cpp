#include "solver/imaging/history_plan.hpp"

#include <algorithm>

#include "solver/imaging/reverse_schedule.hpp"

namespace onda {

std::int64_t HistoryPlan::segments(const TimeAxis& time) const {
    if (ring) return 1;
    return std::max<std::int64_t>(1, (levels(time) + slots - 1) / slots);
}

std::string_view HistoryPlan::storage(const TimeAxis& time) const {
    return ring ? "ring" : segments(time) > 1 ? "checkpoints" : "full";
}

std::int64_t HistoryPlan::end_of_segment(const TimeAxis& time, std::int64_t segment) const {
    return segment + 1 == segments(time) ? time.steps : (segment + 1) * slots * every;
}

// The lowest level that is met takes the one below it, by the step from its own ring.
RingLevels HistoryPlan::ring_levels(const TimeAxis& time) const {
    return {std::max<std::int64_t>(0, time.steps - every), ring_every};
}

RingSize HistoryPlan::ring_size(const TimeAxis& time) const {
    return {.levels = ring_levels(time).slots(),
            .slots = levels(time),
            .place = ring.value_or(RingPlace::device),
            .values = ring_values,
            .pressures = ring_pressures,
            .folder = ring_folder,
            .together = ring_levels(time).together()};
}

std::int64_t HistoryPlan::forward_steps(const TimeAxis& time) const {
    if (ring) return 2 * time.steps;
    // All segments but the last, which is computed once, have this length.
    const std::int64_t count = segments(time);
    return time.steps + (segments_computed(count, checkpoints) - count) * slots * every;
}

std::int64_t HistoryPlan::segment_after(const TimeAxis& time, std::int64_t adjoint_steps) const {
    // A level is the last of the segment that it ends.
    return std::min(segments(time) - 1, (time.steps - adjoint_steps - 1) / (slots * every));
}

std::int64_t HistoryPlan::steps_to_go_on(const TimeAxis& time, std::int64_t adjoint_steps) const {
    const std::int64_t left = time.steps - adjoint_steps;
    if (ring) return time.steps + time.steps - rebuilt_after(time, adjoint_steps) + 2 * left;
    // What has been met is one segment, at the end of those that are reversed.
    const std::int64_t count = std::min(segments(time), segment_after(time, adjoint_steps) + 2);
    return time.steps + (segments_computed(count, checkpoints) - count) * slots * every + left;
}

namespace {

/// The most time steps that are so many periods of a frequency; at least one.
std::int64_t steps_of(double periods, double frequency_hz, double dt_s) {
    if (frequency_hz <= 0.) return 1;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(periods / (frequency_hz * dt_s)));
}

}  // namespace

std::int64_t longest_interval(double highest_frequency_hz, double dt_s) {
    return steps_of(0.4, highest_frequency_hz, dt_s);
}

std::int64_t longest_ring_interval(double highest_frequency_hz, double dt_s) {
    return steps_of(0.12, highest_frequency_hz, dt_s);
}

}  // namespace onda
