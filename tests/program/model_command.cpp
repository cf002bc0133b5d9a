// `onda model` writes the model that a run would use, a run with that file and no grid of its own gives the same
// seismograms bit for bit, and both it and `onda check --plot` draw the model before a run.
// Takes 2 s.
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/hdf5/hdf5.hpp"
#include "io/models/model_file.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

constexpr const char* kRest = R"(
time: {duration_s: 0.5}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [500, 40]}]
receivers: [{type: line, first_m: [100, 40], last_m: [420, 40], count: 17}]
output: {pictures: false, seismograms: {dt_s: 0.002}}
)";

/// vp and rho of a layer that dips by 17 degrees, at a spacing.
std::string dipping(const std::string& shape, const std::string& spacing_m) {
    return "schema_version: 1\ngrid: {shape: " + shape + ", spacing_m: " + spacing_m +
           "}\nmodel: {type: layered, dip_deg: 17, layers: [{top_m: 0, vp_m_s: 2000, rho_kg_m3: 2000},"
           " {top_m: 150, vp_m_s: 3500, rho_kg_m3: 2400}]}" +
           kRest;
}

/// A run of a configuration in a folder that goes with this.
struct Run {
    TemporaryFolder folder;
    std::filesystem::path out = folder.path() / "out";
    explicit Run(const std::filesystem::path& config, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"run", config.string(), "-o", out.string(), "--set", "backend.name=cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome run = run_onda(arguments);
        CAPTURE(run.err);
        REQUIRE(run.code == 0);
    }
};

std::string hash_of_run(const std::filesystem::path& config, const std::vector<std::string>& more = {}) {
    const Run run(config, more);
    return nlohmann::json::parse(text_of(run.out / "summary.json"))["hashes"]["shots"]["1"]["seismograms"];
}

/// Pressure [receiver][sample] of a run.
std::vector<float> pressure_of_run(const std::filesystem::path& config, const std::vector<std::string>& more) {
    const Run run(config, more);
    return hdf5::File::open(run.out / "seismograms.h5").open_dataset("shots/1/pressure").read_all<float>();
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0., whole = 0.;
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += std::pow(double(a[i]) - double(b[i]), 2);
        whole += std::pow(double(b[i]), 2);
    }
    return std::sqrt(difference / whole);
}

}  // namespace

TEST_CASE("the model is written as a run would use it, with its density, and drawn") {
    const TemporaryFolder folder;
    const auto built = folder.path() / "built.yaml", from_file = folder.path() / "file.yaml";
    const auto model = folder.path() / "model.h5";
    write_text(built, dipping("[101, 61]", "10"));
    const Outcome said = run_onda({"model", built.string(), "-o", model.string()});
    CAPTURE(said.out);
    CAPTURE(said.err);
    REQUIRE(said.code == 0);
    CHECK(contains(said.out, "nodes    101 x 61"));
    CHECK(contains(said.out, "vp       2000 to 3500 m/s"));
    CHECK(contains(said.out, "rho      2000 to 2400 kg/m3"));
    CHECK(text_of(folder.path() / "model_xz.png").starts_with("\x89PNG"));

    write_text(from_file, std::string("schema_version: 1\nmodel: {type: file, file: model.h5}") + kRest);
    CHECK(hash_of_run(from_file) == hash_of_run(built));
    const Outcome check = run_onda({"check", from_file.string(), "--no-trial"});
    CHECK(contains(check.out, "grid      101 x 61 nodes"));
    CHECK(contains(check.out, "shape, spacing_m, origin_m of model.h5"));
    const auto json = nlohmann::json::parse(run_onda({"check", from_file.string(), "--json", "--no-trial"}).out);
    CHECK(json["grid"]["of_model_file"] == std::vector<std::string>{"shape", "spacing_m", "origin_m"});

    CHECK(run_onda({"model", built.string(), "-o", model.string()}).code == 73);
    CHECK(run_onda({"model", built.string(), "-o", model.string(), "--force"}).code == 0);
    const Outcome itself = run_onda({"model", from_file.string(), "-o", model.string(), "--force"});
    CHECK(itself.code == 64);
    CHECK(contains(itself.err, "is the model.file of the configuration"));
    const auto bare = folder.path() / "bare.h5";
    CHECK(run_onda({"model", built.string(), "-o", bare.string(), "--no-pictures"}).code == 0);
    CHECK(!std::filesystem::exists(folder.path() / "bare_xz.png"));
}

