// The committed schema and reference are what the table of parameters gives, with the names of the program.
// Takes less than a second.
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>

#include "io/config/config.hpp"
#include "solver/plan/names.hpp"

using namespace onda;

TEST_CASE("configs/onda.schema.json and docs/config.md are up to date") {
    CHECK_MESSAGE(config_schema(vocabulary()) == text_of(ONDA_SOURCE_DIR "/configs/onda.schema.json"),
                  "run: onda schema --force -o configs/onda.schema.json");
    CHECK_MESSAGE(config_reference_markdown(vocabulary()) == text_of(ONDA_SOURCE_DIR "/docs/config.md"),
                  "run: onda schema --docs --force -o docs/config.md");
}
