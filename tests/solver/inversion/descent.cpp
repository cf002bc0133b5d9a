// Directions of descent: minimisers that are known in closed form, with and without bounds and preconditioner, and what
// directions promise at every point.
#include "solver/inversion/descent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <omp.h>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "tests/solver/inversion/descent_support.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr std::array kMethods{DescentMethod::lbfgs, DescentMethod::conjugate_gradients,
                              DescentMethod::steepest_descent};

/// Curvatures from 1 to `condition`.
DoubleValues spread_curvatures(std::size_t n, double condition) {
    DoubleValues curvature(n);
    for (std::size_t i = 0; i < n; ++i) curvature[i] = std::pow(condition, double(i * 7 % n) / double(n - 1));
    return curvature;
}

DoubleValues wavy_centre(std::size_t n) {
    DoubleValues centre(n);
    for (std::size_t i = 0; i < n; ++i) centre[i] = 2. + std::sin(double(i * i));
    return centre;
}

DescentDirections::Preconditioner dividing(DoubleValues by) {
    return [by = std::move(by)](DescentValues& v) {
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = float(double(v[i]) / by[i]);
    };
}

double furthest(const DescentValues& x, const DoubleValues& expected) {
    double most = 0.;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(double(x[i]) - expected[i]));
    return most;
}

/// -u'' = 1 between walls at zero, with u <= highest: an obstacle problem whose contact set is an interval.
DescentProblem obstacle(std::size_t n, float highest) {
    DescentProblem problem;
    const double load = 1. / double((n + 1) * (n + 1));
    problem.evaluate = [=](const DoubleValues& x, DoubleValues& gradient) {
        double sum = 0.;
        for (std::size_t i = 0; i < n; ++i) {
            const double product = 2. * x[i] - (i > 0 ? x[i - 1] : 0.) - (i + 1 < n ? x[i + 1] : 0.);
            gradient[i] = product - load;
            sum += x[i] * (0.5 * product - load);
        }
        return sum;
    };
    unbind(problem, n);
    problem.highest.assign(n, highest);
    return problem;
}

}  // namespace

TEST_CASE("an ill-conditioned quadratic is minimised, and in fewer iterations with its diagonal as preconditioner") {
    constexpr std::size_t n = 60;
    constexpr double condition = 1e3;
    const DoubleValues curvature = spread_curvatures(n, condition), centre = wavy_centre(n);
    for (const DescentMethod method : kMethods) {
        CAPTURE(int(method));
        DescentProblem problem = separable_quadratic(curvature, centre);
        DescentDirections plain(method, 10), preconditioned(method, 10);
        const Minimised slow = minimise(problem, DescentValues(n), plain, 1e-3, 5000);
        problem.precondition = dividing(curvature);
        const Minimised fast = minimise(problem, DescentValues(n), preconditioned, 1e-3);
        CHECK(furthest(slow.x, centre) < 1e-3);
        CHECK(furthest(fast.x, centre) < 1e-3);
        CHECK(fast.gradients <= 5);
        CHECK(slow.gradients > 4 * fast.gradients);
        if (method != DescentMethod::steepest_descent) CHECK(slow.gradients < 300);
    }
}

TEST_CASE("with bounds a separable quadratic is least at its centre, projected; held variables never move") {
    constexpr std::size_t n = 60;
    const DoubleValues curvature = spread_curvatures(n, 300.), centre = wavy_centre(n);
    for (const DescentMethod method : kMethods) {
        CAPTURE(int(method));
        DescentProblem problem = separable_quadratic(curvature, centre);
        problem.lowest.assign(n, 1.5F);
        problem.highest.assign(n, 2.5F);
        for (std::size_t i = 0; i < n; i += 5) problem.lowest[i] = problem.highest[i] = 2.25F;
        DoubleValues expected = centre;
        for (std::size_t i = 0; i < n; ++i)
            expected[i] = std::clamp(expected[i], double(problem.lowest[i]), double(problem.highest[i]));
        DescentDirections directions(method, 6);
        const Minimised found = minimise(problem, DescentValues(n, 2.25F), directions, 1e-3, 5000);
        CHECK(furthest(found.x, expected) < 1e-3);
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_bound = centre[i] < double(problem.lowest[i]) || centre[i] > double(problem.highest[i]);
            if (is_bound) CHECK(double(found.x[i]) == expected[i]);
            if (i % 5 == 0)
                for (const auto& [x, gradient] : found.told) CHECK(x[i] == 2.25F);
        }
    }
}

