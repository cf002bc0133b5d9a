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
    CHECK(printed.out.rfind("# yaml-language-server: $schema=", 0) == 0);
    CHECK(run_onda({"init", "-o", file}).code == 0);
    CHECK(text_of(file) == printed.out);
    CHECK_NOTHROW(read_config(file, vocabulary()));

    write_text(file, "mine");
    const Outcome refused = run_onda({"init", "-o", file});
    CHECK(refused.code == static_cast<int>(ExitCode::cannot_create));
    CHECK(contains(refused.err, file));
    CHECK(text_of(file) == "mine");
    CHECK(run_onda({"init", "-o", file, "--force"}).code == 0);
    CHECK(text_of(file) == printed.out);
}

TEST_CASE("schema prints the schema, or the reference") {
    const Outcome schema = run_onda({"schema"}), docs = run_onda({"schema", "--docs"});
    CHECK(schema.code == 0);
    CHECK(schema.out == text_of(ONDA_SOURCE_DIR "/configs/onda.schema.json"));
    CHECK(docs.code == 0);
    CHECK(docs.out == text_of(ONDA_SOURCE_DIR "/docs/config.md"));
}
