// A run on several devices gives the files of a run on one, bit for bit and in the order of the shots, however slow
// each of them is; one that fails ends them all, with its reason.
// Takes 3 s.
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/in_memory.hpp"
#include "solver/run/simulation.hpp"
#include "solver/shots/workers.hpp"
#include "tests/io/files_support.hpp"
#include "tests/ranks/tall_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

using Overrides = std::vector<std::string>;

/// Seven shots.
const std::string kSurvey = R"(schema_version: 1
grid: {shape: [40, 20, 47], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 0.08}
boundary: {cpml_width: 5, placement: inside}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {type: line, first_m: [63, 90, 230], last_m: [330, 110, 243], count: 7}
receivers:
  - {type: line, first_m: [83, 90, 60], last_m: [303, 90, 400], count: 7}
output:
  snapshots: {every_steps: 20}
)";

/// Notes what it is told, and may end the run.
class Told : public Progress {
public:
    explicit Told(std::int64_t end_at = -1) : end_at_(end_at) {}
    void begin(std::int64_t shots_, std::int64_t) override {
        ++begun;
        shots = shots_;
    }
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double, double) override {
        CHECK(done + together <= shots);
        most_together = std::max(most_together, together);
        if (end_at_ >= 0 && done >= end_at_ && step > 0) throw Interrupted{2};
    }
    void clear() override { ++cleared; }

    std::int64_t begun = 0, cleared = 0, shots = 0, most_together = 0;

private:
    std::int64_t end_at_;
};

SurveyInMemory run_survey(const Overrides& overrides, Progress& progress) {
    Log log([](Log::Level, const std::string&) {});
    return run_in_memory(config_with_threads(2, kSurvey, overrides), {}, progress, log);
}
SurveyInMemory run_survey(const Overrides& overrides) {
    Told told;
    SurveyInMemory survey = run_survey(overrides, told);
    CHECK(told.begun == 1);
    CHECK(told.cleared == 1);
    CHECK(told.shots == 7);
    return survey;
}

void check_equal(const SurveyInMemory& survey, const SurveyInMemory& expected) {
    REQUIRE(survey.shots.size() == expected.shots.size());
    for (std::size_t i = 0; i < expected.shots.size(); ++i) {
        CHECK(survey.facts.shots[i] == expected.facts.shots[i]);
        CHECK(survey.shots[i].gather.shot == static_cast<std::int64_t>(i) + 1);
        CHECK(survey.shots[i].gather.pressure == expected.shots[i].gather.pressure);
        CHECK(survey.shots[i].frames.values == expected.shots[i].frames.values);
    }
}

/// A shot queue that cannot write the shots that come after so many; it counts the claims.
class FullLedger : public ShotLedger {
public:
    explicit FullLedger(int room) : room_(room) {}
    [[nodiscard]] bool is_finished(std::size_t) const override { return false; }
    [[nodiscard]] bool claim(std::size_t i) override {
        const std::lock_guard lock(mutex_);
        return claimed_.insert(i).second;
    }
    void finish(const std::vector<std::pair<std::size_t, ShotRecord>>&) override {
        const std::lock_guard lock(mutex_);
        if (finished_ == room_) throw Error(ExitCode::io_error, "the disk is full");
        ++finished_;
    }
    [[nodiscard]] std::size_t claimed() const { return claimed_.size(); }

private:
    std::mutex mutex_;
    int room_, finished_ = 0;
    std::set<std::size_t> claimed_;
};

std::string worker_refusal(const Overrides& overrides) {
    return message_of([&] { static_cast<void>(make_plan(config_with_threads(2, kSurvey, overrides))); });
}

}  // namespace

TEST_CASE("workers draw shots from one queue, and each shot has the bits it has alone") {
    const SurveyInMemory alone = run_survey({});
    REQUIRE(alone.plan->placement.workers == std::vector<std::vector<int>>{{0}});
    for (const Overrides& overrides : {Overrides{"backend.devices=[0, 1]"}, Overrides{"backend.devices=[0, 1, 2]"},
                                       Overrides{"backend.devices=[0, 1]", "backend.batch=2"}}) {
        CAPTURE(overrides.front());
        const SurveyInMemory survey = run_survey(overrides);
        CHECK(survey.plan->placement.workers.size() ==
              config_with_threads(2, kSurvey, overrides).backend.devices.integers.size());
        check_equal(survey, alone);
    }
    check_equal(run_survey({"backend.devices=[0, 1]", "survey.limit_m=90", "boundary.placement=outside"}),
                run_survey({"survey.limit_m=90", "boundary.placement=outside"}));
}

