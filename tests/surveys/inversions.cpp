// `onda fwi` from observed data to a model: it finds the body that the data were made with, has the same bits whoever
// computes it and however often it was ended, and refuses by name what it cannot do.
// Takes 40 s.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/files/npy_header.hpp"
#include "io/models/model_file.hpp"
#include "io/models/points_file.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/density.hpp"
#include "solver/model/model_builders.hpp"
#include "tests/program/process.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

/// Sources in the left well and along the top, receivers in the right well and along the bottom: rays cross everywhere.
const std::string kAroundALens = R"(schema_version: 1
grid: {shape: [41, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.35}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
- {type: line, first_m: [40, 80], last_m: [40, 320], count: 2}
- {type: line, first_m: [80, 40], last_m: [320, 40], count: 2}
receivers:
- {type: line, first_m: [360, 20], last_m: [360, 360], count: 35}
- {type: line, first_m: [20, 360], last_m: [340, 360], count: 33}
backend: {name: cpu, threads: 1}
output: {pictures: false, report: false}
)";
const std::string kLens =
    "model={type: inclusions, vp_m_s: 2000, inclusions: [{shape: sphere, center_m: [200, 200], radius_m: 100, vp_m_s: "
    "2200}], smooth_m: 50}";
const std::string kInversion = R"(imaging: {observed: true/seismograms.h5}
inversion:
  true_model: true.h5
  vp_m_s: {min: 1900, max: 2300}
  source_taper_m: 40
  receiver_taper_m: 40
  smooth_wavelengths: 0.2
  stages:
  - {iterations: 2, band_pass: {high_hz: 10}}
)";
constexpr std::int64_t kNodes = 41;
const std::string kTwoStages = "inversion.stages=[{iterations: 1, band_pass: {high_hz: 10}}, {iterations: 2}]";

const std::string kLensStages = "inversion.stages=[{iterations: 3, band_pass: {high_hz: 10}}, {iterations: 4}]",
                  kWithPage = "output={pictures: true, report: true}";

std::vector<std::string> with_settings(std::vector<std::string> arguments, const std::vector<std::string>& settings) {
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
}

using InversionRow = std::map<std::string, double>;

/// A folder with observed data of the lens, and inversions that begin without it.
struct LensPlace {
    LensPlace() {
        write_text(folder.path() / "survey.yaml", kAroundALens);
        write_text(folder.path() / "fwi.yaml", kAroundALens + kInversion);
        observe("true", {kLens});
        write_model("true.h5", {kLens});
    }
    void write_model(const std::string& name, const std::vector<std::string>& settings) const {
        const Outcome done = run_onda(with_settings(
            {"model", folder.path() / "survey.yaml", "-o", folder.path() / name, "--no-pictures"}, settings));
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    void observe(const std::string& name, const std::vector<std::string>& settings) const {
        const Outcome done =
            run_onda(with_settings({"run", folder.path() / "survey.yaml", "--output", folder.path() / name}, settings));
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    [[nodiscard]] std::filesystem::path out(const std::string& name) const { return folder.path() / name; }
    [[nodiscard]] std::vector<std::string> command(const std::string& name,
                                                   const std::vector<std::string>& settings = {}) const {
        return with_settings({"fwi", folder.path() / "fwi.yaml", "--output", out(name)}, settings);
    }
    [[nodiscard]] Outcome invert(const std::string& name, const std::vector<std::string>& settings = {},
                                 const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments = command(name, settings);
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments);
    }
    /// Inverts, to the end. \returns the lines of iterations.csv by the names of their columns.
    std::vector<InversionRow> rows_of(const std::string& name, const std::vector<std::string>& settings = {}) const {
        const Outcome done = invert(name, settings);
        REQUIRE_MESSAGE(done.code == 0, done.err);
        return rows(name);
    }
    [[nodiscard]] std::vector<InversionRow> rows(const std::string& name) const {
        const auto cells = [](const std::string& line) {
            std::vector<std::string> of_line;
            std::istringstream stream(line);
            for (std::string cell; std::getline(stream, cell, ',');) of_line.push_back(cell);
            return of_line;
        };
        std::ifstream file(out(name) / "iterations.csv");
        std::string line;
        std::getline(file, line);
        const std::vector<std::string> names = cells(line);
        std::vector<InversionRow> all;
        while (std::getline(file, line)) {
            const std::vector<std::string> values = cells(line);
            InversionRow& row = all.emplace_back();
            for (std::size_t i = 0; i < values.size() && i < names.size(); ++i) row[names[i]] = std::stod(values[i]);
        }
        return all;
    }
    /// Velocities of a model file, on `nodes` x `nodes` nodes.
    [[nodiscard]] std::vector<float> velocities(const std::filesystem::path& file, std::int64_t nodes = kNodes) const {
        const ModelFile model(file);
        REQUIRE(model.geometry().shape == std::array<std::int64_t, 3>{nodes, 1, nodes});
        std::vector<float> vp(static_cast<std::size_t>(nodes * nodes));
        model.read({}, model.geometry().shape, vp);
        return vp;
    }
    [[nodiscard]] std::vector<float> found(const std::string& name) const { return velocities(out(name) / "model.h5"); }
    [[nodiscard]] std::vector<float> densities(const std::string& name) const {
        const ModelFile model(out(name) / "model.h5");
        std::vector<float> rho(static_cast<std::size_t>(kNodes * kNodes));
        REQUIRE(model.has(quantity_of(kRho)));
        model.read(quantity_of(kRho), {}, model.geometry().shape, rho);
        return rho;
    }
    [[nodiscard]] std::string table(const std::string& name) const { return text_of(out(name) / "iterations.csv"); }
    /// Whether two inversions ended with the same bits, and came there by the same iterations.
    [[nodiscard]] bool same(const std::string& a, const std::string& b) const {
        return found(a) == found(b) && !table(a).empty() && table(a) == table(b);
    }
    TemporaryFolder folder;
};

const LensPlace& lens_place() {
    static const LensPlace place;
    return place;
}

/// The inversion of kTwoStages from its beginning to its end, by one thread.
const std::string& uninterrupted_inversion() {
    static const std::string name = [] {
        lens_place().rows_of("uninterrupted", {kTwoStages});
        return std::string("uninterrupted");
    }();
    return name;
}

/// The misfits of a stage from its first line to its last, each less than the one before.
void check_falling(const std::vector<InversionRow>& rows, double to_relative) {
    REQUIRE(!rows.empty());
    for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i].at("stage") == rows[i - 1].at("stage")) CHECK(rows[i].at("misfit") < rows[i - 1].at("misfit"));
    CHECK(rows.back().at("iteration") >= 1.);
    CHECK(rows.back().at("relative") < to_relative);
}

