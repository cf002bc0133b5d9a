/// \file
/// How far to go along a direction of descent, where a trial gives the misfit alone.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace onda {

struct LineSearchLimits {
    std::int64_t trials = 5;            ///< the most that are made
    double sufficient_decrease = 1e-4;  ///< c1 of Armijo's condition
    double most_growth = 4.;            ///< of a step over the longest that was good
    double least_shrink = 0.1;          ///< of a step over one that was too long
};

/// A step a > 0 with a smaller misfit J(a) = J(P(x + a p)), P the projection onto the bounds of x, found by reverse
/// communication: next() says what to try and tell() what came of it, until next() has nothing more.
///
/// A step is good by the condition of Armijo along the projected path (Bertsekas 1976, IEEE Trans. Autom. Control
/// 21(2)), J(a) < J(0) and J(a) <= J(0) + c1 g'(P(x + a p) - x). The curvature condition of Wolfe needs the gradient at
/// the new point and is not looked at: DescentDirections checks it with the pair of the next iteration, once that
/// gradient is there. So no gradient, which takes several times as long as a misfit, is spent on a point that is not
/// kept.
///
/// From each trial follows a parabola by J(0), its slope, estimated as g'(P(x + a p) - x) / a, and J(a):
/// - a good step is taken at once if the parabola's minimum is at 2a or before; it is beyond a/2, or J(a) would not be
///   below J(0). A minimum beyond 2a is tried, at most_growth times a at most, as long as misfits fall;
/// - a step that is not good is followed by the parabola's minimum, between least_shrink and half of it, and one whose
///   misfit is not finite by the former;
/// - between a good step and one that was too long, the middle and the cubic by J(0), its slope and both misfits bound
///   the next.
class LineSearch {
public:
    struct Trial {
        double step, misfit;
    };

    /// \param misfit J(0). \param first_step the first to be tried: 1 for L-BFGS with pairs.
    /// \throws Error(internal) if J(0) is not finite, or a step or limit makes no sense.
    LineSearch(double misfit, double first_step, const LineSearchLimits& limits = {});

    /// The step to try; none where the search has ended.
    [[nodiscard]] std::optional<double> next() const { return next_; }

    /// What came of next(). \param misfit there; not finite: the step is too long.
    /// \param slope_times_displacement g'(P(x + a p) - x), negative for descent.
    /// \throws Error(internal) where the search has ended.
    void tell(double misfit, double slope_times_displacement);

    [[nodiscard]] bool ended() const { return !next_; }

    /// The step of the smallest misfit so far, if this is less than J(0); the first of equals. When the search ends
    /// and no trial was good, it is taken all the same, rather than to give up. \return none if there was no such
    /// trial.
    [[nodiscard]] std::optional<double> step() const;

    /// J at step(); J(0) if there is none.
    [[nodiscard]] double misfit() const;

    [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }

private:
    [[nodiscard]] std::optional<double> beyond_good() const;

    double misfit_at_zero_;
    LineSearchLimits limits_;
    std::optional<double> next_;
    std::optional<Trial> best_;                   ///< of the smallest misfit, less than J(0)
    std::optional<Trial> good_;                   ///< of the smallest misfit among those that fulfil Armijo's condition
    std::optional<Trial> too_long_;               ///< the shortest whose minimum lies before it
    double good_slope_ = 0., good_minimum_ = 0.;  ///< at 0, estimated with good_; where its parabola is least
    std::vector<Trial> trials_;
};

}  // namespace onda
