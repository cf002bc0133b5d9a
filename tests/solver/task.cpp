// What is done with a shot is a row for the whole program. A task added in one file (tests/solver/energy/) and named
// nowhere else goes through queue, batches, workers, resuming, forecast and the end of a survey as forward modelling
// does, and which of these a run takes changes nothing that it leaves.
// Takes 1 s.
#include "solver/tasks/task.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

#include "io/files/interruption.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/in_memory.hpp"
#include "solver/run/simulation.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;

constexpr int kShots = 7;

Config config_of(const std::vector<std::string>& settings) {
    return read_config_text(R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 0.2}
boundary: {cpml_width: 6}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [40, 50], last_m: [360, 50], count: 7}]
receivers: [{type: line, first_m: [20, 20], last_m: [380, 20], count: 9}]
backend: {name: cpu}
)",
                            "survey.yaml", vocabulary(), settings);
}

RunFacts run(const Path& results, const std::vector<std::string>& settings = {}, const std::string& selection = "") {
    Log log([](Log::Level, const std::string&) {});
    RunOptions options{.folder = results, .command_line = "a test"};
    if (!selection.empty()) options.shots = ShotSelection(selection);
    return run_simulation(config_of(settings), options, log);
}

/// What the survey leaves: of each shot its number and its energies, in a line.
std::string energies_of(const Path& results) {
    return text_of(results / "energy.txt");
}

/// The energies of the run by which the others are judged.
const std::string& expected() {
    static const std::string text = [] {
        const TemporaryFolder folder;
        run(folder.path() / "out", {"backend.batch=1"});
        return energies_of(folder.path() / "out");
    }();
    return text;
}

}  // namespace

TEST_CASE("it is done with every shot, and its files alone are the results") {
    const TemporaryFolder folder;
    const RunFacts facts = run(folder.path() / "out", {"backend.batch=1"});
    CHECK(facts.complete);
    CHECK(std::ranges::count(facts.files, "energy.txt", &FileRecord::name) == 1);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "seismograms.h5"));
    const std::int64_t steps = make_plan(config_of({})).time.steps;
    std::istringstream lines(energies_of(folder.path() / "out"));
    int shots = 0;
    for (std::string line; std::getline(lines, line); ++shots) {
        std::istringstream values(line);
        std::int64_t shot = 0;
        values >> shot;
        CHECK(shot == shots + 1);
        std::vector<double> energies;
        for (double value = 0.; values >> value;) energies.push_back(value);
        CHECK(std::ssize(energies) == (steps + 9) / 10);
        CHECK(std::ranges::all_of(energies, [](double energy) { return std::isfinite(energy) && energy >= 0.; }));
        CHECK(*std::ranges::max_element(energies) > 0.);
    }
    CHECK(shots == kShots);
}

TEST_CASE("batches and workers change nothing that it leaves") {
    const TemporaryFolder folder;
    const std::vector<std::vector<std::string>> ways{{"backend.batch=3"},
                                                     {"backend.devices=[0, 1]", "backend.batch=1"},
                                                     {"backend.devices=[0, 1]", "backend.batch=2"}};
    for (std::size_t i = 0; i < ways.size(); ++i) {
        CAPTURE(i);
        const Path out = folder.path() / std::to_string(i);
        CHECK(run(out, ways[i]).shots.size() == kShots);
        CHECK(energies_of(out) == expected());
    }
}

TEST_CASE("a survey goes on where others left it, and a shot whose file has gone is computed again") {
    const TemporaryFolder folder;
    const Path out = folder.path() / "out", shot = out / "unfinished" / "00002.energy.txt";
    CHECK_FALSE(run(out, {}, "2-4").complete);
    CHECK(std::filesystem::exists(shot));
    CHECK_FALSE(std::filesystem::exists(out / "unfinished" / "00001.energy.txt"));
    REQUIRE(std::filesystem::remove(shot));
    CHECK_FALSE(run(out, {}, "1").complete);
    CHECK(run(out).complete);
    CHECK(energies_of(out) == expected());
}

TEST_CASE("progress is told between its steps, and whoever ends the run there is heard") {
    class Impatient : public Progress {
    public:
        void begin(std::int64_t shots, std::int64_t steps) override {
            CHECK(shots == kShots);
            steps_ = steps;
        }
        void update(std::int64_t done, std::int64_t together, std::int64_t step, double, double max_abs) override {
            CHECK(together == 1);
            CHECK(step > 0);
            CHECK(step <= steps_);
            if (done < 3) return;
            CHECK(max_abs > 0.);
            throw Interrupted{2};
        }
        void clear() override {}

    private:
        std::int64_t steps_ = 0;
    } impatient;
    Log log([](Log::Level, const std::string&) {});
    CHECK_THROWS_AS(static_cast<void>(run_in_memory(config_of({"backend.batch=1"}), {}, impatient, log)), Interrupted);
}

TEST_CASE("what it holds of the memory is forecast, and nothing that only others hold") {
    const Plan plan = make_plan(config_of({}));
    REQUIRE(plan.task == tasks().front());
    CHECK(plan.task->name == "energy");
    const std::vector<MemoryForecast::Item> items = forecast_memory(plan).items;
    const auto energies = std::ranges::find(items, "pressure, of which the energy is", &MemoryForecast::Item::what);
    REQUIRE(energies != items.end());
    CHECK(energies->bytes == 41 * 31 * 8);
    CHECK(std::ranges::count(items, "snapshots being written to disk", &MemoryForecast::Item::what) == 0);
}