double error_of(const InversionRow& row) {
    return row.at("model_error_percent");
}

/// The value of the centre of the lens.
float at_centre(const std::vector<float>& values) {
    return values[static_cast<std::size_t>(kNodes / 2 * kNodes + kNodes / 2)];
}

}  // namespace

TEST_CASE("a lens between two wells, the surface and a drift is found") {
    const LensPlace& place = lens_place();
    const std::vector<InversionRow> rows =
        place.rows_of("lens", {kLensStages, kWithPage, "inversion.wells=[{position_m: [200]}]"});
    REQUIRE(rows.size() == 9);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("stage") == (i < 4 ? 1. : 2.));
        CHECK(rows[i].at("iteration") == static_cast<double>(i < 4 ? i : i - 4));
        CHECK(rows[i].at("shots") == 4.);
        CHECK(rows[i].at("penalty") == 0.);
    }
    check_falling(rows, 0.06);             // 0.032
    CHECK(rows[3].at("relative") < 0.04);  // 0.018
    CHECK(rows[4].at("relative") == 1.);
    // Of the objective, where directions were found.
    for (const std::size_t i : {0, 1, 2, 4, 5, 6, 7}) CHECK(rows[i].at("gradient") > 0.);
    CHECK(rows[2].at("gradient") < rows[0].at("gradient"));

    // A tenth of the error that it began with; within 0.1 % of the velocity at the centre, where the lens has 170 m/s.
    CHECK(error_of(rows.back()) < 0.15 * error_of(rows.front()));
    CHECK(error_of(rows[4]) == error_of(rows[3]));
    const std::vector<float> model = place.found("lens"), truth = place.velocities(place.folder.path() / "true.h5");
    CHECK(at_centre(truth) - 2000.F > 160.F);
    CHECK((at_centre(model) - 2000.F) / (at_centre(truth) - 2000.F) == doctest::Approx(1.).epsilon(0.03));
    double difference = 0., norm = 0.;
    for (std::size_t i = 0; i < model.size(); ++i) {
        difference += std::pow(double(model[i]) - double(truth[i]), 2);
        norm += std::pow(double(truth[i]), 2);
    }
    CHECK(error_of(rows.back()) == doctest::Approx(100. * std::sqrt(difference / norm)).epsilon(1e-6));
    for (const char* name : {"config.yaml", "summary.json", "onda.log", "gathers.png", "spectra.png", "wells.png"})
        CHECK(std::filesystem::exists(place.out("lens") / name));
    // The shot that is shown is predicted as each stage ends.
    for (const char* last : {"1-003", "2-004"})
        CHECK(std::filesystem::exists(place.out("lens") / "iterations" / last / "shown" / "seismograms.h5"));
    const std::string page = text_of(place.out("lens") / "iterations.html");
    for (const char* part : {">Wells<", ">true model<", ">Stages<", "up to 10 Hz", ">Misfit by shot<", ">Gathers<",
                             ">Spectra<", "Shot 3 after stage 2, iteration 4"})
        CHECK_MESSAGE(contains(page, part), part);
    CHECK_FALSE(contains(page, ">log<"));

    // Wells may be added to what is there.
    write_text(place.folder.path() / "log.csv", "depth_m,vp_m_s\n100,2010\n200,2190\n");
    const std::vector<std::string> other{kLensStages, kWithPage,
                                         "inversion.wells=[{position_m: [150], name: W 1, file: log.csv}]"};
    const std::string before = place.table("lens");
    place.rows_of("lens", other);
    CHECK(place.found("lens") == model);
    CHECK(place.table("lens") == before);
    CHECK(contains(text_of(place.out("lens") / "iterations.html"), "W 1, x = 150 m"));
    CHECK(contains(place.invert("lens", other).err, "nothing is left to do"));
}

