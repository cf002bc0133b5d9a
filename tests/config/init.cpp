// `onda init` and `onda schema` write what they promise, and overwrite only when told to.
#include <doctest/doctest.h>

#include "io/config/config.hpp"
#include "solver/program/names.hpp"
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

TEST_CASE("schema prints the schema, or the reference") {
    const Outcome schema = run_onda({"schema"}), docs = run_onda({"schema", "--docs"});
    CHECK(schema.code == 0);
    CHECK(schema.out == text_of(ONDA_SOURCE_DIR "/configs/onda.schema.json"));
    CHECK(docs.code == 0);
    CHECK(docs.out == text_of(ONDA_SOURCE_DIR "/docs/config.md"));
}
