// `onda plot inversion` draws from the folder of an inversion, to the byte, the pictures that the run made, and those
// of earlier iterations; `onda plot model --minus` what a model has more than another; what is not there is said with
// what is. Takes 4 s.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/io/png_image.hpp"
#include "tests/program/process.hpp"

using namespace onda;
namespace fs = std::filesystem;

namespace {

const std::string kHalfSurvey = R"(schema_version: 1
title: a fast half
grid: {shape: [31, 31], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.25}
boundary: {cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [40, 80], last_m: [40, 240], count: 3}]
receivers: [{type: line, first_m: [260, 20], last_m: [260, 280], count: 14}]
backend: {name: cpu, threads: 1}
)";
const std::string kHalfInversion = R"(output: {report: false}
imaging: {observed: true/seismograms.h5}
inversion:
  true_model: true.h5
  vp_m_s: {min: 1900, max: 2300}
  source_taper_m: 30
  wells: [{position_m: [150], name: middle}, {position_m: [200]}]
  stages:
  - {iterations: 1, spacing_m: 20, band_pass: {high_hz: 10}}
  - {iterations: 2}
)";
const std::string kFastHalf = "model={type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 150, vp_m_s: 2100}]}";

/// A folder with an inversion of two stages on different grids in `out`, made once.
struct InvertedPlace {
    InvertedPlace() {
        write_text(path("survey.yaml"), kHalfSurvey);
        write_text(path("fwi.yaml"), kHalfSurvey + kHalfInversion);
        succeed({"model", path("survey.yaml"), "--set", kFastHalf, "-o", path("true.h5"), "--no-pictures"});
        succeed({"run", path("survey.yaml"), "--set", kFastHalf, "--set", "output={pictures: false, report: false}",
                 "--output", path("true")});
        succeed({"fwi", path("fwi.yaml"), "--output", path("out")});
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    static void succeed(const std::vector<std::string>& arguments) {
        const Outcome done = run_onda(arguments);
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    /// onda plot, with '@' for the folder.
    [[nodiscard]] Outcome plot(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "plot");
        for (std::string& argument : arguments)
            if (argument.starts_with('@')) argument = path(argument.substr(1));
        return run_onda(arguments);
    }
    /// The bytes of the picture that is made of an inversion.
    std::string drawn(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"inversion", "@out"});
        arguments.insert(arguments.end(), {"-o", "@p.png", "--force"});
        const Outcome outcome = plot(std::move(arguments));
        REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
        CHECK(outcome.out == path("p.png") + "\n");
        return text_of(path("p.png"));
    }
    void check_refusal(const std::vector<std::string>& arguments, int code, const std::string& text) const {
        const Outcome outcome = plot(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == code);
        CHECK(contains(outcome.err, text));
    }
    TemporaryFolder folder;
};

const InvertedPlace& inverted() {
    static const InvertedPlace place;
    return place;
}

}  // namespace

TEST_CASE("pictures of an inversion are drawn again, to the byte") {
    const InvertedPlace& place = inverted();
    const auto of_run = [&](const std::string& name) { return text_of(place.path("out/" + name)); };
    CHECK(place.drawn({}) == of_run("iterations.png"));
    CHECK(place.drawn({"--what", "misfit"}) == of_run("iterations.png"));
    CHECK(place.drawn({"--what", "model"}) == of_run("model.png"));
    CHECK(place.drawn({"--what", "shots"}) == of_run("misfit_by_shot.png"));
    CHECK(place.drawn({"--what", "gathers"}) == of_run("gathers.png"));
    CHECK(place.drawn({"--what", "spectra"}) == of_run("spectra.png"));
    CHECK(place.drawn({"--what", "wells"}) == of_run("wells.png"));
    CHECK(place.drawn({"--what", "wells", "--iteration", "1-0"}) != of_run("wells.png"));
    CHECK(place.drawn({"--what", "model", "--iteration", "2-2"}) == of_run("model.png"));
    CHECK(place.drawn({"--what", "gathers", "--iteration", "2-002", "--shot", "2"}) == of_run("gathers.png"));
}

