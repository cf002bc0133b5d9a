// A minimisation as an inversion does it, and problems with known minimisers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "solver/inversion/descent.hpp"
#include "solver/inversion/line_search.hpp"

namespace onda::test {

using DescentValues = HostVectors::Vector;

inline void leave_as_it_is(DescentValues&) {}

using DoubleValues = std::vector<double>;

/// J and its gradient in double precision, x and what is told of the gradient in single.
struct DescentProblem {
    std::function<double(const DoubleValues& x, DoubleValues& gradient)> evaluate;
    DescentValues lowest, highest;
    DescentDirections::Preconditioner precondition = leave_as_it_is;

    [[nodiscard]] VariableBounds box() const { return {lowest, highest}; }
    [[nodiscard]] double misfit(const DescentValues& x) const {
        DoubleValues gradient(x.size());
        return evaluate(DoubleValues(x.begin(), x.end()), gradient);
    }
    [[nodiscard]] DescentValues gradient(const DescentValues& x) const {
        DoubleValues gradient(x.size());
        evaluate(DoubleValues(x.begin(), x.end()), gradient);
        return DescentValues(gradient.begin(), gradient.end());
    }
};

/// Without bounds on n variables.
inline void unbind(DescentProblem& problem, std::size_t n) {
    problem.lowest.assign(n, -std::numeric_limits<float>::infinity());
    problem.highest.assign(n, std::numeric_limits<float>::infinity());
}

inline double product(const DescentValues& a, const DescentValues& b) {
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * double(b[i]);
    return sum;
}

struct Minimised {
    DescentValues x;
    double misfit = 0.;
    std::int64_t misfits = 0, gradients = 0;                    // evaluations; of gradients as many as iterations begun
    std::vector<std::pair<DescentValues, DescentValues>> told;  // x and the gradient there, of each iteration
    std::vector<DescentValues> directions;
};

/// The first step of an iteration: 1 where pairs scale p, otherwise what changes J to first order as much as the last
/// iteration did (Nocedal and Wright, section 3.5), and of the first iteration what changes x by 1 in all.
/// \param change_before step times slope of the last iteration.
inline double first_step(const DescentDirections& directions, const DescentValues& p, double slope,
                         std::optional<double> change_before) {
    if (directions.pairs() > 0) return 1.;
    if (change_before) return *change_before / slope;
    return 1. / std::sqrt(product(p, p));
}

/// Until the norm of the projected gradient is `tolerance` or the misfit falls no more.
inline Minimised minimise(const DescentProblem& problem, DescentValues x, DescentDirections& directions,
                          double tolerance, std::int64_t most_iterations = 2000) {
    Minimised run{std::move(x), 0., 1, 0, {}, {}};
    project(run.x, problem.box());
    run.misfit = problem.misfit(run.x);
    std::optional<double> change_before;
    for (std::int64_t iteration = 0; iteration < most_iterations; ++iteration) {
        const DescentValues gradient = problem.gradient(run.x);
        ++run.gradients;
        if (projected_gradient_norm(run.x, gradient, problem.box()) <= tolerance) break;
        const DescentValues p = directions.direction(run.x, gradient, problem.box(), problem.precondition);
        run.told.emplace_back(run.x, gradient);
        run.directions.push_back(p);
        const double slope = product(p, gradient);
        if (!(slope < 0.)) break;
        LineSearch search(run.misfit, first_step(directions, p, slope, change_before));
        while (const std::optional<double> step = search.next()) {
            const DescentValues y = moved(run.x, *step, p, problem.box());
            double displacement = 0.;
            for (std::size_t i = 0; i < y.size(); ++i)
                displacement += double(gradient[i]) * (double(y[i]) - double(run.x[i]));
            search.tell(problem.misfit(y), displacement);
            ++run.misfits;
        }
        if (!search.step()) break;
        run.x = moved(run.x, *search.step(), p, problem.box());
        change_before = *search.step() * slope;
        run.misfit = search.misfit();
    }
    return run;
}

/// J = 1/2 sum curvature[i] (x[i] - centre[i])^2: the minimiser within bounds is the centre, projected.
inline DescentProblem separable_quadratic(const DoubleValues& curvature, const DoubleValues& centre) {
    DescentProblem problem;
    problem.evaluate = [=](const DoubleValues& x, DoubleValues& gradient) {
        double sum = 0.;
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradient[i] = curvature[i] * (x[i] - centre[i]);
            sum += 0.5 * gradient[i] * (x[i] - centre[i]);
        }
        return sum;
    };
    unbind(problem, curvature.size());
    return problem;
}

/// Rosenbrock's function, extended as a chain: sum of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, i from 1 to n - 1, with
/// odd variables of at least `lowest_odd` and all within +-100. Where lowest_odd <= 1, it is least at all ones.
inline DescentProblem rosenbrock_chain(std::size_t n, double lowest_odd) {
    DescentProblem problem;
    problem.evaluate = [](const DoubleValues& x, DoubleValues& gradient) {
        double sum = 0.;
        gradient.assign(x.size(), 0.);
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            const double t = x[i + 1] - x[i] * x[i], u = 1. - x[i];
            sum += 100. * t * t + u * u;
            gradient[i] -= 400. * t * x[i] + 2. * u;
            gradient[i + 1] += 200. * t;
        }
        return sum;
    };
    problem.lowest.assign(n, -100.F);
    problem.highest.assign(n, 100.F);
    for (std::size_t i = 0; i < n; i += 2) problem.lowest[i] = float(lowest_odd);
    return problem;
}

}  // namespace onda::test