TEST_CASE("slabs and shots share the devices") {
    const SurveyInMemory alone = run_survey({});
    const auto workers = [&](const Overrides& overrides) {
        const SurveyInMemory survey = run_survey(overrides);
        check_equal(survey, alone);
        return survey.plan->placement.workers;
    };
    using Devices = std::vector<std::vector<int>>;
    CHECK(workers({"backend.devices=[0, 1]", "backend.slabs=2"}) == Devices{{0, 1}});
    CHECK(workers({"backend.devices=[0, 1, 2, 3]", "backend.slabs=2"}) == Devices{{0, 1}, {2, 3}});
    CHECK(workers({"backend.devices=[0, 1]", "backend.slabs=3"}) == Devices{{0, 0, 1}});
    CHECK(workers({"backend.devices=all", "backend.slabs=2"}) == Devices{{0, 0}});
}

TEST_CASE("files are those of one worker, in the order of the shots") {
    const TemporaryFolder folder;
    std::string said;
    Log log([&said](Log::Level, const std::string& message) { said += message + '\n'; });
    std::vector<RunFacts> facts;
    for (const char* const devices : {"auto", "[0, 1, 2]"})
        facts.push_back(run_simulation(config_with_threads(2, kSurvey,
                                                           {"backend.devices=" + std::string(devices),
                                                            "output.seismograms={segy: ieee, dt_s: 0.001}"}),
                                       {folder.path() / std::to_string(facts.size()), false, "test"}, log));
    REQUIRE(facts[1].shots.size() == 7);
    CHECK(facts[0].identity == facts[1].identity);
    for (std::size_t i = 0; i < 7; ++i) {
        CHECK(facts[1].shots[i].shot == static_cast<std::int64_t>(i) + 1);
        CHECK(facts[1].shots[i].wavefield == facts[0].shots[i].wavefield);
        CHECK(facts[1].shots[i].seismograms == facts[0].shots[i].seismograms);
        const auto of = [&](int which) {
            return read_gather(folder.path() / std::to_string(which) / "seismograms.h5", facts[0].shots[i].shot)
                .pressure;
        };
        CHECK(of(0) == of(1));
        const auto frames_of = [&](int which) {
            return read_frames(folder.path() / std::to_string(which) / "snapshots.h5", facts[0].shots[i].shot).values;
        };
        CHECK(frames_of(0) == frames_of(1));
    }
    const std::string traces = text_of(folder.path() / "0" / "seismograms.segy");
    CHECK(traces.size() > 3600);
    CHECK(text_of(folder.path() / "1" / "seismograms.segy") == traces);
    const auto summary = nlohmann::json::parse(text_of(folder.path() / "1" / "summary.json"));
    CHECK(summary["backend"]["slabs"]["devices_of_workers"].size() == 3);
    CHECK(contains(said, "workers   3, which draw shots from one queue"));
}

TEST_CASE("a worker that fails ends the others soon, and its reason is told") {
    const Config config = config_with_threads(
        2, kSurvey, {"backend.devices=[0, 1, 2]", "backend.batch=1", "sources[0].count=200", "time.duration_s=0.02"});
    Plan draft = make_plan(config);
    Model model = make_model(config.model, draft.setup.scheme.equation, draft.domain.grid, config.origin);
    const Plan plan = refine(std::move(draft), model);
    Workers workers(plan, std::make_shared<const Model>(std::move(model)));
    const RunOutputs none(std::vector<RunOutputs::Entry>{});
    const ShotFiles files(none, {}, {});
    FullLedger ledger(5);
    PhaseTimes times;
    Told told;
    CHECK(message_of(
              [&] {
                  static_cast<void>(workers.run({files, ledger, times, told}, {}, SurveyRun::Clock::time_point::max()));
              },
              ExitCode::io_error) == "the disk is full");
    CHECK(ledger.claimed() < 200);
}

TEST_CASE("progress is that of all workers together, and what ends one ends all") {
    Told told;
    static_cast<void>(run_survey({"backend.devices=[0, 1, 2]", "backend.batch=1"}, told));
    CHECK(told.most_together >= 1);
    CHECK(told.most_together <= 3);
    Told impatient(1);
    CHECK_THROWS_AS(run_survey({"backend.devices=[0, 1]", "backend.batch=1"}, impatient), Interrupted);
}

TEST_CASE("the forecast counts every worker, and lists of devices are checked") {
    const auto bytes = [](const Overrides& overrides) {
        return forecast_memory(make_plan(config_with_threads(2, kSurvey, overrides))).peak_bytes();
    };
    const Plan plan = make_plan(config_with_threads(2, kSurvey, {"backend.batch=1"}));
    CHECK(bytes({"backend.batch=1", "backend.devices=[0, 1, 2]"}) >=
          bytes({"backend.batch=1"}) + 2 * slab_bytes(plan.setup, plan.placement).front());
    CHECK(contains(worker_refusal({"backend.devices=[0, 0]"}), "backend.devices = [0, 0]: 0 stands there twice"));
    CHECK(contains(worker_refusal({"backend.devices=[]"}), "backend.devices"));
    CHECK(contains(worker_refusal({"backend.devices=every"}),
                   "backend.devices = every: must be auto, all, or a list of integers"));
    CHECK(contains(worker_refusal({"backend.devices=1"}), "must be auto, all, or a list of integers"));
}