TEST_CASE("an obstacle is touched where theory says") {
    // Of -u'' = 1 on (0, 1) with u <= h < 1/8, u is h between s and 1 - s, s = sqrt(2 h), and before it h - (s - t)^2
    // / 2.
    constexpr std::size_t n = 99;
    constexpr double s = 0.3, h = s * s / 2.;  // s is the place of a node: differences are exact for parabolas
    DoubleValues expected(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double t = double(std::min(i + 1, n - i)) / double(n + 1);
        expected[i] = t < s ? h - (s - t) * (s - t) / 2. : h;
    }
    const DescentProblem problem = obstacle(n, float(h));
    for (const DescentMethod method : {DescentMethod::lbfgs, DescentMethod::conjugate_gradients}) {
        CAPTURE(int(method));
        DescentDirections directions(method, 10);
        const Minimised found = minimise(problem, DescentValues(n), directions, 1e-8);
        CHECK(furthest(found.x, expected) < 1e-5);
        CHECK(found.gradients < 300);
        // The node at s itself has no force on it, and may be a rounding below.
        for (std::size_t i = 31; i + 31 < n; ++i) CHECK(found.x[i] == float(h));
        for (std::size_t i = 0; i < 28; ++i) CHECK(found.x[i] < float(h));
    }
}

TEST_CASE("a chain of Rosenbrock's function with bounds is minimised") {
    // With odd variables of at least 1 the minimiser is all ones; with x_1 >= 1.2 it is on that bound, and others
    // follow.
    constexpr std::size_t n = 25;
    for (const DescentMethod method : {DescentMethod::lbfgs, DescentMethod::conjugate_gradients}) {
        CAPTURE(int(method));
        DescentDirections directions(method, 5);
        const Minimised found = minimise(rosenbrock_chain(n, 1.), DescentValues(n, 3.F), directions, 1e-4);
        CHECK(furthest(found.x, DoubleValues(n, 1.)) < 1e-3);
        CHECK(found.misfit < 1e-6);
        CHECK(found.gradients < 500);
    }
    DescentProblem two = rosenbrock_chain(2, 1.2);
    DescentDirections directions(DescentMethod::lbfgs, 5);
    const Minimised found = minimise(two, DescentValues(2, 3.F), directions, 1e-4);
    CHECK(found.x[0] == 1.2F);
    CHECK(found.x[1] == doctest::Approx(1.44).epsilon(1e-5));
}

TEST_CASE("every direction goes down and not out of the box, and a point told twice is answered with the same bits") {
    constexpr std::size_t n = 25;
    DescentProblem problem = rosenbrock_chain(n, 1.);
    problem.lowest[4] = problem.highest[4] = 1.5F;
    for (const DescentMethod method : kMethods) {
        CAPTURE(int(method));
        DescentDirections directions(method, 4);
        const Minimised found = minimise(problem, DescentValues(n, 3.F), directions, 1e-4, 60);
        REQUIRE(found.told.size() > 20);
        DescentDirections again(method, 4);
        for (std::size_t k = 0; k < found.told.size(); ++k) {
            const DescentValues& x = found.told[k].first;
            const DescentValues& gradient = found.told[k].second;
            const DescentValues& p = found.directions[k];
            CHECK(product(p, gradient) < 0.);
            for (std::size_t i = 0; i < n; ++i) {
                CHECK_FALSE((x[i] == problem.lowest[i] && p[i] < 0.F));
                if (x[i] == problem.lowest[i] && gradient[i] > 0.F) CHECK(p[i] == 0.F);
            }
            CHECK(p[4] == 0.F);
            CHECK(again.direction(x, gradient, problem.box(), problem.precondition) == p);
        }
        CHECK(again.pairs() == directions.pairs());
        CHECK(again.pairs() == (method == DescentMethod::lbfgs ? 4 : 0));
        CHECK(again.skipped() == directions.skipped());
    }
}

