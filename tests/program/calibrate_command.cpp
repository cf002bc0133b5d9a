// `onda bench calibrate` fits the model to measured steps and judges it by others, `onda predict --model calibrated`
// uses what was kept, and both say what is wrong with what they are given.
// Takes 7 s.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/text/error.hpp"
#include "solver/performance/model/calibration.hpp"
#include "solver/program/build.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

/// Steps that were measured on an H200, of which some are to be fitted.
const std::string kSteps = std::string(ONDA_SOURCE_DIR) + "/tests/solver/h200_steps.csv";

/// A cache folder of its own, for this process and for those that it starts.
struct OwnCache {
    TemporaryFolder folder;
    OwnCache() { setenv("XDG_CACHE_HOME", folder.path().c_str(), 1); }
    ~OwnCache() { unsetenv("XDG_CACHE_HOME"); }
};

/// The number in a column of the line that begins so.
double number_in(const std::string& text, const std::string& line, std::size_t column) {
    const std::size_t at = text.find("\n" + line);
    REQUIRE(at != std::string::npos);
    std::istringstream words(text.substr(at + 1 + line.size()));
    double value = 0.;
    for (std::size_t i = 0; i <= column; ++i) words >> value;
    return value;
}

}  // namespace

TEST_CASE("the model fits steps of an H200 that nothing was fitted to, and Tang's does not") {
    const OwnCache cache;
    const TemporaryFolder folder;
    const std::string plot = (folder.path() / "model.png").string(), copy = (folder.path() / "copy.csv").string();
    const Outcome outcome = run_onda({"bench", "calibrate", "--from", kSteps, "--plot", plot, "--csv", copy, "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CAPTURE(outcome.out);
    CHECK(number_in(outcome.out, "calibrated model", 0) >= 200.);  // steps
    CHECK(number_in(outcome.out, "calibrated model", 1) <= 8.);    // median error in percent
    CHECK(number_in(outcome.out, "calibrated model", 4) >= 95.);   // percent of them within 25 %
    CHECK(number_in(outcome.out, "of these, in-plane in 3-D: calibrated model", 2) <= 25.);  // the worst
    CHECK(number_in(outcome.out, "the same steps: Tang et al. (2013)", 1) > 25.);
    CHECK(text_of(plot).substr(1, 3) == "PNG");
    CHECK(contains(text_of(copy), "inplane-vertical"));
    // Nothing is kept unless asked for, and nothing is overwritten.
    CHECK(!contains(outcome.out, "kept in"));
    CHECK(run_onda({"bench", "calibrate", "--from", kSteps, "--csv", copy}).code != 0);

    const Outcome kept = run_onda({"bench", "calibrate", "--from", copy, "--keep"});
    REQUIRE(kept.code == 0);
    CHECK(contains(kept.out, "kept in " + cache.folder.path().string()));
    const auto found = gpu_calibration("NVIDIA H200");
    REQUIRE(found);
    CHECK(contains(found->source, "fitted to "));
}

TEST_CASE("the model fits steps of an H200 that were drawn, with layers, in double precision, with any tile") {
    const OwnCache cache;
    const std::string drawn = std::string(ONDA_SOURCE_DIR) + "/tests/solver/h200_drawn_steps.csv";
    const Outcome outcome = run_onda({"bench", "calibrate", "--from", drawn});
    CAPTURE(outcome.out);
    REQUIRE(outcome.code == 0);
    CHECK(number_in(outcome.out, "calibrated model", 0) >= 200.);  // steps
    CHECK(number_in(outcome.out, "calibrated model", 1) <= 8.);    // median error in percent
    CHECK(number_in(outcome.out, "calibrated model", 4) >= 92.);   // percent of them within 25 %
}

TEST_CASE("tables of steps that are none are refused") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "steps.csv").string();
    write_text(file, "kernel,order\ndirect,8\n");
    const Outcome none = run_onda({"bench", "calibrate", "--from", file});
    CHECK(none.code == static_cast<int>(ExitCode::bad_data));
    CHECK(contains(none.err, "steps.csv:1: this is not a table of measured steps"));
    CHECK(run_onda({"bench", "calibrate", "--from", file + ".none"}).code == static_cast<int>(ExitCode::missing_input));
    const Outcome picture = run_onda({"bench", "calibrate", "--from", kSteps, "--plot", file});
    CHECK(picture.code == static_cast<int>(ExitCode::usage));
    CHECK(contains(picture.err, "pictures are .png or .pdf or .svg"));
}

TEST_CASE("steps are predicted with what was measured here") {
    const OwnCache cache;
    const std::vector<std::string> on_cpu{"predict", "--model", "calibrated", "--device", "cpu"};
    const Outcome before = run_onda(on_cpu);
    CHECK(before.code == static_cast<int>(ExitCode::missing_input));
    CHECK(contains(before.err, "`onda bench calibrate cpu`"));

    CpuCalibration calibration;
    calibration.device = host().cpu;
    calibration.source = "made up for a test";
    keep_calibration(calibration);
    const auto predicted = [&on_cpu](std::vector<std::string> more) {
        std::vector<std::string> arguments = on_cpu;
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.emplace_back("--json");
        const Outcome outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return Json::parse(outcome.out);
    };
    const Json small = predicted({"--grid", "64x64x64", "--kernel", "vectorised", "reference"});
    CHECK(small["source"] == "made up for a test");
    REQUIRE(small["steps"].size() == 2);
    CHECK(small["steps"][1]["kernel"] == "reference");
    const Json large = predicted({"--grid", "512x512x512", "--order", "12"});
    CHECK(large["steps"][0]["step_s"].get<double>() > 100. * small["steps"][0]["step_s"].get<double>());
    CHECK(large["steps"][0]["space_order"] == 12);
    const Json plane = predicted({"--grid", "600x400", "--batch", "3"});
    CHECK(plane["steps"][0]["nodes_xyz"] == Json({600, 1, 400}));
    CHECK(plane["steps"][0]["shots"] == 3);
    CHECK(predicted({"--boundary", "cpml"})["steps"][0]["step_s"] > predicted({})["steps"][0]["step_s"]);

    const Outcome table = run_onda(on_cpu);
    CHECK(contains(table.out, "made up for a test"));
    CHECK(contains(table.out, "bound by"));
}

TEST_CASE("a configuration's own step is predicted, and what cannot be is refused") {
    const OwnCache cache;
    CpuCalibration calibration;
    calibration.device = host().cpu;
    keep_calibration(calibration);
    const TemporaryFolder folder;
    const std::string config = (folder.path() / "small.yaml").string();
    write_text(config, kSmall2d + "backend: {name: cpu}\n");
    const Outcome outcome = run_onda({"predict", "--model", "calibrated", "--config", config, "--json"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(Json::parse(outcome.out)["steps"][0]["nodes_xyz"][1] == 1);

    const auto refused = [](std::vector<std::string> arguments, const std::string& why) {
        arguments.insert(arguments.begin(), {"predict", "--model", "calibrated"});
        const Outcome o = run_onda(arguments);
        CAPTURE(o.err);
        CHECK(o.code == static_cast<int>(ExitCode::usage));
        CHECK(contains(o.err, why));
    };
    refused({"--config", config, "--order", "4"}, "leave --grid, --order and --device out");
    refused({"--device", "k40"}, "knows the devices of this machine");
    refused({"--device", "cpu", "--kernel", "vectorized"}, "did you mean 'vectorised'?");
    refused({"--device", "cpu", "--grid", "12"}, "--grid '12'");
    refused({"--device", "cpu", "--tile", "8x8"}, "--tile is an option of --model tang");
}
