// The forecast of a run's time: its items add up, follow what the run does, and leave nothing behind. How near it comes
// to runs depends on the machine, and is measured by `onda_judge forecast`.
// Takes 11 s.
#include "solver/planning/run_time.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

Plan untuned_plan(std::vector<std::string> overrides = {}, const std::string& text = kSmall2d) {
    overrides.insert(overrides.begin(), {"backend.name=cpu", "backend.tuning=off"});
    return make_plan(read_config_text(text, "small.yaml", vocabulary(), overrides));
}

/// The small survey without its lines that begin so.
std::string without(const std::vector<std::string>& beginnings) {
    std::istringstream lines(kSmall2d);
    std::string text;
    for (std::string line; std::getline(lines, line);)
        if (std::ranges::none_of(beginnings, [&](const std::string& begin) { return line.starts_with(begin); }))
            text += line + '\n';
    return text;
}
const std::string kNoSnapshots = without({"  snapshots:"});

/// Seconds of an item; none if it is not there.
std::optional<double> item_of(const TimeForecast& forecast, const std::string& what) {
    const auto item = std::ranges::find(forecast.items, what, &TimeForecast::Item::what);
    return item == forecast.items.end() ? std::nullopt : std::optional(item->seconds);
}

void check_items(const TimeForecast& forecast) {
    double sum = 0.;
    for (const auto& item : forecast.items) {
        CAPTURE(item.what);
        CHECK(item.seconds > 0.);
        CHECK(std::isfinite(item.seconds));
        sum += item.seconds;
    }
    CHECK(forecast.seconds == doctest::Approx(sum));
    CHECK(forecast.gpt_per_s > 0.);
    CHECK(forecast.load.processors >= 1);
    CHECK_FALSE(forecast.basis.empty());
}

}  // namespace

TEST_CASE("items add up, and nothing is left in the folder") {
    const TemporaryFolder folder;
    for (const std::string& text : {kSmall2d, kSmall3d}) {
        const TimeForecast forecast = forecast_time(untuned_plan({}, text), folder.path() / "results");
        check_items(forecast);
        for (const char* what : {"model", "time steps", "snapshots", "seismograms of each shot", "pictures", "report"})
            CHECK(item_of(forecast, what).has_value());
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("what a run does not do takes no time") {
    const TemporaryFolder folder;
    const Plan plan = untuned_plan({"output.pictures=false", "output.report=false"}, kNoSnapshots);
    const TimeForecast forecast = forecast_time(plan, folder.path());
    check_items(forecast);
    for (const char* what : {"snapshots", "pictures", "report"}) {
        CAPTURE(what);
        CHECK_FALSE(item_of(forecast, what).has_value());
    }
    CHECK(item_of(forecast, "time steps").has_value());
}

TEST_CASE("a busy machine is told of by the cores that others use") {
    CHECK(MachineLoad{1.66, 2}.is_busy());
    CHECK_FALSE(MachineLoad{0.3, 2}.is_busy());
    CHECK(MachineLoad{1.66, 2}.text() == "other programs are using 1.7 of 2 cores");
}

TEST_CASE("time grows with steps and shots, many times over what a busy machine hides") {
    const TemporaryFolder folder;
    const auto steps_of = [&](const std::vector<std::string>& overrides) {
        return item_of(forecast_time(untuned_plan(overrides, kNoSnapshots), folder.path()), "time steps").value();
    };
    const double once = steps_of({"backend.threads=1"});
    CHECK(steps_of({"backend.threads=1", "time.duration_s=300"}) > 20. * once);
    CHECK(steps_of({"backend.threads=1",
                    "sources=[{type: line, first_m: [200, 24], last_m: [800, 24], count: 2000}]"}) > 20. * once);
}

TEST_CASE("a folder that cannot be written, and a run that no machine can hold, are forecast all the same") {
    check_items(forecast_time(untuned_plan(), "/proc/no/such/folder"));
    const Plan huge = untuned_plan({"grid.shape=[100000, 60000]", "time.duration_s=100"}, kNoSnapshots);
    const TimeForecast forecast = forecast_time(huge, "/proc/no/such/folder");
    check_items(forecast);
    CHECK(forecast.seconds > 1e4);
}