TEST_CASE("directions do not depend on the number of threads") {
    constexpr std::size_t n = 20'000;  // several blocks of a sum
    const DescentProblem problem = separable_quadratic(spread_curvatures(n, 50.), wavy_centre(n));
    const int before = omp_get_max_threads();
    for (const DescentMethod method : kMethods) {
        CAPTURE(int(method));
        std::array<Minimised, 2> runs;
        for (const int threads : {1, 2}) {
            omp_set_num_threads(threads);
            DescentDirections directions(method, 5);
            runs[std::size_t(threads - 1)] = minimise(problem, DescentValues(n), directions, 0., 8);
        }
        CHECK(runs[0].directions.size() == 8);
        CHECK(runs[0].directions == runs[1].directions);
        CHECK(runs[0].x == runs[1].x);
    }
    omp_set_num_threads(before);
}

TEST_CASE("pairs of negative curvature are not kept") {
    // The saddle J = (y^2 - x^2) / 2, told along x, then along y.
    const DescentValues lowest(2, -10.F), highest(2, 10.F);
    const VariableBounds box{lowest, highest};
    DescentDirections directions(DescentMethod::lbfgs, 5);
    const auto told = [&](float x, float y) { return directions.direction({x, y}, {-x, y}, box, leave_as_it_is); };
    CHECK(told(1.F, 1.F) == DescentValues{1.F, -1.F});
    CHECK(told(2.F, 1.F) == DescentValues{2.F, -1.F});
    CHECK(directions.pairs() == 0);
    CHECK(directions.skipped() == 1);
    CHECK(told(2.F, 0.5F)[1] == doctest::Approx(-0.5));
    CHECK(directions.pairs() == 1);
    (void)told(3.F, 0.5F);
    CHECK(directions.pairs() == 1);
    CHECK(directions.skipped() == 2);
    directions.forget();
    CHECK(directions.pairs() == 0);
    CHECK(directions.skipped() == 2);
    CHECK(told(2.F, 0.25F) == DescentValues{2.F, -0.25F});
    CHECK(directions.pairs() == 0);  // the point before is forgotten, too
}

TEST_CASE("the scale of L-BFGS is that of J, whatever the scale of the preconditioner, on and off the bounds") {
    // J = 50 |x|^2: with one pair, -g / 100 leads to the minimum from everywhere.
    const DescentValues lowest(3, -8.F), highest(3, 8.F);
    const VariableBounds box{lowest, highest};
    for (const double factor : {1., 1e3}) {
        DescentDirections directions(DescentMethod::lbfgs, 5);
        const auto at = [&](const DescentValues& x) {
            DescentValues gradient = x;
            for (float& value : gradient) value *= 100.F;
            return directions.direction(x, gradient, box, dividing(DoubleValues(3, factor)));
        };
        (void)at({7.F, -2.F, 1.F});
        const DescentValues p = at({6.F, -2.F, 1.F});
        CHECK(directions.pairs() == 1);
        CHECK(p[0] == doctest::Approx(-6.));
        CHECK(p[1] == doctest::Approx(2.));
    }
    // J = 50 ((x_1 + 20)^2 + x_2^2 + x_3^2): the pair is of the first variable alone, which is on its bound then, and
    // says nothing of the others but their scale.
    DescentDirections directions(DescentMethod::lbfgs, 5);
    (void)directions.direction({-7.F, 0.F, 3.F}, {1300.F, 0.F, 300.F}, box, leave_as_it_is);
    const DescentValues p = directions.direction({-8.F, 0.F, 3.F}, {1200.F, 0.F, 300.F}, box, leave_as_it_is);
    CHECK(directions.pairs() == 1);
    CHECK(p[0] == 0.F);
    CHECK(p[2] == doctest::Approx(-3.));
}

