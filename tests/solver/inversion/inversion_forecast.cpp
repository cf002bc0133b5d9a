// What `onda check --fwi` foretells of an inversion is what it takes: disk within 30 %, memory no less than each pass
// says that it took, but for what the program itself takes more or less, and as many shots, iterations and nodes; and
// it refuses what `onda fwi` refuses, in its words. Takes 8 s.
#include "solver/inversion/inversion_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/files/npy_header.hpp"
#include "io/text/error.hpp"
#include "solver/inversion/full_waveform_inversion.hpp"
#include "solver/inversion/inversion_preparation.hpp"
#include "solver/plan/names.hpp"
#include "tests/program/program.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

using Json = nlohmann::json;
using Path = std::filesystem::path;

constexpr const char* kSurvey = R"(schema_version: 1
grid: {shape: [81, 61], spacing_m: 12.5}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.8}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 8}
sources: [{type: line, first_m: [100, 100], last_m: [100, 650], count: 4}]
receivers: [{type: line, first_m: [900, 50], last_m: [900, 700], count: 27}]
backend: {name: cpu}
output: {pictures: false, report: false}
)";
constexpr const char* kFitted = R"(imaging: {observed: observed/seismograms.h5}
inversion:
  vp_m_s: {min: 1800, max: 2400}
  stages:
    - {iterations: 2, band_pass: {high_hz: 6}, every_shot: 2, spacing_m: 25}
    - {iterations: 2}
)";

/// A folder where the observed data are named, and never read.
struct NamedData {
    NamedData() {
        std::filesystem::create_directories(folder.path() / "observed");
        write_text(folder.path() / "observed/seismograms.h5", "");
    }
    /// A mask that holds the first columns of the survey's grid.
    void write_mask(const std::string& name, std::size_t columns) const {
        std::string bytes = npy_header({61, 81});
        for (std::size_t i = 0; i < 81 * 61; ++i) {
            const float part = i % 81 < columns ? 0.F : 1.F;
            bytes.append(reinterpret_cast<const char*>(&part), sizeof(part));
        }
        write_text(folder.path() / name, bytes);
    }
    [[nodiscard]] Path path() const { return folder.path(); }
    TemporaryFolder folder;
};

Config config_of(const Path& folder, const std::string& text, const std::vector<std::string>& settings = {}) {
    return read_config_text(text, folder / "fwi.yaml", vocabulary(), settings);
}