TEST_CASE("any iteration of any stage is drawn, on the grid of its stage, beside the folder's results or elsewhere") {
    const InvertedPlace& place = inverted();
    const std::string last = place.drawn({"--what", "model"});
    for (const char* iteration : {"1-0", "1-001", "2-0", "2-1"})
        CHECK(place.drawn({"--what", "model", "--iteration", iteration}) != last);
    place.drawn({"--what", "model", "--iteration", "1-0"});
    const Image first = read_png(place.path("p.png"));
    CHECK(std::ranges::count(first.pixels, kBlueRed.at(0.5)) > 50'000);  // all of the difference
    // As the last stage begins all shots are predicted, as it ends one.
    CHECK(place.drawn({"--what", "gathers", "--iteration", "2-0", "--shot", "1"}) !=
          place.drawn({"--what", "gathers", "--iteration", "2-0", "--shot", "3"}));
    CHECK(place.drawn({"--what", "shots", "--iteration", "1-1"}) != place.drawn({"--what", "shots"}));
    CHECK(place.drawn({"--width", "777"}) != place.drawn({}));
    const Outcome beside = place.plot({"inversion", "@out", "--what", "model", "--iteration", "1-1"});
    CHECK(beside.out == place.path("out/plot_model_1-001.png") + "\n");
    CHECK(place.plot({"inversion", "@out", "-o", "@m.pdf", "--title", "other"}).code == 0);
    CHECK(text_of(place.path("m.pdf")).starts_with("%PDF"));
}

TEST_CASE("a model less another is white where they are equal and has both ends of the scale where they differ") {
    const InvertedPlace& place = inverted();
    const auto at = [&](const std::vector<std::string>& files, double down) {
        std::vector<std::string> arguments{"model", files[0], "--minus", files[1], "-o", "@d.png", "--force"};
        const Outcome outcome = place.plot(arguments);
        REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
        const Image image = read_png(place.path("d.png"));
        const Plot plot = find_plot(image);
        return image.at(plot.left + plot.width / 2, plot.top + static_cast<int>(down * plot.height));
    };
    CHECK(at({"@true.h5", "@survey.yaml"}, 0.2) == kBlueRed.at(0.5));
    CHECK(at({"@true.h5", "@survey.yaml"}, 0.8) == kBlueRed.at(1.));
    CHECK(at({"@survey.yaml", "@true.h5"}, 0.8) == kBlueRed.at(0.));
    place.check_refusal({"model", "@true.h5", "--minus", "@out/iterations/1-000/model.h5"}, 65,
                        "has another grid than " + place.path("true.h5"));
    place.check_refusal({"model", "@true.h5", "--minus", "@true.h5", "--map", "viridis"}, 64,
                        "--map viridis: is for values of one sign, and differences have both");
    place.check_refusal({"model", "@true.h5", "--clip-percentile", "90"}, 64, "is of differences (--minus)");
}

TEST_CASE("what an inversion has not is said with what it has") {
    const InvertedPlace& place = inverted();
    place.check_refusal({"inversion", "@out", "--what", "model", "--iteration", "3-1"}, 64,
                        "--iteration 3-1: STAGE-ITERATION of " + place.path("out/iterations.csv") +
                            ", which has 1-000 to 1-001, 2-000 to 2-002");
    place.check_refusal({"inversion", "@out", "--iteration", "1-1"}, 64,
                        "--iteration is not of --what misfit, which shows all of them");
    place.check_refusal({"inversion", "@out", "--what", "model", "--shot", "1"}, 64, "--shot is of --what gathers");
    place.check_refusal({"inversion", "@out", "--what", "gathers", "--iteration", "2-1"}, 66,
                        "2-001: no seismograms were predicted in this model; they were in 1-000, 1-001, 2-000, 2-002");
    place.check_refusal({"inversion", "@out", "--what", "gathers", "--shot", "1"}, 64,
                        "--shot 1: was not predicted in the first model and in that of 2-002; there is 2");
    place.check_refusal({"inversion", "@true"}, 66, "holds no inversion: it has no iterations.csv");
    place.check_refusal({"inversion", "@absent"}, 66, "absent: no such file or folder");

    // Killed on the way: files that are not there yet, or were not copied along.
    fs::copy(place.path("out"), place.path("killed"), fs::copy_options::recursive);
    fs::remove(place.path("killed/iterations/2-001/model.h5"));
    fs::remove(place.path("killed/iterations/2-001/iteration.json"));
    place.check_refusal({"inversion", "@killed", "--what", "model", "--iteration", "2-1"}, 66,
                        "2-001/model.h5: no such file, which has the model of this iteration");
    place.check_refusal({"inversion", "@killed", "--what", "shots", "--iteration", "2-1"}, 66,
                        "2-001: has no iteration.json");
    fs::remove(place.path("killed/iterations.csv"));
    place.check_refusal({"inversion", "@killed"}, 66,
                        "has no iterations.csv yet: the inversion ended before it published results, with the "
                        "iterations 1-000 to 1-001, 2-000; run the same command again to go on");
    // The table alone has the curves.
    fs::create_directory(place.path("copied"));
    fs::copy(place.path("out/iterations.csv"), place.path("copied"));
    CHECK(place.plot({"inversion", "@copied"}).code == 0);
    place.check_refusal({"inversion", "@copied", "--what", "gathers"}, 66, "has no seismograms.h5");
    write_text(place.path("copied/iterations.csv"), "stage,misfit\n1,2\n");
    place.check_refusal({"inversion", "@copied"}, 65, "iterations.csv:1:");
}