TEST_CASE("pairs are restricted to the free variables, and say nothing of held ones") {
    // J = x_1^2 + x_1 x_2 + x_2^2. One pair and one free variable: p = -g s / y, all of it.
    const DescentValues lowest{0.F, -9.F, 4.F}, highest{9.F, 9.F, 4.F};
    const VariableBounds box{lowest, highest};
    DescentDirections directions(DescentMethod::lbfgs, 5);
    (void)directions.direction({1.F, 3.F, 4.F}, {5.F, 7.F, 30.F}, box, leave_as_it_is);
    CHECK(directions.direction({0.F, 1.F, 4.F}, {1.F, 2.F, 0.F}, box, leave_as_it_is)[1] ==
          doctest::Approx(-2. * 2. / 5.));
    // With both free, s = (-1, -2) and y = (-4, -5) again, p is (s g's + ...) of algorithm 7.4 with gamma = 14 / 41,
    // where the gradient of the held variable has no part.
    DescentDirections both(DescentMethod::lbfgs, 5);
    (void)both.direction({2.F, 3.F, 4.F}, {7.F, 8.F, 30.F}, box, leave_as_it_is);
    const DescentValues p = both.direction({1.F, 1.F, 4.F}, {3.F, 3.F, 0.F}, box, leave_as_it_is);
    const double gamma = 14. / 41., alpha = 9. / 14., q0 = -3. + 4. * alpha, q1 = -3. + 5. * alpha;
    const double beta = gamma * (-4. * q0 - 5. * q1) / 14.;
    CHECK(p[0] == doctest::Approx(gamma * q0 - (alpha - beta)));
    CHECK(p[1] == doctest::Approx(gamma * q1 - 2. * (alpha - beta)));
    CHECK(p[2] == 0.F);
}

TEST_CASE("a preconditioner that couples variables does so between free ones alone") {
    const DescentValues lowest{0.F, -9.F}, highest{9.F, 9.F};
    const VariableBounds box{lowest, highest};
    const auto couple = [](DescentValues& v) { v = {2.F * v[0] + v[1], v[0] + 2.F * v[1]}; };
    for (const DescentMethod method : kMethods) {
        CAPTURE(int(method));
        DescentDirections directions(method, 3);
        CHECK(directions.direction({0.F, 1.F}, {10.F, -1.F}, box, couple) == DescentValues{0.F, 2.F});
        CHECK(directions.direction({0.F, 1.5F}, {-10.F, -1.F}, box, couple)[0] > 0.F);  // free now
    }
}

TEST_CASE("conjugate gradients are those of Polak and Ribiere, and restart") {
    const DescentValues lowest(2, -9.F), highest(2, 9.F), x(2, 1.F);
    const VariableBounds box{lowest, highest};
    DescentDirections directions(DescentMethod::conjugate_gradients, 0);
    const auto after = [&](const DescentValues& before, const DescentValues& gradient) {
        directions.forget();
        CHECK(directions.direction(x, before, box, leave_as_it_is) == DescentValues{-before[0], -before[1]});
        return directions.direction(x, gradient, box, leave_as_it_is);
    };
    // beta = 1.01 - 0.1.
    CHECK(after({1.F, 0.F}, {0.1F, 1.F})[0] == doctest::Approx(-1.01));
    CHECK(after({1.F, 0.F}, {0.1F, 1.F})[1] == -1.F);
    CHECK(after({1.F, 0.F}, {0.5F, 1.F}) == DescentValues{-0.5F, -1.F});  // gradients overlap by 0.5 of 1.25
    CHECK(after({1.F, 0.F}, {0.5F, 0.F}) == DescentValues{-0.5F, 0.F});   // beta < 0
    CHECK(after({1.F, 0.F}, {-1.F, 10.F}) == DescentValues{1.F, -10.F});  // p'g = 1: no descent
    // At a bound that -gradient points beyond, whatever the direction before.
    DescentDirections bound(DescentMethod::conjugate_gradients, 0);
    CHECK(bound.direction({-9.F, 0.F}, {-1.F, 0.F}, box, leave_as_it_is) == DescentValues{1.F, 0.F});
    CHECK(bound.direction({-9.F, 0.F}, {8.F, 1.F}, box, leave_as_it_is) == DescentValues{0.F, -1.F});
}

