#include "solver/inversion/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text/error.hpp"

namespace onda {

namespace {

/// A good step is taken if the minimum that is predicted is no further than this many times it: a parabola there has
/// lost three quarters of what it can lose.
constexpr double kFarEnough = 2.;
constexpr double kMostShrink = 0.5;

/// Where a parabola with the value 0 and the slope displacement / step at 0 is least. \param rise its value at `step`.
double parabola_minimum(double step, double rise, double displacement) {
    const double bend = rise - displacement;
    return bend > 0. ? -0.5 * step * displacement / bend : std::numeric_limits<double>::infinity();
}

/// Where a cubic through (0, 0), with `slope` there, (a, rise_a) and (b, rise_b) is least (Nocedal and Wright,
/// Numerical Optimization, 2nd ed., equation 3.59, in a form without cancellation); infinite where it has no minimum,
/// or rise_b is not finite.
double cubic_minimum(double slope, double a, double rise_a, double b, double rise_b) {
    const double bend_a = (rise_a / a - slope) / a, bend_b = (rise_b / b - slope) / b;
    const double third = (bend_b - bend_a) / (b - a), second = bend_a - third * a;
    const double below = second + std::sqrt(second * second - 3. * third * slope);  // not a number without a minimum
    return below > 0. ? -slope / below : std::numeric_limits<double>::infinity();
}

}  // namespace

LineSearch::LineSearch(double misfit, double first_step, const LineSearchLimits& limits)
    : misfit_at_zero_(misfit), limits_(limits), next_(first_step) {
    if (!std::isfinite(misfit)) throw Error(ExitCode::internal, "line search: the misfit to begin with is not finite");
    if (!(first_step > 0.) || !std::isfinite(first_step) || limits.trials < 1 || !(limits.sufficient_decrease >= 0.) ||
        !(limits.most_growth > 1.) || !(limits.least_shrink > 0.) || limits.least_shrink > kMostShrink)
        throw Error(ExitCode::internal, "line search: a step or limit that makes no sense");
}

void LineSearch::tell(double misfit, double slope_times_displacement) {
    if (!next_) throw Error(ExitCode::internal, "line search: told of a trial after its end");
    const Trial trial{*next_, misfit};
    trials_.push_back(trial);
    const double rise = misfit - misfit_at_zero_;
    const bool is_less = std::isfinite(misfit) && rise < 0.;
    const double predicted = std::isfinite(misfit) ? parabola_minimum(trial.step, rise, slope_times_displacement) : 0.;
    if (is_less && (!best_ || misfit < best_->misfit)) best_ = trial;
    if (is_less && rise <= limits_.sufficient_decrease * slope_times_displacement &&
        (!good_ || misfit < good_->misfit)) {
        good_ = trial;
        good_slope_ = slope_times_displacement / trial.step;
        good_minimum_ = predicted;
    } else {
        too_long_ = trial;
    }
    if (static_cast<std::int64_t>(trials_.size()) == limits_.trials)
        next_ = std::nullopt;
    else if (good_)
        next_ = beyond_good();
    else
        next_ = std::clamp(predicted, limits_.least_shrink * trial.step, kMostShrink * trial.step);
}

/// What has been found too long last is the shortest: trials shrink until one is good, and those after it lie between
/// it and what is too long. \return the step to try after good_; none if this is close enough to the minimum.
std::optional<double> LineSearch::beyond_good() const {
    double step = std::min(good_minimum_, limits_.most_growth * good_->step);
    if (too_long_) {
        step = std::min(step, 0.5 * (good_->step + too_long_->step));
        step = std::min(step, cubic_minimum(good_slope_, good_->step, good_->misfit - misfit_at_zero_, too_long_->step,
                                            too_long_->misfit - misfit_at_zero_));
    }
    if (!(step > kFarEnough * good_->step)) return std::nullopt;
    return step;
}

std::optional<double> LineSearch::step() const {
    if (!best_) return std::nullopt;
    return best_->step;
}

double LineSearch::misfit() const {
    return best_ ? best_->misfit : misfit_at_zero_;
}

}  // namespace onda
