// The committed schema and reference are what the program prints, and the template it writes can be read.
#include <doctest/doctest.h>

#include "io/config.hpp"
#include "program.hpp"

using namespace onda;

TEST_CASE("configs/onda.schema.json and docs/config.md are up to date") {
    // To mend: onda schema -o configs/onda.schema.json --force; onda schema --docs -o docs/config.md --force
    const Outcome schema = run_onda({"schema"});
    CHECK(schema.code == 0);
    CHECK_MESSAGE(schema.out == text_of(ONDA_SOURCE_DIR "/configs/onda.schema.json"),
                  "run: onda schema --force -o configs/onda.schema.json");
    const Outcome docs = run_onda({"schema", "--docs"});
    CHECK(docs.code == 0);
    CHECK_MESSAGE(docs.out == text_of(ONDA_SOURCE_DIR "/docs/config.md"),
                  "run: onda schema --docs --force -o docs/config.md");
}

TEST_CASE("init writes a template that can be read, and overwrites only when told to") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "first.yaml").string();
    const Outcome printed = run_onda({"init"});
    CHECK(printed.code == 0);
    CHECK(printed.out.rfind("# yaml-language-server: $schema=", 0) == 0);
    CHECK(run_onda({"init", "-o", file}).code == 0);
    CHECK(text_of(file) == printed.out);
    CHECK_NOTHROW(read_config(file));

    write_text(file, "mine");
    const Outcome refused = run_onda({"init", "-o", file});
    CHECK(refused.code == static_cast<int>(ExitCode::cannot_create));
    CHECK(contains(refused.err, file));
    CHECK(text_of(file) == "mine");
    CHECK(run_onda({"init", "-o", file, "--force"}).code == 0);
    CHECK(text_of(file) == printed.out);
}