// Ignored, attenuation is taken for a model that is not there.
TEST_CASE("a lens in a medium that absorbs is found with Q held, which models keep") {
    const LensPlace& place = lens_place();
    place.observe("true of q", {kLens, "model.q=25"});
    place.write_model("true of q.h5", {kLens, "model.q=25"});
    const auto rows_of = [&](const std::string& name, const std::string& rule) {
        return place.rows_of(
            name, {"model.q=25", rule, "imaging.observed=true of q/seismograms.h5", "inversion.true_model=true of q.h5",
                   "inversion.stages=[{iterations: 3, band_pass: {high_hz: 10}, spacing_m: 20}]"});
    };
    const std::vector<InversionRow> rows = rows_of("of q", "model.q_rule=auto");
    REQUIRE(rows.size() == 4);
    check_falling(rows, 0.04);
    CHECK(error_of(rows.back()) < 0.4 * error_of(rows.front()));
    const std::vector<InversionRow> without = rows_of("of q without", "model.q_rule=none");
    CHECK(without.back().at("relative") > 5. * rows.back().at("relative"));
    CHECK(error_of(without.back()) > error_of(rows.back()));
    for (const char* file : {"model.h5", "iterations/1-002/model.h5"}) {
        CAPTURE(file);
        const ModelFile model(place.out("of q") / file);
        REQUIRE(model.has(quantity_of(kQ)));
        const auto& shape = model.geometry().shape;
        std::vector<float> q(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
        model.read(quantity_of(kQ), {}, shape, q);
        CHECK(std::ranges::all_of(q, [](float value) { return value == 25.f; }));
        CHECK(!ModelFile(place.out("of q without") / file).has(quantity_of(kQ)));
    }
}

TEST_CASE("a lens in an anisotropic medium is found with epsilon and delta held, which models keep") {
    const LensPlace& place = lens_place();
    const std::vector<std::string> medium{"model.epsilon=0.2", "model.delta=0.08", "model.elliptical_radius=4"};
    std::vector<std::string> lens{kLens};
    lens.insert(lens.end(), medium.begin(), medium.end());
    place.observe("true of VTI", lens);
    place.write_model("true of VTI.h5", lens);
    const auto rows_of = [&](const std::string& name, const std::string& anisotropy) {
        std::vector<std::string> settings = medium;
        settings.insert(
            settings.end(),
            {anisotropy, "imaging.observed=true of VTI/seismograms.h5", "inversion.true_model=true of VTI.h5",
             "inversion.stages=[{iterations: 3, band_pass: {high_hz: 10}, spacing_m: 20}]"});
        return place.rows_of(name, settings);
    };
    const std::vector<InversionRow> rows = rows_of("of VTI", "model.anisotropy=auto");
    REQUIRE(rows.size() == 4);
    check_falling(rows, 0.1);
    CHECK(error_of(rows.back()) < 0.5 * error_of(rows.front()));
    const std::vector<InversionRow> without = rows_of("of VTI without", "model.anisotropy=none");
    CHECK(without.back().at("misfit") > 5. * rows.back().at("misfit"));
    CHECK(error_of(without.back()) > error_of(without.front()));
    for (const char* file : {"model.h5", "iterations/1-002/model.h5"}) {
        CAPTURE(file);
        const ModelFile model(place.out("of VTI") / file);
        const auto& shape = model.geometry().shape;
        for (const auto& [parameter, held] : {std::pair(kEpsilon, 0.2f), std::pair(kDelta, 0.08f)}) {
            REQUIRE(model.has(quantity_of(parameter)));
            std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
            model.read(quantity_of(parameter), {}, shape, values);
            CHECK(std::ranges::all_of(values, [held = held](float value) { return value == held; }));
        }
        CHECK(!ModelFile(place.out("of VTI without") / file).has(quantity_of(kEpsilon)));
    }
}

TEST_CASE("a lens of other epsilon and delta is found by inverting them, within their bounds, and not by velocity") {
    const LensPlace& place = lens_place();
    const auto medium = [](const std::string& of_lens) {
        return "model={type: inclusions, vp_m_s: 2000, epsilon: 0.1, delta: 0.05, elliptical_radius: 2, inclusions: "
               "[{shape: sphere, center_m: [200, 200], radius_m: 100, vp_m_s: 2000" +
               of_lens + "}], smooth_m: 30}";
    };
    place.observe("true of lens", {medium(", epsilon: 0.25, delta: 0.1")});
    const auto rows_of = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> settings{
            medium(""), "imaging.observed=true of lens/seismograms.h5",
            "inversion.stages=[{iterations: 3, band_pass: {high_hz: 10}, spacing_m: 20}]"};
        settings.insert(settings.end(), more.begin(), more.end());
        return place.rows_of(name, settings);
    };
    const std::vector<InversionRow> rows = rows_of(
        "of lens",
        {"inversion.anisotropy=inverted", "inversion.epsilon={min: 0.05, max: 0.2}", "inversion.delta={min: 0.04}"});
    CHECK(rows.back().at("relative") < 0.3);
    CHECK(rows_of("of lens by vp", {}).back().at("misfit") > 1.5 * rows.back().at("misfit"));
    const ModelFile model(place.out("of lens") / "model.h5");
    const auto& shape = model.geometry().shape;
    std::vector<float> epsilon(static_cast<std::size_t>(shape[0] * shape[1] * shape[2])), delta = epsilon;
    model.read(quantity_of(kEpsilon), {}, shape, epsilon);
    model.read(quantity_of(kDelta), {}, shape, delta);
    CHECK(std::ranges::max(epsilon) > 0.12f);
    CHECK(std::ranges::max(delta) > 0.055f);
    for (std::size_t i = 0; i < epsilon.size(); ++i) {
        CHECK((epsilon[i] >= 0.05f && epsilon[i] <= 0.2f));
        CHECK((delta[i] >= 0.04f && delta[i] <= epsilon[i]));
    }
    // Around sources delta is not the model's own: there both stay.
    const auto source = static_cast<std::size_t>(4 * shape[0] + 2);  // x = 40 m, z = 80 m
    CHECK((epsilon[source] == 0.1f && delta[source] == 0.05f));
}

TEST_CASE("an inversion has the same bits whoever computes it") {
    const LensPlace& place = lens_place();
    const std::string& alone = uninterrupted_inversion();
    // Threads that wait without spinning do not slow down where other programs run, too.
    const Outcome threads =
        run_onda(place.command("threads", {kTwoStages, "backend.threads=2"}), "export OMP_WAIT_POLICY=passive");
    REQUIRE_MESSAGE(threads.code == 0, threads.err);
    CHECK(place.same("threads", alone));
    // A process that is forked while another thread allocates may hang under AddressSanitizer: least_squares.cpp.
    if (!test::kSanitized) {
        place.rows_of("devices", {kTwoStages, "backend.devices=[0, 1]", "backend.batch=1"});
        CHECK(place.same("devices", alone));
    }
    place.rows_of("states", {kTwoStages, "imaging.storage=checkpoints", "backend.batch=3"});
    CHECK(place.same("states", alone));
}

TEST_CASE("an inversion that is killed anywhere goes on to the same bits") {
    const LensPlace& place = lens_place();
    const std::string& whole = uninterrupted_inversion();
    const std::filesystem::path iterations = place.out("killed") / "iterations";
    int kills = 0;
    for (const char* moment :
         {"1-000/predicted", "1-000/gradient/gradient.h5", "1-000/trial-1", "1-001/model.h5", "2-000/iteration.json",
          "2-000/trial-1/misfit.csv", "2-001/gradient", "2-002/model.h5"}) {
        Process process(place.command("killed", {kTwoStages}));
        CHECK(wait_until([&] { return std::filesystem::exists(iterations / moment) || !process.running(); }));
        process.send(SIGKILL);  // it may have ended by itself
        kills += process.wait() == SIGKILL ? 1 : 0;
    }
    CHECK(kills > 3);
    const Outcome last = place.invert("killed", {kTwoStages});
    REQUIRE_MESSAGE(last.code == 0, last.err);
    CHECK(place.same("killed", whole));
    CHECK(partial_files(place.out("killed")).empty());

    const Outcome again = place.invert("killed", {kTwoStages});
    CHECK(again.code == 0);
    CHECK(contains(again.err, "nothing is left to do"));

    // Before anything was computed, and after a part of it is gone.
    CHECK(place.invert("limited", {kTwoStages}, {"--max-hours", "1e-9"}).code ==
          static_cast<int>(ExitCode::time_limit));
    CHECK(!std::filesystem::exists(place.out("limited") / "model.h5"));
    place.rows_of("limited", {kTwoStages});
    CHECK(place.same("limited", whole));
    for (const char* name : {"summary.json", "model.h5", "iterations.csv", "config.yaml"})
        std::filesystem::remove(place.out("limited") / name);
    for (const char* name : {"2-001", "2-002"}) std::filesystem::remove_all(place.out("limited") / "iterations" / name);
    place.rows_of("limited", {kTwoStages});
    CHECK(place.same("limited", whole));
}