/// A folder with data of a faster model, and an inversion of them that was run.
struct ForetoldInversion {
    explicit ForetoldInversion(const std::vector<std::string>& settings) {
        write_text(folder.path() / "survey.yaml", kSurvey);
        write_text(folder.path() / "fwi.yaml", std::string(kSurvey) + kFitted);
        run({"run", folder.path() / "survey.yaml", "-o", folder.path() / "observed", "--set", "model.vp_m_s=2060"});
        std::vector<std::string> invert{"fwi", folder.path() / "fwi.yaml", "-o", results()};
        for (const std::string& setting : settings) invert.insert(invert.end(), {"--set", setting});
        run(invert);
        config = config_of(folder.path(), std::string(kSurvey) + kFitted, settings);
    }
    /// Programs of their own, whose memory is theirs alone.
    static void run(const std::vector<std::string>& arguments) {
        const Outcome done = run_onda(arguments);
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    [[nodiscard]] Path results() const { return folder.path() / "inverted"; }
    /// The folders of the iterations of a stage.
    [[nodiscard]] std::vector<Path> iterations(std::int64_t stage) const {
        std::vector<Path> found;
        for (const auto& entry : std::filesystem::directory_iterator(results() / "iterations"))
            if (entry.path().filename().string().starts_with(std::to_string(stage) + "-")) found.push_back(entry);
        return found;
    }
    [[nodiscard]] double written(std::int64_t stage) const {
        double bytes = 0.;
        for (const Path& iteration : iterations(stage))
            for (const auto& entry : std::filesystem::recursive_directory_iterator(iteration))
                if (entry.is_regular_file()) bytes += double(entry.file_size());
        return bytes;
    }
    /// The summaries of all passes of a stage.
    [[nodiscard]] std::vector<Json> summaries(std::int64_t stage) const {
        std::vector<Json> found;
        for (const Path& iteration : iterations(stage))
            for (const auto& entry : std::filesystem::recursive_directory_iterator(iteration))
                if (entry.path().filename() == "summary.json") found.push_back(Json::parse(text_of(entry)));
        return found;
    }

    TemporaryFolder folder;
    Config config;
};

/// How it is refused.
template <typename Act>
std::string refusal_of(Act&& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("the forecast of an inversion is what it takes") {
    std::vector<std::string> settings;
    SUBCASE("velocities alone") {}
    SUBCASE("velocities and densities, every second shot in trials") {
        settings = {"model={type: layered, layers: [{top_m: 0, vp_m_s: 2000, rho_kg_m3: 1000}]}",
                    "inversion.density=inverted", "inversion.every_trial_shot=2"};
    }
    const ForetoldInversion run(settings);
    const std::vector<StageForecast> stages = forecast_inversion(run.config, {}, false, run.results());
    REQUIRE(stages.size() == 2);
    CHECK(stages[0].plan.domain.grid.n == std::array<std::int64_t, 3>{41, 1, 31});
    CHECK(stages[1].plan.domain.grid.n == std::array<std::int64_t, 3>{81, 1, 61});
    CHECK(stages[0].shots == 2);
    CHECK(stages[1].shots == 4);
    CHECK(stages[0].frequency_hz == 6.);
    CHECK(stages[1].frequency_hz == 8.);
    double foretold = 0.;  // of this stage and those before it
    for (const StageForecast& stage : stages) {
        CAPTURE(stage.number);
        CHECK(stage.iterations == 2);
        CHECK(!stage.run_time);
        CHECK(stage.seconds == 0.);
        CHECK(stage.device_bytes == 0);
        REQUIRE(std::ssize(run.iterations(stage.number)) == 3);
        const double written = run.written(stage.number);
        MESSAGE("disk: foretold ", double(stage.disk_bytes), ", written ", written);
        CHECK(std::abs(double(stage.disk_bytes) - written) <= 0.3 * written);
        foretold = std::max(foretold, double(stage.host_bytes));
        double most = 0., predicted = 0.;
        for (const Json& summary : run.summaries(stage.number)) {
            CHECK(summary["time"]["dt_s"].get<double>() == stage.plan.time.dt_s);
            most = std::max(most, summary["memory"]["peak_bytes"].get<double>());
            predicted = std::max(predicted, summary["memory"]["predicted_bytes"].get<double>());
        }
        MESSAGE("memory: foretold ", foretold, ", at the peak ", most, ", largest pass ", predicted);
        CHECK(foretold > predicted);
        // What of the program and its libraries is mapped is not foretold to more than that (check_prediction).
        if (!onda::test::kSanitized) CHECK(foretold >= most - std::max(0.03 * most, 4e6));
    }
}

TEST_CASE("the time of a stage is that of its passes, and stages of the same passes have the same") {
    const NamedData folder;
    const std::vector<StageForecast> stages = forecast_inversion(
        config_of(folder.path(), std::string(kSurvey) + kFitted,
                  {"inversion.stages=[{iterations: 2, spacing_m: 25}, {iterations: 4, spacing_m: 25, "
                   "band_pass: {high_hz: 6}}]"}),
        {}, true, folder.path());
    REQUIRE(stages.size() == 2);
    for (const StageForecast& stage : stages) {
        CHECK(stage.trial_s > 0.);
        CHECK(stage.gradient_s > 0.);
        CHECK(stage.gradient_s < stage.run_time.value().seconds);  // which has the start of a program
        // As many gradients as iterations, 1.5 trials each, and all four shots predicted once, at the end one again.
        const auto iterations = double(stage.iterations);
        constexpr double predicted = 1.25;
        CHECK(stage.seconds ==
              doctest::Approx(iterations * stage.gradient_s + (1.5 * iterations + predicted) * stage.trial_s));
    }
    CHECK(stages[1].gradient_s == stages[0].gradient_s);
    CHECK(stages[1].trial_s == stages[0].trial_s);
}

TEST_CASE("nodes that are held are counted on the grid of each stage") {
    const NamedData folder;
    folder.write_mask("left.npy", 40);
    const auto held = [&](const std::vector<std::string>& settings) {
        std::vector<std::int64_t> counts;
        const Config config = config_of(folder.path(), std::string(kSurvey) + kFitted, settings);
        for (const StageForecast& stage : forecast_inversion(config, {}, false, folder.path()))
            counts.push_back(stage.held.value());
        return counts;
    };
    using Counts = std::vector<std::int64_t>;
    CHECK(held({}) == Counts{0, 0});
    CHECK(held({"inversion.mask=left.npy"}) == Counts{31 * 20, 61 * 40});
    CHECK(held({"inversion.mask=left.npy", "inversion.hold_depth_m=100"}) ==
          Counts{5 * 41 + 26 * 20, 9 * 81 + 52 * 40});
    CHECK(held({"model={type: layered, layers: [{top_m: 0, vp_m_s: 1800}, {top_m: 300, vp_m_s: 2000}]}",
                "inversion.water_m_s=1850"}) == Counts{12 * 41, 24 * 81});
}

TEST_CASE("what onda fwi refuses is refused, in the same words") {
    const NamedData folder;
    folder.write_mask("zeros.npy", 81);
    const std::string survey = kSurvey, fitted = survey + kFitted;
    struct Case {
        std::string text;
        std::vector<std::string> settings;
        std::string words;
    };
    for (const Case& refused : std::vector<Case>{
             {survey, {}, "an inversion needs to know what to fit"},
             {survey + "inversion: {stages: [{}]}\n", {}, "an inversion fits seismograms to observed ones"},
             {fitted, {"inversion.vp_m_s.min=2100"}, "the start model has a velocity of 2000 m/s"},
             {fitted, {"inversion.vp_m_s={min: 2400, max: 2300}"}, "min must be less than max"},
             {fitted, {"inversion.density=gardner"}, "the density of the model is constant"},
             {fitted, {"inversion.mask=zeros.npy"}, "holds every node"},
             {fitted, {"inversion.wells=[{position_m: [1001]}]"}, "x = 1001 is outside the grid"},
             {fitted, {"inversion.stages[0].spacing_m=17"}, "does not divide"},
             {fitted, {"inversion.stages[1].random_shots=5"}, "there are 4 shots to draw from"}}) {
        CAPTURE(refused.words);
        const Config config = config_of(folder.path(), refused.text, refused.settings);
        const std::string foretold =
            refusal_of([&] { (void)forecast_inversion(config, {}, false, folder.path() / "inverted"); });
        CHECK_MESSAGE(foretold.find(refused.words) != std::string::npos, foretold);
        Log log([](Log::Level, const std::string&) {});
        RunOptions options{};
        options.folder = folder.path() / "inverted";
        CHECK(foretold == refusal_of([&] { invert_waveforms(config, options, log); }));
    }
}

TEST_CASE("bounds that are left to the program follow from the start model, told or made") {
    const NamedData folder;
    const std::string fitted = std::string(kSurvey) + kFitted;
    // Of a smoothed model only bounds are told, which it does not reach.
    const std::string steps = "type: layered, layers: [{top_m: 0, vp_m_s: 1800}, {top_m: 300, vp_m_s: 2400}]";
    for (const std::string& smooth : {std::string(), std::string(", smooth_m: 100")}) {
        CAPTURE(smooth);
        const Config config = config_of(
            folder.path(), fitted,
            {"model={" + steps + smooth + "}", "inversion.vp_m_s={max: 3000}", "inversion.stages=[{iterations: 1}]"});
        const PreparedInversion prepared = prepare_inversion(config, {});
        const Grid grid = forecast_inversion(config, {}, false, folder.path())[0].plan.domain.grid;
        const Model model = make_model(config.model, Equation::star, grid, config.origin);
        CHECK(prepared.config.inversion->vp_m_s.max == 3000.);
        CHECK(prepared.config.inversion->vp_m_s.min.value() == doctest::Approx(double(model.vp().min) / 1.2));
        CHECK(!prepared.start.has_density);
    }
}
