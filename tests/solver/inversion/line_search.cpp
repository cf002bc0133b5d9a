// The line search: what it accepts on functions whose minimum is known, and what it does where trials fail.
#include "solver/inversion/line_search.hpp"

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <vector>

#include "io/text/error.hpp"

using namespace onda;

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Searches along J without bounds, where the displacement is `slope` times the step.
LineSearch searched(const std::function<double(double)>& misfit, double slope, double first_step,
                    const LineSearchLimits& limits = {}) {
    LineSearch search(misfit(0.), first_step, limits);
    while (!search.ended()) search.tell(misfit(*search.next()), slope * *search.next());
    return search;
}

/// Least at 3.
double bowl(double a) {
    return 7. + (a - 3.) * (a - 3.);
}

}  // namespace

TEST_CASE("of a parabola the exact minimum is found in one or two trials, unless it is far off") {
    const LineSearch exact = searched(bowl, -6., 3.);
    CHECK(exact.step() == 3.);
    CHECK(exact.trials().size() == 1);
    CHECK(exact.misfit() == 7.);
    for (const double first : {5., 6., 29., 0.8, 1.4}) {  // too long by 0.6 to 0.1, too short by less than 4
        CAPTURE(first);
        const LineSearch search = searched(bowl, -6., first);
        CHECK(search.trials().size() == (first == 5. ? 1 : 2));  // 5 is within twice of it
        CHECK(*search.step() == doctest::Approx(first == 5. ? 5. : 3.).epsilon(1e-12));
    }
    // From further off by the limits of growth and of shrinking.
    const LineSearch from_below = searched(bowl, -6., 0.1), from_above = searched(bowl, -6., 1000.);
    REQUIRE(from_below.trials().size() == 3);
    CHECK(from_below.trials()[1].step == doctest::Approx(0.4));
    CHECK(from_below.trials()[2].step == doctest::Approx(1.6));  // within twice of it
    CHECK(from_above.trials()[1].step == doctest::Approx(100.));
    CHECK(from_above.step() == doctest::Approx(3.));
}

TEST_CASE("whatever the first step, on a convex function more than half of what there is to gain is gained") {
    // e^a - 3 a, least at log 3, where it is 3 - 3 log 3.
    const auto misfit = [](double a) { return std::exp(a) - 3. * a; };
    const double least = 3. - 3. * std::log(3.);
    for (double first = 0.05; first < 50.; first *= 1.3) {
        CAPTURE(first);
        const LineSearch search = searched(misfit, -2., first, {.trials = 8});
        REQUIRE(search.step());
        CHECK(search.misfit() - least < 0.5 * (1. - least));
        CHECK(search.trials().size() <= 5);
        for (const LineSearch::Trial& trial : search.trials()) CHECK(search.misfit() <= trial.misfit);
    }
}

TEST_CASE("a longer trial that is worse leaves the shorter one, or one between") {
    // Falls by 1 with slope -1, then a wall at 2.
    const auto wall = [](double a) { return a < 2. ? -a : 10. * a; };
    const LineSearch kept = searched(wall, -1., 1.);
    CHECK(kept.step() == 1.);
    REQUIRE(kept.trials().size() == 2);
    CHECK(kept.trials()[1].step == 4.);
    // The cubic by 0 with slope -1, (1, -1) and (4, -1/2) is least where 21 a^2 - 14 a - 96 = 0.
    const auto ditch = [](double a) { return a < 2. ? -a : (a > 3. ? -0.5 : -1.5); };
    const LineSearch between = searched(ditch, -1., 1.);
    REQUIRE(between.trials().size() == 3);
    CHECK(between.trials()[2].step == doctest::Approx((14. + std::sqrt(8260.)) / 42.));
    CHECK(between.step() == between.trials()[2].step);
    CHECK(between.misfit() == -1.5);
    // Where the longer one is not finite, the middle.
    const LineSearch half_way = searched([](double a) { return a < 3. ? -a : kNoNumber; }, -1., 1.);
    CHECK(half_way.trials().size() == 3);
    CHECK(half_way.step() == 2.5);
}

TEST_CASE("trials that are not finite shrink the step") {
    const auto unstable = [](double a) { return a > 0.5 ? kNoNumber : bowl(a); };
    const LineSearch search = searched(unstable, -6., 4.);
    CHECK(search.trials()[1].step == doctest::Approx(0.4));
    CHECK(search.step() == doctest::Approx(0.4));
    const auto infinite = [](double a) { return a > 0. ? std::numeric_limits<double>::infinity() : 1.; };
    const LineSearch nothing = searched(infinite, -1., 1., {.trials = 3});
    CHECK(!nothing.step());
    CHECK(nothing.trials().back().step == doctest::Approx(0.01));
    // So does a slope that is not a number, whatever the misfit.
    LineSearch unknown(1., 1.);
    unknown.tell(0.5, kNoNumber);
    CHECK(unknown.next() < 1.);
}

TEST_CASE("when no trial is left the smallest misfit is taken, without sufficient decrease too") {
    // Of a slope of -1 nothing but 1e-5 is gained at any step: too little for Armijo's condition.
    const auto hardly = [](double a) { return a > 0. ? 1. - 1e-5 + 1e-7 * a : 1.; };
    const LineSearch taken = searched(hardly, -1., 1., {.trials = 3});
    CHECK(taken.trials().size() == 3);
    CHECK(taken.step() == taken.trials().back().step);
    CHECK(taken.misfit() < 1.);
    // With a milder condition it is good at once.
    CHECK(searched(hardly, -1., 1., {.trials = 3, .sufficient_decrease = 1e-6}).trials().size() == 1);
    // A budget of one.
    CHECK(searched(bowl, -6., 0.01, {.trials = 1}).step() == 0.01);
    CHECK(!searched(bowl, -6., 7., {.trials = 1}).step());
}

TEST_CASE("without a smaller misfit there is no step") {
    const LineSearch ascent = searched([](double a) { return 2. + a; }, -1., 1.);
    CHECK(ascent.ended());
    CHECK(!ascent.step());
    CHECK(ascent.misfit() == 2.);
    CHECK(ascent.trials().size() == 5);
    for (std::size_t i = 1; i < ascent.trials().size(); ++i) {
        const double shrunk = ascent.trials()[i].step / ascent.trials()[i - 1].step;
        CHECK(shrunk >= 0.1 - 1e-12);
        CHECK(shrunk <= 0.5 + 1e-12);
    }
    CHECK(!searched([](double) { return 2.; }, -1., 1.).step());  // nor where nothing changes
    const LineSearch uphill = searched([](double a) { return 2. + 1e-5 * a; }, 1., 1.);
    CHECK(!uphill.step());  // nor along a p that is no descent
    CHECK(uphill.trials()[1].step < 1.);
}

TEST_CASE("the best so far is known before the end, after which nothing is taken") {
    LineSearch search(10., 1.);
    CHECK(search.next() == 1.);
    CHECK(!search.step());
    CHECK(search.misfit() == 10.);
    search.tell(9., -1.);  // as if there were no minimum
    CHECK(search.next() == 4.);
    CHECK(search.step() == 1.);
    CHECK(search.misfit() == 9.);
    search.tell(20., -4.);
    CHECK(search.ended());
    CHECK(search.step() == 1.);
    CHECK_THROWS_AS(search.tell(4., -1.), Error);
    CHECK_THROWS_AS(LineSearch(kNoNumber, 1.), Error);
    CHECK_THROWS_AS(LineSearch(1., 0.), Error);
    CHECK_THROWS_AS(LineSearch(1., 1., {.trials = 0}), Error);
}
