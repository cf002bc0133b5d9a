#include "solver/imaging/history_plan.hpp"

#include <algorithm>

#include "solver/imaging/reverse_schedule.hpp"

namespace onda {

std::int64_t HistoryPlan::segments(const TimeAxis& time) const {
    return std::max<std::int64_t>(1, (levels(time) + slots - 1) / slots);
}

std::int64_t HistoryPlan::end_of_segment(const TimeAxis& time, std::int64_t segment) const {
    return segment + 1 == segments(time) ? time.steps : (segment + 1) * slots * every;
}

std::int64_t HistoryPlan::forward_steps(const TimeAxis& time) const {
    // All segments but the last, which is computed once, have this length.
    const std::int64_t count = segments(time);
    return time.steps + (segments_computed(count, checkpoints) - count) * slots * every;
}

std::int64_t longest_interval(double highest_frequency_hz, double dt_s) {
    constexpr double of_period = 0.4;
    if (highest_frequency_hz <= 0.) return 1;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(of_period / (highest_frequency_hz * dt_s)));
}

}  // namespace onda
