// Lists of positions and of steps that are told, not stored: the same as if each were walked.
// Takes less than a second.
#include "solver/survey/positions.hpp"

#include <doctest/doctest.h>

#include "io/text/saturating.hpp"
#include "solver/discretisation/step_set.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/survey/survey.hpp"

using namespace onda;

namespace {

Grid small_grid() {
    Grid grid;
    grid.n = {41, 31, 21};
    grid.spacing_m = {10., 8., 5.};
    grid.origin_m = {100., -40., 0.};
    return grid;
}

/// Random ends, some on nodes, some on faces, some outside.
Position random_position(RandomStream& random, const Grid& grid) {
    Position p{};
    for (std::size_t a = 0; a < 3; ++a) {
        const double nodes = static_cast<double>(grid.n[a] - 1);
        double index = random.uniform(-0.1, 1.1) * nodes;
        if (random.uniform(0., 1.) < 0.5) index = std::round(index);
        p[a] = grid.origin_m[a] + index * grid.spacing_m[a];
    }
    return p;
}

std::vector<Position> all_of(const Positions& positions) {
    std::vector<Position> all;
    for (std::int64_t i = 0; i < positions.size(); ++i) all.push_back(positions[i]);
    return all;
}

}  // namespace

TEST_CASE("lines and grids answer as the list of their positions does") {
    const Grid grid = small_grid();
    const std::vector<FaceLayer> layers{{0, false, grid.origin_m[0], 10., 40., 6.},
                                        {0, true, grid.origin_m[0], 10., 40., 4.},
                                        {1, true, grid.origin_m[1], 8., 30., 1e-6},
                                        {2, false, grid.origin_m[2], 5., 20., 3.}};
    Position low{}, high{};
    for (std::size_t a = 0; a < 3; ++a) {
        low[a] = grid.origin_m[a];
        high[a] = low[a] + static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a];
    }
    RandomStream random(7, 0);
    int layered = 0;
    for (int round = 0; round < 400; ++round) {
        const Position first = random_position(random, grid), last = random_position(random, grid);
        const auto count = [&random] { return static_cast<std::int64_t>(random.uniform(1., 12.)); };
        const Position step{random.uniform(-30., 30.), random.uniform(-30., 30.), random.uniform(-30., 30.)};
        Positions told;
        if (round % 4 == 0) told = Positions::line(first, last, 1 + 7 * count());
        if (round % 4 == 1) told = Positions::grid(first, last, {count(), count(), count()});
        if (round % 4 == 2) told = Positions::stepped_line(first, step, 1 + 7 * count());
        if (round % 4 == 3) told = Positions::stepped_grid(first, step, {count(), count(), count()});
        Positions stored(all_of(told));
        told.clamp_to(low, high);
        stored.clamp_to(low, high);
        CHECK(all_of(told) == all_of(stored));
        CHECK(told.count_in_any(layers) == stored.count_in_any(layers));
        layered += told.count_in_any(layers) > 0;
        CHECK(told.weighted_nodes(grid, 1 << 20) == stored.weighted_nodes(grid, 1));
    }
    CHECK(layered > 50);
}

TEST_CASE("the positions of a line have the bits of their formula, and the nodes of a long one are sampled well") {
    const Grid grid = small_grid();
    const Position first{103., -40., 2.}, last{498., 197., 99.};
    const Positions line = Positions::line(first, last, 1001);
    for (std::int64_t i = 0; i < 1001; ++i) {
        const double t = static_cast<double>(i) / 1000.;
        for (std::size_t a = 0; a < 3; ++a) CHECK(line[i][a] == (1. - t) * first[a] + t * last[a]);
    }
    // Every tenth lies on a node: of them the sample must have its share.
    const Positions regular = Positions::line({100., 0., 0.}, {500., 0., 0.}, 401);
    CHECK(regular.weighted_nodes(grid, 1 << 20) == 41 + 360 * 8);
    const auto sampled = static_cast<double>(regular.weighted_nodes(grid, 300));
    CHECK(sampled == doctest::Approx(41 + 360 * 8).epsilon(0.03));
}

TEST_CASE("steps that are told are those that a list would hold") {
    for (const std::int64_t interval : {0, 1, 3, 7, 100, 1000})
        for (const std::vector<std::int64_t>& single : {std::vector<std::int64_t>{}, {0}, {5, 5, 0, 21, 99}}) {
            constexpr std::int64_t last = 100;
            std::vector<std::int64_t> list = single;
            for (std::int64_t step = interval; interval > 0 && step <= last; step += interval) list.push_back(step);
            std::ranges::sort(list);
            list.erase(std::unique(list.begin(), list.end()), list.end());
            const StepSet steps(interval, last, single);
            CHECK(steps.size() == std::ssize(list));
            CHECK(steps.empty() == list.empty());
            for (std::int64_t step = -2; step <= last + 2; ++step) {
                CAPTURE(interval);
                CAPTURE(step);
                CHECK(steps.contains(step) == std::ranges::binary_search(list, step));
                const auto later = std::ranges::upper_bound(list, step);
                CHECK(steps.after(step).value_or(-1) == (later == list.end() ? -1 : *later));
                const auto same = std::ranges::lower_bound(list, step);
                CHECK(steps.before(step).value_or(-1) == (same == list.begin() ? -1 : *(same - 1)));
            }
            const std::size_t kept = std::min<std::size_t>(3, list.size());
            std::vector<std::int64_t> ends;  // of equal shares of the list
            for (std::size_t k = 1; k <= kept; ++k) ends.push_back(list[(k * list.size() + kept - 1) / kept - 1]);
            CHECK(steps.spread(3) == ends);
        }
    // At equal intervals that are no whole steps: round(n interval), every one on a step of its own.
    for (const double interval : {1., 1.5, 2.5, 7.3, 12.5, 1e9 / 3.})
        for (const std::int64_t stride : {1, 2}) {
            CAPTURE(interval);
            CAPTURE(stride);
            const RegularSteps regular{interval, stride, 40};
            std::vector<std::int64_t> list;
            for (int n = 1; n <= 40; ++n) list.push_back(stride * std::llround(n * interval));
            CHECK(std::ranges::adjacent_find(list, std::ranges::greater_equal()) == list.end());
            const StepSet steps(regular, {});
            CHECK(steps.size() == 40);
            std::vector<std::int64_t> walked;
            for (auto step = steps.after(-1); step; step = steps.after(*step)) {
                walked.push_back(*step);
                CHECK(steps.contains(*step));
                CHECK_FALSE(steps.contains(*step + stride * (interval > 2. ? 1 : 0) + (interval > 2. ? 0 : 100000)));
            }
            CHECK(walked == list);
            CHECK(steps.spread(40) == list);
        }
    const StepSet endless(std::numeric_limits<std::int64_t>::max(), 1'000'000'000, {});
    CHECK(endless.empty());
    CHECK(!endless.after(5).has_value());
}

TEST_CASE("sums and products stop at the largest number") {
    constexpr std::int64_t large = 4'000'000'000;
    CHECK(saturating_product(large, std::int64_t{2}) == 8'000'000'000);
    CHECK(saturating_product(large, large) == kTooMany);
    CHECK(saturating_product(large, large, std::int64_t{0}) == 0);
    CHECK(saturating_product(std::int64_t{0}, large, large) == 0);
    CHECK(saturating_sum(kTooMany, std::int64_t{1}) == kTooMany);
    CHECK(saturating_sum(kTooMany - 1, std::int64_t{1}) == kTooMany);
    CHECK(saturating_sum(std::int64_t{1}, std::int64_t{2}, std::int64_t{3}) == 6);
}