TEST_CASE("stages are appended and lengthened, and nothing else may change") {
    const LensPlace& place = lens_place();
    const std::string first = "{iterations: 1, band_pass: {high_hz: 8}}";
    const auto stages = [](const std::string& text) {
        return std::vector<std::string>{"inversion.stages=[" + text + "]"};
    };
    const std::string all = "{iterations: 2, band_pass: {high_hz: 8}}, {iterations: 2, misfit_change: 0.001}";
    CHECK(place.rows_of("at once", stages(all)).size() == 6);
    CHECK(place.rows_of("by steps", stages(first)).size() == 2);
    CHECK(place.rows_of("by steps", stages("{iterations: 2, band_pass: {high_hz: 8}}")).size() == 3);
    CHECK(place.rows_of("by steps", stages("{iterations: 2, band_pass: {high_hz: 8}}, {iterations: 1}")).size() == 5);
    CHECK(place.rows_of("by steps", stages(all)).size() == 6);
    CHECK(place.same("by steps", "at once"));

    // A limit that has ended a stage may go.
    const std::string ended = "{iterations: 2, band_pass: {high_hz: 8}, misfit: ";
    const std::vector<InversionRow> early = place.rows_of("early", stages(ended + "0.5}"));
    REQUIRE(early.size() == 2);
    CHECK(early.back().at("relative") <= 0.5);
    CHECK(place.rows_of("early", stages(ended + "0}")).size() == 3);

    const auto refusal = [&](const std::vector<std::string>& settings) {
        const Outcome done = place.invert("by steps", settings);
        CHECK(done.code == static_cast<int>(ExitCode::cannot_create));
        CHECK(contains(done.err, "holds an inversion of another configuration"));
        return done.err;
    };
    std::vector<std::string> other = stages(all);
    other.push_back("inversion.parameter=slowness");
    CHECK(contains(refusal(other), "inversion.parameter: vp there, slowness now"));
    other.back() = "model.vp_m_s=2010";
    CHECK(contains(refusal(other), "model.vp_m_s"));
    CHECK(contains(refusal(stages("{iterations: 3, band_pass: {high_hz: 8}}, {iterations: 2}")),
                   "inversion.stages[0].iterations: 2 there, 3 now"));
    CHECK(contains(refusal(stages("{iterations: 2, band_pass: {high_hz: 8}}, {iterations: 2, every_shot: 2}")),
                   "inversion.stages[1].every_shot"));
    CHECK(place.same("by steps", "at once"));
}

TEST_CASE("--force begins an inversion anew, of which stages may be appended as of any other") {
    const LensPlace& place = lens_place();
    place.rows_of("anew", {"inversion.stages=[{iterations: 2, band_pass: {high_hz: 8}}, {iterations: 1}]"});
    const std::vector<float> before = place.found("anew");
    const std::string one = "inversion.stages=[{iterations: 1}]",
                      two = "inversion.stages=[{iterations: 1}, {iterations: 1, every_shot: 2}]";
    const Outcome forced = place.invert("anew", {one, "inversion.parameter=slowness"}, {"--force"});
    CHECK_MESSAGE(forced.code == 0, forced.err);
    CHECK(place.rows("anew").size() == 2);
    CHECK(place.found("anew") != before);
    place.rows_of("fresh", {one, "inversion.parameter=slowness"});
    CHECK(place.same("anew", "fresh"));
    const Outcome appended = place.invert("anew", {two, "inversion.parameter=slowness"});
    CHECK_MESSAGE(appended.code == 0, appended.err);
    place.rows_of("fresh", {two, "inversion.parameter=slowness"});
    CHECK(place.same("anew", "fresh"));
}

TEST_CASE("results of another run are not replaced by an inversion, nor those of an inversion by another run") {
    const LensPlace& place = lens_place();
    place.observe("kept", {kLens});
    const Outcome refused = place.invert("kept", {kTwoStages});
    CHECK(refused.code == static_cast<int>(ExitCode::cannot_create));
    CHECK(contains(refused.err, "--force"));
    CHECK(std::filesystem::exists(place.out("kept") / "seismograms.h5"));
    CHECK_FALSE(std::filesystem::exists(place.out("kept") / "model.h5"));
    const std::filesystem::path inversion = place.out(uninterrupted_inversion());
    const std::string summary = text_of(inversion / "summary.json");
    const Outcome run = run_onda({"run", place.folder.path() / "survey.yaml", "--output", inversion});
    CHECK(run.code == static_cast<int>(ExitCode::cannot_create));
    CHECK(text_of(inversion / "summary.json") == summary);
}

TEST_CASE("steps in slowness and its square, and of simpler methods, find a better model") {
    const LensPlace& place = lens_place();
    const auto better = [&](const std::string& name, const std::vector<std::string>& settings) {
        CAPTURE(name);
        const std::vector<InversionRow> rows = place.rows_of(name, settings);
        REQUIRE(rows.size() == 3);
        check_falling(rows, 0.2);  // 0.03 to 0.07
        CHECK(error_of(rows.back()) < 0.6 * error_of(rows.front()));
        return place.found(name);
    };
    const std::vector<float> vp = better("vp", {});
    CHECK(better("conjugate", {"inversion.method=conjugate_gradients", "inversion.parameter=slowness"}) != vp);
    CHECK(better("steepest", {"inversion.method=steepest_descent", "inversion.parameter=slowness_squared"}) != vp);
    CHECK(better("penalised", {"inversion.total_variation=0.05", "inversion.tikhonov=1"}) != vp);
    CHECK(place.rows("penalised").back().at("penalty") > 0.);
}

