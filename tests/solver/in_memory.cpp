// A run in memory gives the bits of a run into files, for one shot and for batches, with parts of the grid and with a
// model that the program hands over.
// Takes 4 s.
#include "solver/run/in_memory.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "io/files/interruption.hpp"
#include "solver/plan/names.hpp"
#include "solver/run/simulation.hpp"
#include "tests/io/files_support.hpp"
#include "tests/solver/quiet_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

/// Keeps what it is told, and may end the run.
class Told : public Progress {
public:
    explicit Told(std::int64_t end_at = -1) : end_at_(end_at) {}
    void begin(std::int64_t shots_, std::int64_t steps_) override {
        shots = shots_;
        steps = steps_;
    }
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double, double) override {
        last = done * steps + together * step;
        if (end_at_ >= 0 && last >= end_at_) throw Interrupted{2};
    }
    void clear() override { ++cleared; }

    std::int64_t shots = 0, steps = 0, last = 0, cleared = 0;

private:
    std::int64_t end_at_;
};

void check_equal(const Config& config) {
    const TemporaryFolder folder;
    std::vector<std::string> said;
    Log log([&said](Log::Level, const std::string& message) { said.push_back(message); });
    const RunFacts facts = run_simulation(config, {folder.path() / "out", false, "test"}, log);
    Told told;
    const SurveyInMemory survey = run_in_memory(config, {}, told, log);
    CHECK(said.size() > 4);
    CHECK(told.last == told.shots * told.steps);
    CHECK(told.cleared == 1);
    CHECK(survey.facts.identity == facts.identity);
    REQUIRE(survey.shots.size() == facts.shots.size());
    for (std::size_t i = 0; i < survey.shots.size(); ++i) {
        const ShotRecord &ours = survey.facts.shots[i], &theirs = facts.shots[i];
        CHECK(ours.shot == theirs.shot);
        CHECK(ours.seismograms == theirs.seismograms);
        CHECK(ours.wavefield == theirs.wavefield);
        CHECK(ours.largest_observed_pressure == theirs.largest_observed_pressure);
        const ShotGather written = read_gather(folder.path() / "out" / "seismograms.h5", ours.shot);
        const ShotInMemory& kept = survey.shots[i];
        CHECK(kept.gather.pressure == written.pressure);
        REQUIRE(kept.gather.motion.size() == written.motion.size());
        for (std::size_t m = 0; m < written.motion.size(); ++m) {
            CHECK(kept.gather.motion[m].quantity == written.motion[m].quantity);
            CHECK(kept.gather.motion[m].values == written.motion[m].values);
        }
        CHECK(kept.gather.receivers_m == written.receivers_m);
        CHECK(kept.gather.dt_s == written.dt_s);
        CHECK(kept.gather.wavelets == written.wavelets);
        const ShotFrames frames = read_frames(folder.path() / "out" / "snapshots.h5", ours.shot);
        CHECK(kept.frames.times_s == frames.times_s);
        CHECK(kept.frames.values == frames.values);
    }
}

}  // namespace

TEST_CASE("no sample and no value of a snapshot is larger than the largest pressure observed") {
    const auto run = [](const std::string& text, const std::vector<std::string>& overrides) {
        Told told;
        Log log([](Log::Level, const std::string&) {});
        return run_in_memory(cpu_config(text, overrides), {}, told, log);
    };
    const auto largest_of = [](std::span<const float> values) {
        REQUIRE(!values.empty());
        float largest = 0.f;
        for (const float value : values) largest = std::max(largest, std::abs(value));
        return static_cast<double>(largest);
    };
    // A receiver beside the source and snapshots between the checks of stability: both see more than these.
    const std::vector<std::string> near{"receivers=[{position_m: [201, 171, 151]}]", "output.snapshots.every_steps=14"};
    int traces_lead = 0, frames_lead = 0;
    for (std::vector<std::string> settings :
         std::vector<std::vector<std::string>>{{},
                                               {"time.stepping=leap"},
                                               {"time.order=4"},
                                               {"scheme.precision=double"},
                                               {"receivers=[{position_m: [100, 170, 100]}]"},
                                               {"time.dispersion_correction=false", "output.seismograms.dt_s=0.001"}}) {
        settings.insert(settings.begin(), near.begin(), near.end());
        const SurveyInMemory survey = run(kSmall3d, settings);
        const double told = survey.facts.shots.front().largest_observed_pressure;
        const double of_trace = largest_of(survey.shots.front().gather.pressure),
                     of_frames = largest_of(survey.shots.front().frames.values);
        CAPTURE(settings.back());
        CHECK(told >= of_trace);
        CHECK(told >= of_frames);
        CHECK(told <= 1.2 * std::max(of_trace, of_frames));
        CHECK(survey.facts.largest_observed_pressure == told);
        traces_lead += of_trace > of_frames;
        frames_lead += of_frames > of_trace;
    }
    CHECK(traces_lead > 0);
    CHECK(frames_lead > 0);
    const SurveyInMemory alone = run(kSmall2d, {"backend.batch=1"}), together = run(kSmall2d, {"backend.batch=2"});
    for (const std::size_t shot : {0u, 1u})
        CHECK(alone.facts.shots[shot].largest_observed_pressure ==
              together.facts.shots[shot].largest_observed_pressure);
}