TEST_CASE("L-BFGS and conjugate gradients on a quadratic with exact steps are the same") {
    // Nocedal and Wright, section 7.2, for L-BFGS of any memory, without bounds.
    constexpr std::size_t n = 6;
    const DoubleValues curvature{1., 2., 4., 7., 11., 16.}, centre = wavy_centre(n);
    const DescentProblem problem = separable_quadratic(curvature, centre);
    for (const bool is_preconditioned : {false, true}) {
        const DescentDirections::Preconditioner precondition =
            is_preconditioned ? dividing({1., 1., 2., 2., 3., 3.}) : DescentDirections::Preconditioner(leave_as_it_is);
        DescentDirections newton(DescentMethod::lbfgs, 3), conjugate(DescentMethod::conjugate_gradients, 0);
        DescentValues x(n);
        for (std::size_t iteration = 0; iteration < n - 2; ++iteration) {
            const DescentValues gradient = problem.gradient(x);
            const DescentValues p = newton.direction(x, gradient, problem.box(), precondition);
            const DescentValues q = conjugate.direction(x, gradient, problem.box(), precondition);
            const double cosine = product(p, q) / std::sqrt(product(p, p) * product(q, q));
            CHECK(cosine == doctest::Approx(1.).epsilon(1e-6));
            double curved = 0.;
            for (std::size_t i = 0; i < n; ++i) curved += curvature[i] * double(q[i]) * double(q[i]);
            x = moved(x, -product(q, gradient) / curved, q, problem.box());
        }
        CHECK(problem.misfit(x) > 1e-9);  // not there yet: it takes as many steps as curvatures
    }
}

TEST_CASE("a gradient that is zero, bound or taken away by the preconditioner gives no direction") {
    const DescentValues lowest{0.F, 0.F, 1.F}, highest{1.F, 1.F, 1.F};
    const VariableBounds box{lowest, highest};
    for (const DescentMethod method : kMethods) {
        DescentDirections directions(method, 3);
        const DescentValues at_corner{0.F, 1.F, 1.F}, outwards{3.F, -2.F, 5.F};
        CHECK(projected_gradient_norm(at_corner, outwards, box) == 0.);
        CHECK(directions.direction(at_corner, outwards, box, leave_as_it_is) == DescentValues(3));
        CHECK(projected_gradient_norm(at_corner, {-3.F, 4.F, 5.F}, box) == 5.);
        CHECK(directions.direction({0.5F, 0.5F, 1.F}, {1.F, 0.F, 1.F}, box, [](DescentValues& v) { v[0] = 0.F; }) ==
              DescentValues(3));
    }
    // One that is not positive gives none either, rather than an ascent.
    DescentDirections directions(DescentMethod::lbfgs, 3);
    (void)directions.direction({1.F, 0.5F, 1.F}, {2.F, 1.F, 0.F}, box, leave_as_it_is);
    (void)directions.direction({0.5F, 0.5F, 1.F}, {1.F, 1.F, 0.F}, box, leave_as_it_is);
    CHECK(directions.pairs() == 1);
    CHECK(directions.direction({0.5F, 0.5F, 1.F}, {1.F, 1.F, 0.F}, box, dividing(DoubleValues(3, -1e-3))) ==
          DescentValues(3));
    CHECK(directions.pairs() == 0);
}

TEST_CASE("projections and moves are rounded once, and wrong input is an error") {
    const DescentValues lowest{0.F, 1.F}, highest{1.F, 1.F};
    const VariableBounds box{lowest, highest};
    DescentValues x{-2.F, 7.F};
    project(x, box);
    CHECK(x == DescentValues{0.F, 1.F});
    CHECK(moved({0.25F, 1.F}, 0.1, {1.F, 4.F}, box) == DescentValues{float(0.25 + 0.1), 1.F});
    CHECK(moved({0.25F, 1.F}, 1e30, {1.F, -1.F}, box) == DescentValues{1.F, 1.F});
    DescentDirections directions(DescentMethod::lbfgs, 3);
    CHECK_THROWS_AS((void)directions.direction({1.F}, {1.F, 2.F}, box, leave_as_it_is), Error);
    CHECK_THROWS_AS(
        (void)directions.direction({1.F, 1.F}, {std::numeric_limits<float>::quiet_NaN(), 2.F}, box, leave_as_it_is),
        Error);
    (void)directions.direction({0.5F, 1.F}, {2.F, 0.F}, box, leave_as_it_is);
    (void)directions.direction({0.25F, 1.F}, {1.F, 0.F}, box, leave_as_it_is);
    const VariableBounds shorter{box.lowest.first(1), box.highest.first(1)};  // than the pair
    CHECK_THROWS_AS((void)directions.direction({0.5F}, {2.F}, shorter, leave_as_it_is), Error);
    CHECK_THROWS_AS(DescentDirections(DescentMethod::lbfgs, -1), Error);
}