TEST_CASE("nodes that are held keep their velocity to the bit, and no node leaves the bounds") {
    const LensPlace& place = lens_place();
    constexpr std::int64_t masked = 37;  // the first column
    const auto write_mask = [&](const std::string& name, float free) {
        std::string bytes = npy_header({kNodes, kNodes});
        for (std::int64_t i = 0; i < kNodes * kNodes; ++i) {
            const float part = i % kNodes < masked ? free : 0.F;
            bytes.append(reinterpret_cast<const char*>(&part), sizeof(part));
        }
        write_text(place.folder.path() / name, bytes);
    };
    write_mask("mask.npy", 1.F);
    for (const std::string parameter : {"vp", "slowness", "slowness_squared"}) {
        CAPTURE(parameter);
        const std::string name = "held " + parameter;
        const std::vector<InversionRow> rows = place.rows_of(
            name, {"model={type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 365, vp_m_s: 1994.7}]}",
                   "inversion.water_m_s=1995", "inversion.hold_depth_m=60", "inversion.vp_m_s={min: 1999, max: 2061.3}",
                   "inversion.mask=mask.npy", "inversion.parameter=" + parameter});
        check_falling(rows, 0.7);
        const std::vector<float> model = place.found(name);
        int held = 0, moved = 0, highest = 0;
        for (std::int64_t z = 0; z < kNodes; ++z)
            for (std::int64_t x = 0; x < kNodes; ++x) {
                const float value = model[static_cast<std::size_t>(z * kNodes + x)];
                if (z <= 6)
                    held += value == 2000.F ? 1 : 0;
                else if (z >= 37)
                    held += value == 1994.7F ? 1 : 0;
                else if (x >= masked)
                    held += value == 2000.F ? 1 : 0;
                else {
                    CHECK(value >= 1999.F);
                    CHECK(value <= 2061.3F);
                    moved += value != 2000.F ? 1 : 0;
                    highest += value == 2061.3F ? 1 : 0;
                }
            }
        CHECK(held == 11 * kNodes + 30 * (kNodes - masked));
        CHECK(moved > 25 * kNodes);
        CHECK(highest > 10);  // as the lens is faster
    }

    // An inversion is known by the values of its mask, not by the name of the file.
    const std::string one = "inversion.stages=[{iterations: 1}]";
    const auto invert_masked = [&](const std::string& file) {
        return place.invert("masked", {one, "inversion.mask=" + file});
    };
    write_mask("copy.npy", 1.F);
    write_mask("other.npy", 0.5F);
    for (const char* file : {"mask.npy", "copy.npy"}) {
        const Outcome done = invert_masked(file);
        CHECK_MESSAGE(done.code == 0, done.err);
    }
    CHECK(contains(text_of(place.out("masked") / "onda.log"), "164 of 1681 nodes held"));
    const Outcome other = invert_masked("other.npy");
    CHECK(other.code == static_cast<int>(ExitCode::cannot_create));
    CHECK_MESSAGE(contains(other.err, "inversion.mask: hash "), other.err);
}

TEST_CASE("density follows the velocity, is inverted beside it, or stays") {
    const LensPlace& place = lens_place();
    place.observe("dense", {kLens, "model.rho=gardner"});
    place.write_model("dense.h5", {kLens, "model.rho=gardner"});
    const auto with_density = [&](const std::string& name, const std::vector<std::string>& more) {
        CAPTURE(name);
        std::vector<std::string> settings{"imaging.observed=dense/seismograms.h5", "model.rho=gardner",
                                          "inversion.true_model=dense.h5"};
        settings.insert(settings.end(), more.begin(), more.end());
        const std::vector<InversionRow> rows = place.rows_of(name, settings);
        check_falling(rows, 0.2);
        CHECK(error_of(rows.back()) < 0.6 * error_of(rows.front()));
        return place.densities(name);
    };
    const std::vector<float> following = with_density("gardner", {"inversion.density=gardner"});
    const std::vector<float> vp = place.found("gardner");
    int other = 0;
    for (std::size_t i = 0; i < vp.size(); ++i) other += following[i] != gardner_density(vp[i]) ? 1 : 0;
    CHECK(other == 0);
    CHECK(at_centre(following) > gardner_density(2000.F));

    const std::vector<float> inverted =
        with_density("inverted", {"inversion.density=inverted", "inversion.rho_kg_m3={min: 2060, max: 2100}"});
    CHECK(std::ranges::any_of(inverted, [](float rho) { return rho != gardner_density(2000.F); }));
    CHECK(*std::ranges::min_element(inverted) >= 2060.F);
    CHECK(*std::ranges::max_element(inverted) <= 2100.F);
    CHECK(place.found("inverted") != vp);

    const std::vector<float> fixed = with_density("fixed", {});
    CHECK(std::ranges::all_of(fixed, [](float rho) { return rho == gardner_density(2000.F); }));
}

