// The forecast for a machine that one does not have follows its formula: work over devices where nothing is exchanged,
// more where the network is slower than the nodes between, and never a way that memory cannot hold.
// Takes less than a second.
#include "solver/plan/machine_forecast.hpp"

#include <doctest/doctest.h>

#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/ranks/tall_run.hpp"

using namespace onda;

namespace {

Plan plan_of(const std::vector<std::string>& overrides) {
    return make_plan(config_with_threads(1, kTall, overrides));
}

std::vector<MachineForecast> ways_on(const Plan& plan, const Machine& machine) {
    return forecast_on_machine(plan.experiment(), plan.computation(), machine);
}

const MachineForecast& way_of(const std::vector<MachineForecast>& ways, std::int64_t slabs) {
    for (const MachineForecast& way : ways)
        if (way.slabs == slabs) return way;
    FAIL("no way with ", slabs, " slabs");
    return ways.front();
}

Machine machine(std::int64_t hosts, std::int64_t devices) {
    Machine of;
    of.hosts = hosts;
    of.devices_per_host = devices;
    of.gpts = 100.;
    of.memory_bytes = 1'000'000'000;
    return of;
}

}  // namespace

TEST_CASE("without cuts, time is work over rate, in as many turns as the devices need") {
    const Plan plan = plan_of({"sources[1].shot=2"});
    const double shot_s = 1e-11 * static_cast<double>(plan.setup.grid.points() * plan.time.steps);
    const auto one = ways_on(plan, machine(1, 1));
    REQUIRE(one.size() == 1);
    CHECK(one.front().turns == 2);
    CHECK(one.front().seconds == doctest::Approx(2. * shot_s));
    CHECK(one.front().efficiency == doctest::Approx(1.));
    const auto three = ways_on(plan, machine(3, 1));
    CHECK(way_of(three, 1).turns == 1);
    CHECK(way_of(three, 1).shots_at_once == 2);
    CHECK(way_of(three, 1).seconds == doctest::Approx(shot_s));
    CHECK(way_of(three, 1).efficiency == doctest::Approx(2. / 3.));
}

TEST_CASE("a slow network is exposed, a fast one is hidden, and links within a host are not the network") {
    const Plan plan = plan_of({"grid.shape=[200, 200, 107]"});
    Machine of = machine(2, 2);
    of.network_bytes_s = 1e8;
    const double plane = 1e-11 * static_cast<double>(plan.setup.grid.nx() * plan.setup.grid.ny());
    const auto ways = ways_on(plan, of);
    const MachineForecast &two = way_of(ways, 2), &four = way_of(ways, 4);
    CHECK(two.exposed_s == 0.);  // both on one host
    CHECK(two.step_s == doctest::Approx(54. * plane + 0.5 * 4. * plane + of.launch_s));
    const double bytes = 4. * 200. * 200. * 4.;
    CHECK(four.exposed_s == doctest::Approx(of.network_s + bytes / 1e8 - (27. - 8.) * plane));
    CHECK(four.step_s == doctest::Approx(27. * plane + 0.5 * 8. * plane + of.launch_s + four.exposed_s));
    CHECK(fastest(ways)->slabs == 2);
    of.network_bytes_s = 1e12;
    of.network_s = 0.;
    CHECK(way_of(ways_on(plan, of), 4).exposed_s == 0.);
}

TEST_CASE("what memory cannot hold is not taken, and grids are cut no further than they can be") {
    const Plan plan = plan_of({});
    Machine of = machine(1250, 8);
    const auto ways = ways_on(plan, of);
    CHECK(ways.back().slabs == most_slabs(plan.setup));
    of.memory_bytes = (way_of(ways, 2).bytes_of_device + way_of(ways, 1).bytes_of_device) / 2;
    const auto tight = ways_on(plan, of);
    CHECK_FALSE(way_of(tight, 1).fits);
    CHECK(way_of(tight, 2).fits);
    CHECK(fastest(tight)->slabs >= 2);
    of.memory_bytes = 1000;
    CHECK(fastest(ways_on(plan, of)) == nullptr);
    CHECK(ways_on(plan_of({"grid.shape=[60, 60]", "sources=[{position_m: [80, 80]}]",
                           "receivers=[{position_m: [80, 80]}]"}),
                  of)
              .size() == 1);
    // Ghosts are computed twice, and their exchange is seen.
    const MachineForecast ghosts = way_of(ways_on(plan_of({"time.order=4"}), machine(1, 2)), 2);
    CHECK(ghosts.exposed_s > 6e-6);
}
