// The JSON Schema accepts what the reader accepts, and refuses its typical errors. Skipped without python3-jsonschema.
// Takes 1 s.
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <utility>

#include "io/config/config.hpp"
#include "io/config/config_template.hpp"
#include "solver/plan/names.hpp"
#include "tests/io/files_support.hpp"
#include "tests/program/python.hpp"

using namespace onda;

namespace {

/// Prints for every file whether it is valid; one start of Python serves all.
const char* const kValidate = R"(
import json, sys, yaml, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
with open(sys.argv[2], "w") as verdicts:
    for name in sys.argv[3:]:
        verdicts.write("valid\n" if validator.is_valid(yaml.safe_load(open(name))) else "invalid\n")
)";

/// What Python's jsonschema says of each text.
std::vector<std::string> verdicts(const std::string& python, const std::vector<std::string>& texts) {
    const TemporaryFolder folder;
    const auto path = [&](const std::string& name) { return (folder.path() / name).string(); };
    std::ofstream(path("schema.json")) << config_schema(vocabulary());
    std::ofstream(path("validate.py")) << kValidate;
    std::string command = shell_quoted(python) + " " + shell_quoted(path("validate.py")) + " " +
                          shell_quoted(path("schema.json")) + " " + shell_quoted(path("verdicts"));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::ofstream(path(std::to_string(i))) << texts[i];
        command += " " + shell_quoted(path(std::to_string(i)));
    }
    REQUIRE(exit_status(command) == 0);
    std::vector<std::string> lines;
    std::ifstream file(path("verdicts"));
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    REQUIRE(lines.size() == texts.size());
    return lines;
}

}  // namespace

TEST_CASE("jsonschema agrees with the reader") {
    const std::string python = python_with("import jsonschema, yaml");
    if (python.empty()) {
        std::puts("skipped: no Python here has jsonschema and yaml (apt-get install python3-jsonschema python3-yaml)");
        std::exit(kSkipped);
    }
    const Vocabulary names = vocabulary();
    std::vector<std::string> good_texts{
        config_template(names), resolved_yaml(read_config_text(config_template(names), "template.yaml", names))};
    for (const auto& entry : std::filesystem::directory_iterator(ONDA_SOURCE_DIR "/configs"))
        if (entry.path().extension() == ".yaml") good_texts.push_back(text_of(entry.path()));
    const std::string good =
        "grid: {shape: [99, 99], spacing_m: 5}\nmodel: {vp_m_s: 2000}\ntime: {duration_s: 1}\n"
        "wavelet: {peak_frequency_hz: 9}\nsources: [{position_m: [9, 9]}]\n"
        "output: {snapshots: {every_steps: 5}}\n";
    const std::pair<const char*, const char*> changes[] = {
        {"duration_s: 1", "duraton_s: 1"},
        {"duration_s: 1", "duration_s: 0"},
        {"duration_s: 1", "duration_s: long"},
        {"duration_s: 1", "duration_s: 1, dt_s: 0.1, cfl_fraction: 0.5"},
        {"shape: [99, 99]", "shape: [99]"},
        {"shape: [99, 99]", "shape: [99, 99.5]"},
        {"vp_m_s: 2000", "type: layered"},
        {"vp_m_s: 2000", "type: layerd"},
        {"vp_m_s: 2000", "vp_m_s: 2000, seed: 1"},
        {"vp_m_s: 2000", "vp_m_s: 1.5"},
        {"model: {vp_m_s: 2000}\n", ""},
        {"output", "scheme: {space_order: 7}\noutput"},
        {"output", "boundary: {top: pml}\noutput"},
        {"output", "receivers: [{type: line, position_m: [1, 1]}]\noutput"},
        {"output", "receivers: [{}]\noutput"},
        {"output", "receivers: [{type: line, first_m: [1, 1], last_m: [9, 9]}]\noutput"},
        {"output", "receivers: [{type: line, first_m: [1, 1], last_m: [9, 9], count: 2, spacing_m: 2}]\noutput"},
        {"output", "receivers: [{type: line, first_m: [1, 1], last_m: [9, 9], spacing_m: -2}]\noutput"},
        {"output", "receivers: [{position_m: [1, 1], relative_to: sea}]\noutput"},
        {"sources: [{position_m", "sources: [{type: line, first_m: [1, 1], last_m: [9, 9]}, {position_m"},
        {"output", "backend: {threads: 1.5}\noutput"},
        {"output", "tile: x\noutput"},
        {"every_steps: 5", "every_steps: 0"},
        {"every_steps: 5", "every_steps: 5, times_s: [1]"},
        {"every_steps: 5", "every_steps: 5, every_s: 1"},
        {"every_steps: 5", "every_s: 1, times_s: [1]"},
        {"every_steps: 5", "every_s: 0"},
    };
    REQUIRE_NOTHROW(read_config_text(good, "good.yaml", names));
    good_texts.push_back(good);
    good_texts.push_back(good +
                         "receivers: [{type: line, first_m: [1, 1], last_m: [9, 9], spacing_m: 2},"
                         " {type: grid, first_m: [1, 1], last_m: [9, 9], spacing_m: [2, 3], relative_to: source}]\n");
    REQUIRE_NOTHROW(read_config_text(good_texts.back(), "good.yaml", names));
    std::vector<std::string> bad_texts;
    for (const auto& change : changes) {
        CAPTURE(change.second);
        std::string bad = good;
        bad.replace(bad.find(change.first), std::string(change.first).size(), change.second);
        CHECK_THROWS_AS(read_config_text(bad, "bad.yaml", names), Error);
        bad_texts.push_back(bad);
    }
    const auto of_good = verdicts(python, good_texts), of_bad = verdicts(python, bad_texts);
    for (std::size_t i = 0; i < good_texts.size(); ++i) CHECK_MESSAGE(of_good[i] == "valid", good_texts[i]);
    for (std::size_t i = 0; i < bad_texts.size(); ++i) CHECK_MESSAGE(of_bad[i] == "invalid", bad_texts[i]);
}