TEST_CASE("gathers and snapshots in memory are those of files") {
    check_equal(cpu_config(kSmall2d));
    check_equal(cpu_config(kSmall2d, {"backend.batch=1"}));
    check_equal(cpu_config(kSmall3d));
    const std::vector<std::string> cut{"survey.limit_m=150", "boundary.placement=outside"},
        motion{"output.seismograms.particle_motion=[acceleration_x, velocity_z]", "output.seismograms.rho_kg_m3=1000"};
    check_equal(cpu_config(kSmall2d, cut));
    check_equal(cpu_config(kSmall2d, motion));
    check_equal(cpu_config(kSmall2d, {cut[0], cut[1], motion[0], motion[1]}));
    check_equal(cpu_config(kSmall2d, {"output.seismograms.dt_s=0.00199999", "output.seismograms.segy=ieee",
                                      "output.seismograms.unfit_dt=resample"}));
}

TEST_CASE("some shots may be computed, and the caller may end the run") {
    Log quiet([](Log::Level, const std::string&) {});
    Told told;
    const SurveyInMemory second = run_in_memory(cpu_config(kSmall2d), ShotSelection("2"), told, quiet);
    REQUIRE(second.facts.shots.size() == 1);
    CHECK(second.facts.shots.front().shot == 2);
    CHECK(second.shots.front().gather.shot == 2);
    CHECK(told.shots == 1);
    Told impatient(1);
    CHECK_THROWS_AS(run_in_memory(cpu_config(kSmall2d), {}, impatient, quiet), Interrupted);
}

TEST_CASE("a model may be handed over as arrays") {
    Log quiet([](Log::Level, const std::string&) {});
    Told told;
    const auto hash = [&](const Config& config) {
        return run_in_memory(config, {}, told, quiet).facts.shots.front().seismograms;
    };
    Config config = cpu_config(kSmall3d);
    const std::string expected = hash(config);
    const auto arrays = std::make_shared<ModelArrays>();
    arrays->shape = {40, 36, 32};
    std::vector<float>& vp = arrays->values["vp"];
    for (int z = 0; z < 32; ++z) vp.insert(vp.end(), std::size_t(40 * 36), float(1500. + 10. * z));
    config.model = ModelConfig();
    config.model.type = "array";
    config.model.arrays = arrays;
    CHECK(hash(config) == expected);

    const auto refusal = [&](const std::function<void(ModelArrays&)>& spoil) {
        const auto spoilt = std::make_shared<ModelArrays>(*arrays);
        spoil(*spoilt);
        config.model.arrays = spoilt;
        return fault_of([&] { static_cast<void>(hash(config)); });
    };
    CHECK(refusal([](ModelArrays& a) { a.values["vp"][41] = 31'000.f; }).what() ==
          doctest::Contains("vp = 31000 m/s at node (x 1, y 1, z 0)"));
    CHECK(refusal([](ModelArrays& a) {
              a.shape = {36, 40, 32};
          }).what() == doctest::Contains("[32][40][36] of [z][y][x], the grid has [32][36][40]"));
    CHECK(refusal([](ModelArrays& a) { a.values["rho"] = std::vector<float>(a.values["vp"].size(), -1.f); }).code() ==
          ExitCode::bad_data);
    CHECK(refusal([](ModelArrays& a) { a.values["vp"][41] = 2.5f; }).what() == doctest::Contains("looks like km/s"));
    CHECK(refusal([](ModelArrays& a) {
              a.ends[2] = ModelArrays::Ends{0., 31. * 5.};
          }).what() == doctest::Contains("5 m apart along z"));
    config.model.arrays = nullptr;
    CHECK(fault_of([&] { static_cast<void>(hash(config)); }).code() == ExitCode::config);
}