TEST_CASE("the grid left out is missed unless the model is a file; a missing file is what is wrong then") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml";
    write_text(config, std::string("schema_version: 1\nmodel: {type: constant, vp_m_s: 2000}") + kRest);
    CHECK(contains(run_onda({"check", config.string()}).err, "missing key 'grid'"));
    write_text(
        config,
        std::string("schema_version: 1\ngrid: {shape: [51, 51]}\nmodel: {type: constant, vp_m_s: 2000}") + kRest);
    CHECK(contains(run_onda({"check", config.string()}).err, "grid: missing key 'spacing_m'"));
    write_text(config, std::string("schema_version: 1\nmodel: {type: file, file: none.h5}") + kRest);
    const Outcome missing = run_onda({"check", config.string()});
    CHECK(missing.code == 66);
    CHECK(contains(missing.err, "model.file = none.h5: no such file"));
    CHECK(!contains(missing.err, "grid"));
    write_text(config, std::string("schema_version: 1\nmodel: {type: file}") + kRest);
    CHECK(contains(run_onda({"check", config.string()}).err, "model: missing key 'file'"));
    write_text(folder.path() / "vp.npy", "\x93NUMPY");
    write_text(config, std::string("schema_version: 1\nmodel: {type: file, file: vp.npy}") + kRest);
    const Outcome foreign = run_onda({"check", config.string()});
    CHECK(foreign.code == 65);
    CHECK(contains(foreign.err, "`onda convert " + (folder.path() / "vp.npy").string() + " " +
                                    (folder.path() / "vp.h5").string() + " --axes zx --spacing-m DX`"));
}

TEST_CASE("onda check --plot draws what a run would have, where it is told to") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", picture = folder.path() / "before.png";
    write_text(config, kSmall3d);
    const std::vector<std::string> plot{"check", config.string(), "--no-trial", "--plot"};
    const auto plot_to_picture = [&](const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = plot;
        arguments.push_back(picture.string());
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments);
    };
    const Outcome plotted = plot_to_picture();
    CAPTURE(plotted.err);
    CHECK(plotted.code == 0);
    for (const char* name : {"before_xz.png", "before_yz.png", "before_xy.png"}) {
        CHECK(text_of(folder.path() / name).starts_with("\x89PNG"));
        CHECK(contains(plotted.out, (folder.path() / name).string()));
    }
    CHECK(plot_to_picture().code == 73);
    CHECK(plot_to_picture({"--force"}).code == 0);
    const Outcome here = run_onda(plot, "cd " + quoted(folder.path().string()));
    CHECK(here.code == 0);
    CHECK(std::filesystem::exists(folder.path() / "check_xz.png"));
}

TEST_CASE("a fine model on a coarse grid: its seismograms are nearer those of the fine grid when cells are averaged") {
    const TemporaryFolder folder;
    const auto fine = folder.path() / "fine.yaml", coarse = folder.path() / "coarse.yaml";
    write_text(fine, dipping("[401, 241]", "2.5"));
    REQUIRE(run_onda({"model", fine.string(), "-o", (folder.path() / "fine.h5").string(), "--no-pictures", "--set",
                      "model.interfaces=sampled"})
                .code == 0);
    write_text(
        coarse,
        std::string("schema_version: 1\ngrid: {spacing_m: 10}\nmodel: {type: file, file: fine.h5, resample: true}") +
            kRest);
    // The mean of the fine grid's cells, and what lies at every fourth of its nodes.
    const auto exact = pressure_of_run(fine, {"--set", "boundary.cpml_width=40"});
    const double averaged = distance(pressure_of_run(coarse, {}), exact);
    const double sampled = distance(pressure_of_run(coarse, {"--set", "model.interfaces=sampled"}), exact);
    MESSAGE("distance from the fine grid: averaged " << averaged << ", sampled " << sampled);
    CHECK(averaged < 0.4 * sampled);
}