TEST_CASE("shots and codes are drawn again, and trial steps take some of the shots, to the same bits after each end") {
    const LensPlace& place = lens_place();
    const auto drawn = [&](const std::string& name, const std::string& stage,
                           const std::vector<std::string>& settings) {
        CAPTURE(name);
        const auto with = [&](const std::string& iterations) {
            std::vector<std::string> all{"inversion.stages=[{iterations: " + iterations + ", band_pass: {high_hz: 10}" +
                                         stage + "}]"};
            all.insert(all.end(), settings.begin(), settings.end());
            return all;
        };
        const std::vector<InversionRow> rows = place.rows_of(name, with("3"));
        REQUIRE(rows.size() == 4);
        CHECK(error_of(rows.back()) < 0.6 * error_of(rows.front()));
        CHECK(rows.back().at("misfit") < 0.3 * rows.front().at("misfit"));
        const std::string steps = name + " by steps";
        for (const char* iterations : {"1", "3"}) place.rows_of(steps, with(iterations));
        CHECK(place.same(steps, name));
        return rows;
    };
    for (const InversionRow& row : drawn("random shots", ", random_shots: 2, redraw_every: 1", {}))
        CHECK(row.at("shots") == 2.);
    for (const InversionRow& row :
         drawn("random codes", ", redraw_every: 1", {"survey.encoding=random", "survey.supershots=2"}))
        CHECK(row.at("shots") == 2.);
    CHECK(contains(text_of(place.out("random codes") / "onda.log"), "crosstalk of one set of codes: 0."));
    const std::vector<InversionRow> rows = drawn("some trial shots", "", {"inversion.every_trial_shot=2"});
    check_falling(rows, 0.2);
    for (const InversionRow& row : rows) CHECK(row.at("shots") == 4.);
    CHECK(place.table("random shots") != place.table("some trial shots"));
    const std::string misfits = text_of(place.out("some trial shots") / "iterations/1-000/trial-1/misfit.csv");
    CHECK(std::ranges::count(misfits, '\n') == 3);  // with their header
    // Where no step is good, others are drawn before they are due: here the first trial is too long for these shots.
    const auto hasty = [](const std::string& iterations) {
        return std::vector<std::string>{"inversion.stages=[{iterations: " + iterations +
                                            ", band_pass: {high_hz: 10}, random_shots: 1, redraw_every: 2}]",
                                        "inversion.first_step=0.12", "inversion.trials=1", "survey.seed=1",
                                        "inversion.vp_m_s={min: 1500, max: 3000}"};
    };
    const std::vector<InversionRow> redrawn = place.rows_of("redrawn", hasty("3"));
    REQUIRE(redrawn.size() > 1);
    CHECK(redrawn[1].at("trials") == 2.);
    CHECK(contains(text_of(place.out("redrawn") / "onda.log"), "shots or codes are drawn again"));
    for (const char* iterations : {"1", "3"}) place.rows_of("redrawn by steps", hasty(iterations));
    CHECK(place.same("redrawn by steps", "redrawn"));
    // Two drawings without a step end a stage.
    std::vector<std::string> wild = hasty("3");
    wild[1] = "inversion.first_step=0.3";
    CHECK(place.rows_of("wild", wild).size() == 1);
    CHECK(contains(text_of(place.out("wild") / "onda.log"), "the stage ends"));
    // By another seed others are drawn.
    const std::string once = "inversion.stages=[{iterations: 1, random_shots: 2}]";
    place.rows_of("these shots", {once});
    place.rows_of("other shots", {once, "survey.seed=5"});
    CHECK(place.table("other shots") != place.table("these shots"));
}

TEST_CASE("a source signal that is wrong is estimated") {
    const LensPlace& place = lens_place();
    // In the right model, the signal that the data were made with.
    std::string text = kAroundALens + kInversion;
    for (std::size_t at = 0; (at = text.find(", count: 2}", at)) != std::string::npos; at += 20)
        text.insert(at + 10, ", amplitude: 1.3");
    write_text(place.folder.path() / "wavelet.yaml", text);
    const auto invert = [&](const std::string& name, std::vector<std::string> settings) {
        settings.push_back("wavelet.t0_s=0.109");
        return run_onda(
            with_settings({"fwi", place.folder.path() / "wavelet.yaml", "--output", place.out(name)}, settings));
    };
    const std::string one = "inversion.stages=[{iterations: 1, band_pass: {high_hz: 10}}]";
    const auto estimated_in = [&](const std::string& name) {
        std::ifstream file(place.out(name) / "iterations/1-000/wavelet.csv");
        std::string line;
        std::vector<std::pair<double, double>> samples;
        while (std::getline(file, line)) {
            const auto comma = line.find(',');
            if (comma != std::string::npos && (std::isdigit(static_cast<unsigned char>(line[0])) != 0))
                samples.emplace_back(std::stod(line), std::stod(line.substr(comma + 1)));
        }
        return samples;
    };
    const Outcome truly =
        invert("right model", {"model={type: file, file: true.h5}", one, "inversion.wavelet=estimated"});
    REQUIRE_MESSAGE(truly.code == 0, truly.err);
    const auto signal = estimated_in("right model");
    REQUIRE(signal.size() > 100);
    double largest = 0.;
    for (const auto& [time_s, amplitude] : signal) {
        const double a = std::pow(std::numbers::pi * 15. * (time_s - 0.1), 2);
        largest = std::max(largest, std::abs(amplitude - (1. - 2. * a) * std::exp(-a) / 1.3));
    }
    CHECK(largest < 0.02);  // 0.014 of 0.77, by the damping of the filter

    // From the start model.
    const Outcome given = invert("given", {one}), reported = invert("reported", {one, "inversion.wavelet=reported"}),
                  estimated = invert("estimated", {"inversion.wavelet=estimated"});
    const Outcome begun = invert("estimated by steps", {"inversion.wavelet=estimated", one}),
                  ended = invert("estimated by steps", {"inversion.wavelet=estimated"});
    for (const Outcome* done : {&given, &reported, &estimated, &begun, &ended})
        REQUIRE_MESSAGE(done->code == 0, done->err);
    CHECK(place.same("reported", "given"));
    CHECK(contains(reported.err, "wavelet.csv: what it predicts explains "));
    CHECK(!std::filesystem::exists(place.out("given") / "iterations/1-000/wavelet.csv"));
    CHECK(!estimated_in("reported").empty());
    CHECK(place.rows("estimated").front().at("misfit") < 0.5 * place.rows("given").front().at("misfit"));
    check_falling(place.rows("estimated"), 0.5);  // 0.36
    CHECK(place.same("estimated by steps", "estimated"));
    CHECK(error_of(place.rows("estimated").back()) < 0.8 * error_of(place.rows("estimated").front()));
}

