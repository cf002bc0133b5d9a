// `onda init` and `onda schema` write what they promise, and overwrite only when told to.
// Takes 1 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <sstream>

#include "io/config/config.hpp"
#include "io/models/model_file.hpp"
#include "solver/plan/names.hpp"
#include "tests/program/program.hpp"

using namespace onda;

TEST_CASE("init writes a template that can be read, and overwrites only when told to") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "first.yaml").string();
    const Outcome printed = run_onda({"init"});
    CHECK(printed.code == 0);
    CHECK(!contains(printed.out, "$schema"));  // there is no folder in which an editor would find it
    CHECK_NOTHROW(read_config_text(printed.out, "printed.yaml", vocabulary()));
    CHECK(run_onda({"init", "-o", file}).code == 0);
    const std::string written = text_of(file);
    CHECK(written.rfind("# yaml-language-server: $schema=onda.schema.json\n", 0) == 0);
    CHECK_NOTHROW(read_config(file, vocabulary()));

    write_text(file, "mine");
    const Outcome refused = run_onda({"init", "-o", file});
    CHECK(refused.code == static_cast<int>(ExitCode::cannot_create));
    CHECK(contains(refused.err, file));
    CHECK(text_of(file) == "mine");
    CHECK(run_onda({"init", "-o", file, "--force"}).code == 0);
    CHECK(text_of(file) == written);
}

TEST_CASE("init writes the schema that its file names beside it, and leaves one that is there") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / "below");
    const auto schema = folder.path() / "below" / "onda.schema.json";
    const std::string first = (folder.path() / "below" / "first.yaml").string();
    CHECK(run_onda({"init", "-o", first}).code == 0);
    CHECK(text_of(schema) == config_schema(vocabulary()));
    write_text(schema, "mine");
    CHECK(run_onda({"init", "-o", (folder.path() / "below" / "second.yaml").string()}).code == 0);
    CHECK(text_of(schema) == "mine");
    CHECK(run_onda({"init", "-o", first, "--force"}).code == 0);
    CHECK(text_of(schema) == config_schema(vocabulary()));
    const Outcome here = run_onda({"init", "-o", "third.yaml"}, "cd " + quoted(folder.path().string()));
    CHECK(here.code == 0);
    CHECK(text_of(folder.path() / "onda.schema.json") == config_schema(vocabulary()));
}

TEST_CASE("every template makes a configuration that would run without a warning") {
    const TemporaryFolder folder;
    const Outcome menu = run_onda({"init", "--list"});
    CHECK(menu.code == 0);
    std::istringstream lines(menu.out);
    int templates = 0;
    for (std::string line; std::getline(lines, line); ++templates) {
        const std::string name = line.substr(0, line.find(' ')), file = (folder.path() / (name + ".yaml")).string();
        CHECK(run_onda({"init", "--template", name, "-o", file}).code == 0);
        const Outcome check = run_onda({"check", file, "--json", "--no-trial"});
        CHECK_MESSAGE(check.code == 0, name, ": ", check.err);
        CHECK_MESSAGE(contains(check.out, "\"warnings\": []"), name, ": ", check.out);
    }
    CHECK(templates >= 5);
    const Outcome unknown = run_onda({"init", "--template", "streemer"});
    CHECK(unknown.code == static_cast<int>(ExitCode::usage));
    CHECK(contains(unknown.err, "did you mean streamer?"));
    CHECK(run_onda({"init", "--template", "streamer", "--list"}).code == static_cast<int>(ExitCode::usage));
}

TEST_CASE("init --like a configuration keeps its values, and explains the others") {
    const TemporaryFolder folder;
    const std::string old = ONDA_SOURCE_DIR "/configs/layers2d.yaml";
    const Outcome like = run_onda({"init", "--like", old});
    CHECK(like.code == 0);
    Config was = read_config(old, vocabulary()), is = read_config_text(like.out, "like.yaml", vocabulary());
    was.origin = is.origin = {};
    CHECK(is == was);
    CHECK(contains(like.out, "# space_order: 8"));
    CHECK(run_onda({"init", "--like", (folder.path() / "none.yaml").string()}).code ==
          static_cast<int>(ExitCode::missing_input));
}

TEST_CASE("init --like a model makes a run over all of it") {
    const TemporaryFolder folder;
    const auto model = folder.path() / "mine.h5", file = folder.path() / "shot.yaml";
    for (const int dimensions : {2, 3}) {
        const FileGeometry geometry{dimensions, {81, dimensions == 3 ? 31 : 1, 61}, {10., 10., 5.}, {100., 200., -50.}};
        write_model_file(
            model, geometry,
            [](std::int64_t z, std::span<float> vp) { std::ranges::fill(vp, 1500.f + 20.f * float(z)); }, "a test",
            true);
        const Outcome made = run_onda({"init", "--like", model.string(), "-o", file.string(), "--force"});
        REQUIRE_MESSAGE(made.code == 0, made.err);
        const Config config = read_config(file, vocabulary());
        CHECK(config.grid.dimensions() == dimensions);
        CHECK(config.grid.origin_m.back() == -50.);
        // 1500 m/s over 10 m leave four points in the wavelength of 37.5 Hz, where a Ricker wavelet of 13.4 Hz ends.
        CHECK(config.wavelet.peak_frequency_hz == 13.);
        const Outcome check = run_onda({"check", file.string(), "--json", "--no-trial"});
        CHECK_MESSAGE(check.code == 0, check.err);
        CHECK_MESSAGE(contains(check.out, "\"warnings\": []"), check.out);
    }
}

TEST_CASE("init --like an array of another program names the command that makes a model of it") {
    const TemporaryFolder folder;
    for (const auto& [name, options] :
         {std::pair{"vp.npy", " --axes zx --spacing-m DX"}, {"vp.f32", " --shape NX NZ --axes xz --spacing-m DX"}}) {
        const auto array = folder.path() / name;
        std::ofstream(array) << "\x93NUMPY\xff";
        const Outcome like = run_onda({"init", "--like", array.string()});
        CHECK(like.code == 65);
        CHECK_MESSAGE(contains(like.err, array.string() + ": is not an HDF5 file; convert it with `onda convert " +
                                             array.string() + " " + (folder.path() / "vp.h5").string() + options + "`"),
                      like.err);
    }
}

TEST_CASE("schema prints the schema, or the reference") {
    const Outcome schema = run_onda({"schema"}), docs = run_onda({"schema", "--docs"});
    CHECK(schema.code == 0);
    CHECK(schema.out == text_of(ONDA_SOURCE_DIR "/configs/onda.schema.json"));
    CHECK(docs.code == 0);
    CHECK(docs.out == text_of(ONDA_SOURCE_DIR "/docs/config.md"));
}