TEST_CASE("signals that are wrong in each shot differently are estimated by shot") {
    const LensPlace& place = lens_place();
    const auto ricker = [](double time_s) {
        const double a = std::pow(std::numbers::pi * 15. * (time_s - 0.1), 2);
        return (1. - 2. * a) * std::exp(-a);
    };
    // Factors, delays and second pulses, by which shapes differ as well.
    const auto signal_of = [&](std::size_t shot, double time_s) {
        constexpr std::array<double, 4> factor{1.5, 0.6, -1., 0.8}, delay_s{0.012, -0.006, 0.004, 0.03},
            second{0., 0.3, -0.25, 0.4};
        const double since_s = time_s - delay_s.at(shot - 1);
        return factor.at(shot - 1) * (ricker(since_s) + second.at(shot - 1) * ricker(since_s - 0.011));
    };
    std::filesystem::create_directories(place.folder.path() / "signals");
    for (std::size_t shot = 1; shot <= 4; ++shot) {
        std::ofstream file(place.folder.path() / "signals" / (std::to_string(shot) + ".csv"));
        file.precision(17);
        file << "time_s,amplitude\n";
        for (int n = 0; n <= 350; ++n) file << n * 0.001 << ',' << signal_of(shot, n * 0.001) << '\n';
    }
    place.observe("true by shot", {kLens, "wavelet={type: file, file: 'signals/{shot}.csv'}"});
    const std::string observed = "imaging={observed: true by shot/seismograms.h5}",
                      by_shot = "inversion.wavelet_of=shot", lens = "model={type: file, file: true.h5}",
                      estimated = "inversion.wavelet=estimated";
    const auto stage = [](const std::string& keys) { return "inversion.stages=[{" + keys + "}]"; };
    const auto samples_of = [&](const std::string& name, std::size_t shot) {
        return read_wavelet(place.out(name) / "iterations/1-000/wavelet" / (std::to_string(shot) + ".csv"));
    };
    const auto error_of_signal = [&](const WaveletSeries& found, const auto& truth) {
        double error = 0., norm = 0.;
        for (std::size_t n = 0; n < found.amplitude.size(); ++n) {
            const double wanted = truth(double(n) * found.dt_s);
            error += std::pow(found.amplitude[n] - wanted, 2);
            norm += wanted * wanted;
        }
        return std::sqrt(error / norm);
    };

    // In the right model, the signals that the data were made with.
    const std::vector<InversionRow> given = place.rows_of("wrong signals", {observed, lens, stage("iterations: 1")}),
                                    right = place.rows_of("right model by shot",
                                                          {observed, lens, estimated, by_shot, stage("iterations: 1")});
    for (std::size_t shot = 1; shot <= 4; ++shot) {
        CAPTURE(shot);
        CHECK(error_of_signal(samples_of("right model by shot", shot),
                              [&](double time_s) { return signal_of(shot, time_s); }) < 0.04);
    }
    CHECK(right.front().at("misfit") < 2e-3 * given.front().at("misfit"));

    // Drawings take any shot of the stage; others keep their signal.
    const std::string drawn = "every_shot: 2, random_shots: 1, redraw_every: 1";
    place.rows_of("drawn by steps", {observed, estimated, by_shot, stage("iterations: 1, " + drawn)});
    place.rows_of("drawn by steps", {observed, estimated, by_shot, stage("iterations: 2, " + drawn)});
    const Outcome drawn_at_once =
        place.invert("drawn", {observed, estimated, by_shot, stage("iterations: 2, " + drawn)});
    REQUIRE_MESSAGE(drawn_at_once.code == 0, drawn_at_once.err);
    CHECK(contains(drawn_at_once.err, "wavelet/{shot}.csv: what the signals of 2 shots predict explains "));
    CHECK(place.same("drawn", "drawn by steps"));
    for (const std::size_t shot : {2, 4}) CHECK(error_of_signal(samples_of("drawn", shot), ricker) < 1e-12);
    for (const std::size_t shot : {1, 3})
        CHECK(error_of_signal(samples_of("drawn", shot), [&](double t) { return signal_of(shot, t); }) <
              0.6);  // without the lens
    std::istringstream table(text_of(place.out("drawn") / "iterations/1-000/wavelets.csv"));
    std::string line;
    std::getline(table, line);
    CHECK(line == "shot,explained,delay_s,amplitude,phase_rad,cut_off");
    REQUIRE(std::getline(table, line));
    CHECK(line.starts_with("1,0.9"));
    REQUIRE(std::getline(table, line));
    CHECK(line.starts_with("3,0.9"));
    CHECK_FALSE(std::getline(table, line));

    // A signal file that an inversion began with has changed.
    const std::vector<std::string> from_files{observed, "wavelet={type: file, file: 'signals/{shot}.csv'}",
                                              stage("iterations: 1")};
    place.rows_of("from files", from_files);
    std::ofstream(place.folder.path() / "signals/3.csv", std::ios::app) << "0.351,1e-9\n";
    const Outcome changed = place.invert("from files", from_files);
    CHECK(changed.code != 0);
    CHECK(contains(changed.err, "wavelet.file"));
}

TEST_CASE("low bands take a coarse grid, and the model goes from one to the other") {
    const LensPlace& place = lens_place();
    const std::string lower = "scheme.min_points_per_wavelength=2";
    const std::vector<InversionRow> rows = place.rows_of(
        "grids",
        {"inversion.stages=[{iterations: 2, band_pass: {high_hz: 8}, spacing_m: 20}, {iterations: 2}]", lower});
    REQUIRE(rows.size() == 6);
    check_falling(rows, 0.3);
    CHECK(rows[2].at("relative") < 0.1);
    CHECK(error_of(rows.back()) < 0.4 * error_of(rows.front()));
    const auto model = [&](const std::string& name, const std::string& iteration, std::int64_t nodes) {
        return place.velocities(place.out(name) / "iterations" / iteration / "model.h5", nodes);
    };
    // Coarse nodes are nodes of the fine grid, and keep what was found there.
    const std::vector<float> coarse = model("grids", "1-002", 21), fine = model("grids", "2-000", 41);
    double largest = 0.;
    for (std::int64_t z = 0; z < 21; ++z)
        for (std::int64_t x = 0; x < 21; ++x)
            largest = std::max(largest, std::abs(double(fine[std::size_t(2 * z * 41 + 2 * x)]) -
                                                 double(coarse[std::size_t(z * 21 + x)])));
    CHECK(largest < 1e-3);
    CHECK(place.found("grids") == model("grids", "2-002", 41));

    // The model is on the grid of the last stage.
    place.rows_of("coarse", {"inversion.stages=[{iterations: 1, band_pass: {high_hz: 8}, spacing_m: 20}]", lower});
    CHECK(place.velocities(place.out("coarse") / "model.h5", 21) == model("coarse", "1-001", 21));
}

TEST_CASE("what an inversion cannot do is refused by name") {
    const LensPlace& place = lens_place();
    const auto refusal = [&](const std::vector<std::string>& settings, ExitCode code = ExitCode::config) {
        const Outcome done = place.invert("refused", settings);
        CHECK_MESSAGE(done.code == static_cast<int>(code), done.err);
        CHECK_FALSE(std::filesystem::exists(place.out("refused")));
        return done.err;
    };
    const auto says = [](const std::string& text, const std::vector<std::string>& parts) {
        CAPTURE(text);
        for (const std::string& part : parts) CHECK_MESSAGE(contains(text, part), part);
    };
    const auto stage = [](const std::string& keys) { return "inversion.stages=[{iterations: 1, " + keys + "}]"; };
    const Outcome none = run_onda({"fwi", place.folder.path() / "survey.yaml", "--output", place.out("refused")});
    CHECK(none.code == static_cast<int>(ExitCode::config));
    says(none.err, {"inversion", "add a section `inversion` with `stages`"});
    write_text(place.folder.path() / "unobserved.yaml", kAroundALens + "inversion: {stages: [{iterations: 1}]}\n");
    const Outcome unobserved =
        run_onda({"fwi", place.folder.path() / "unobserved.yaml", "--output", place.out("refused")});
    CHECK(unobserved.code == static_cast<int>(ExitCode::config));
    says(unobserved.err, {"imaging", "add a section `imaging` with `observed: FILE`"});
    write_text(place.folder.path() / "unstaged.yaml",
               kAroundALens + "imaging: {observed: true/seismograms.h5}\ninversion: {memory: 3}\n");
    const Outcome unstaged = run_onda({"fwi", place.folder.path() / "unstaged.yaml", "--output", place.out("refused")});
    CHECK(unstaged.code == static_cast<int>(ExitCode::config));
    says(unstaged.err, {"inversion", "stages"});
    says(refusal({"inversion.stages=[]"}), {"inversion.stages", "must not be empty"});

    says(refusal({"imaging.observed=nowhere.h5"}, ExitCode::missing_input), {"imaging.observed", "nowhere.h5"});
    says(refusal({"imaging={misfit: l2}"}), {"imaging", "observed"});
    says(refusal({stage("spacing_m: 30")}), {"inversion.stages[0].spacing_m", "30"});
    says(refusal({stage("spacing_m: 20")}), {"points per wavelength"});
    says(refusal({stage("random_shots: 5")}), {"inversion.stages[0].random_shots", "there are 4 shots to draw from"});
    says(refusal({stage("every_shot: 2, random_shots: 3")}), {"inversion.stages[0].random_shots", "2 shots"});
    says(refusal({stage("redraw_every: 1")}),
         {"inversion.stages[0].redraw_every", "random_shots", "survey.encoding: random"});
    says(refusal({"inversion.vp_m_s={min: 2001}"}), {"inversion.vp_m_s.min", "2001 m/s", "the start model has a"});
    says(refusal({"inversion.vp_m_s={max: 1999}"}), {"inversion.vp_m_s.max", "1999 m/s", "the start model has a"});
    says(refusal({"inversion.vp_m_s={min: 2100, max: 1900}"}), {"inversion.vp_m_s", "min must be less than max"});
    says(refusal({"inversion.density=gardner"}), {"inversion.density", "constant", "model.rho"});
    says(refusal({"inversion.density=inverted"}), {"inversion.density", "constant", "model.rho"});
    says(refusal({"inversion.rho_kg_m3={min: 1000}"}), {"inversion.rho_kg_m3", "inversion.density is fixed"});
    says(refusal({"imaging.parameters=vp_and_q"}), {"imaging.parameters", "inversions hold Q"});
    says(refusal({"inversion.anisotropy=inverted"}),
         {"inversion.anisotropy", "the model has no epsilon and delta", "or keep them fixed"});
    says(refusal({"inversion.delta={max: 0.1}"}), {"inversion.delta", "make inversion.anisotropy inverted"});
    says(refusal({"inversion.mask=nowhere.h5"}, ExitCode::missing_input), {"inversion.mask", "nowhere.h5"});
    says(refusal({"inversion.mask=true.h5"}, ExitCode::bad_data), {"true.h5", "has no dataset mask"});
    // Errors of the second stage are told before the first one begins.
    says(refusal({"inversion.stages=[{iterations: 1}, {iterations: 1, spacing_m: 7}]"}),
         {"inversion.stages[1].spacing_m"});
    says(refusal({"inversion.true_model=nowhere.h5"}, ExitCode::missing_input), {"nowhere.h5"});
    says(refusal({"inversion.wells=[{position_m: [410]}]"}),
         {"inversion.wells[0].position_m", "x = 410 is outside the grid, which spans 0 to 400 m"});
    says(refusal({"inversion.wells=[{position_m: [10], file: nowhere.csv}]"}, ExitCode::missing_input),
         {"nowhere.csv"});

    // Two signals, of which one cannot be made.
    std::string text = kAroundALens + kInversion;
    text.insert(text.find(", count: 2}") + 10, ", wavelet: {type: ricker, peak_frequency_hz: 14}");
    write_text(place.folder.path() / "signals.yaml", text);
    const Outcome signals = run_onda({"fwi", place.folder.path() / "signals.yaml", "--output", place.out("signals"),
                                      "--set", "inversion.wavelet=estimated"});
    CHECK(signals.code == static_cast<int>(ExitCode::config));
    says(signals.err, {"inversion.wavelet", "2 different signals", "inversion.wavelet_of"});
    says(refusal({"inversion.wavelet_of=shot"}), {"inversion.wavelet_of", "reported"});
    says(refusal({"inversion.wavelet=estimated", "inversion.wavelet_of=shot", "survey.encoding=hadamard"}),
         {"inversion.wavelet_of", "survey.encoding", "one signal for all"});
    const std::string at = "{type: point, shot: 1, position_m: [40, ";
    says(refusal({"inversion.wavelet=reported", "inversion.wavelet_of=shot",
                  "sources=[" + at + "80]}, " + at + "90], wavelet: {type: ricker, peak_frequency_hz: 14}}]"}),
         {"inversion.wavelet_of", "sources of shot 1 have different signals"});
}
