// Every error of a configuration is reported at its place, with what to do: golden messages, exact to the letter.
// Takes less than a second.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "io/config/config.hpp"
#include "io/config/config_template.hpp"
#include "io/config/strict_yaml.hpp"
#include "io/models/model_file.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

/// One block of config_errors.txt.
struct Case {
    std::string title, replace, with, expected;
    std::vector<std::string> overrides;
    int exit_code = 0;
};
struct Golden {
    std::string base;
    std::vector<Case> cases;
};

/// "=== title" begins a case, "--- part" a part of it; a part's lines keep their line ends, the last one excepted.
Golden read_golden() {
    std::ifstream file(ONDA_SOURCE_DIR "/tests/config/config_errors.txt");
    if (!file) throw std::runtime_error("tests/config/config_errors.txt is not there");
    Golden golden;
    std::string* part = nullptr;
    for (std::string line; std::getline(file, line);) {
        if (line == "=== base") {
            part = &golden.base;
        } else if (line.rfind("=== ", 0) == 0) {
            golden.cases.push_back({line.substr(4), "", "", "", {}, 0});
            part = nullptr;
        } else if (line == "--- replace") {
            part = &golden.cases.back().replace;
        } else if (line == "--- with") {
            part = &golden.cases.back().with;
        } else if (line == "--- set") {
            part = &golden.cases.back().overrides.emplace_back();
        } else if (line.rfind("--- expect ", 0) == 0) {
            golden.cases.back().exit_code = std::stoi(line.substr(11));
            part = &golden.cases.back().expected;
        } else if (part != nullptr) {
            *part += (part->empty() || part == &golden.base ? "" : "\n") + line + (part == &golden.base ? "\n" : "");
        }
    }
    return golden;
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return from.empty() ? text : text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("golden messages") {
    const Golden golden = read_golden();
    REQUIRE(golden.cases.size() >= 40);
    REQUIRE_NOTHROW(make_plan(read_config_text(golden.base, "run.yaml", vocabulary())));
    const std::string here = std::filesystem::current_path().string();
    for (const Case& wanted : golden.cases) {
        CAPTURE(wanted.title);
        const std::string text = changed(golden.base, wanted.replace, wanted.with);
        const Error error = fault_of(
            [&] { static_cast<void>(make_plan(read_config_text(text, "run.yaml", vocabulary(), wanted.overrides))); });
        std::string message = error.what();
        if (const auto at = message.find(here); at != std::string::npos) message.replace(at, here.size(), "@");
        CHECK(message == wanted.expected);
        CHECK(static_cast<int>(error.code()) == wanted.exit_code);
    }
}

TEST_CASE("faults that later stages find are reported at their key") {
    const Config config = read_config_text(read_golden().base, "run.yaml", vocabulary(), {"model.vp_m_s=2500"});
    const auto message = [&](const std::string& key) {
        return std::string(fault_of([&] { config.origin.fault(key, "is wrong"); }).what());
    };
    CHECK(
        message("sources[0].position_m") ==
        "run.yaml:17:17: sources[0].position_m: is wrong\n  17 |     position_m: [1500, 20]\n     |                 ^");
    CHECK(message("boundary.z_max") == "run.yaml:10:1: boundary.z_max: is wrong\n  10 | boundary:\n     | ^");
    CHECK(message("scheme.space_order") ==
          "run.yaml:1:1: scheme.space_order: is wrong\n   1 | schema_version: 1\n     | ^");
    CHECK(message("model.vp_m_s") == "--set model.vp_m_s=2500: model.vp_m_s: is wrong");
    const Error made_in_code = fault_of([] { ConfigOrigin().fault("time.dt_s", "is wrong"); });
    CHECK(std::string(made_in_code.what()) == "configuration: time.dt_s: is wrong");
    CHECK(made_in_code.code() == ExitCode::config);
}

TEST_CASE("every fault of an override says which one it comes from, and where in it") {
    const std::string base = read_golden().base;
    const auto message = [&base](const std::vector<std::string>& overrides) {
        return message_of([&] { read_config_text(base, "run.yaml", vocabulary(), overrides); }, ExitCode::config);
    };
    struct Row {
        std::string given, expected;
    };
    using namespace std::string_literals;
    for (const Row& row : std::vector<Row>{
             {"title=\xff", "--set title=\\xff: character 7 is not valid UTF-8: the byte \\xff; write text in UTF-8"},
             {"t\xc3\xa4tle=1", "--set tätle=1: unknown key 'tätle'; did you mean 'title'?"},
             {"tit\xffle=5", "--set tit\\xffle=5: character 4 is not valid UTF-8"},
             {"title=\xc3\xa4\xed\xa0\x80",
              "--set title=ä\\xed\\xa0\\x80: character 8 is not valid UTF-8: the byte \\xed"},
             {"title=a\0b"s, "--set title=a\\x00b: character 8 is the control character \\x00"},
             {"title=\x1b[31m", "--set title=\\x1b[31m: character 7 is the control character \\x1b"},
             {"grid.spacing_m=\n5", "--set grid.spacing_m=\\n5: character 16 is the control character \\n"},
             {"\tgrid.spacing_m=5", "--set \\tgrid.spacing_m=5: unknown key '\\tgrid'"},
             {"grid.spacing_m=\t5x", "--set grid.spacing_m=\\t5x: character 1 of the value: a tab indents this line"},
             {"title={a: 1, a: 2}", "--set title={a: 1, a: 2}: character 8 of the value: key 'a' is given twice"},
             {"title=[1, 2", "--set title=[1, 2: character 5 of the value: a ':' is missing after this key"},
             {"titel=x", "--set titel=x: unknown key 'titel'; did you mean 'title'?"},
             {"title", "--set title: must be key=value"},
             {"", "--set : must be key=value"},
             {"=", "--set =: must be key=value"},
             {"grid..shape=1", "--set grid..shape=1: must be key=value"},
             {"sources[-1]=1", "--set sources[-1]=1: must be key=value"},
             {"sources[9].amplitude=1", "--set sources[9].amplitude=1: sources has 1 item, counted from 0"},
             {"sources[0]=null", "--set sources[0]=null: sources[0]: missing key 'position_m'"},
             {"title.deep=1", "--set title.deep=1: title = {...}: must be text"}})
        CHECK_MESSAGE(message({row.given}).starts_with(row.expected), message({row.given}));
    // Of two overrides of a key the last one counts, and the error is reported there.
    CHECK(message({"time.duration_s=1", "time.duration_s=-1"}) ==
          "--set time.duration_s=-1: time.duration_s = -1: must be in [1e-15, 1e+09] s");
    CHECK(message({"time.duration_s=-1", "time.duration_s=1"}) == "no error");
    // Long ones are cut, and deep ones are refused, not followed.
    const std::string wide = message({"title=[" + std::string(200'000, 'x') + "]"});
    CHECK(wide.size() < 600);
    CHECK(wide.starts_with("--set title=[xxx"));
    CHECK(contains(message({"title=" + std::string(kMaxYamlBytes + 1, 'x')}),
                   "xxx: character 1 of the value: the text has"));
    std::string deep = "a";
    for (int i = 0; i < 50'000; ++i) deep += ".a";
    CHECK(contains(message({deep + "=1"}), ": the key is nested more than 16 levels deep"));
}

namespace {

/// A model of 2000 m/s with 31 x 21 nodes, or 31 x 11 x 21.
void write_model(const std::filesystem::path& file, int dimensions) {
    const FileGeometry geometry{dimensions, {31, dimensions == 2 ? 1 : 11, 21}, {10., 10., 10.}, {}};
    const Plane plane = [](std::int64_t, std::span<float> values) { std::ranges::fill(values, 2000.f); };
    write_model_file(file, geometry, plane, "a test", false);
}

/// What is left of a configuration without a grid, over a model file.
std::string over_file(int dimensions) {
    const std::string at = dimensions == 2 ? "[150, 20]" : "[150, 50, 20]";
    return "model: {type: file, file: model.h5}\ntime: {duration_s: 0.1}\nwavelet: {type: ricker, peak_frequency_hz: "
           "20}\nsources: [{position_m: " +
           at + "}]\nreceivers: [{position_m: " + at + "}]\n";
}

}  // namespace

TEST_CASE("what a grid has other dimensions for is refused, whether the file or the configuration says so") {
    struct Row {
        int dimensions;
        std::vector<std::string> overrides;
        std::string expected;
    };
    for (const Row& row : std::vector<Row>{
             {2, {"boundary.y_min=rigid"}, "boundary.y_min: there is no y axis: @ makes a 2-D run"},
             {2, {"boundary.front=cpml"}, "boundary.front: there is no y axis: @ makes a 2-D run"},
             {2, {"model.extrude=false"}, "model.extrude: there is no y axis: @ makes a 2-D run"},
             {2,
              {"output.snapshots={every_steps: 9, decimation: [2, 3, 4]}"},
              "output.snapshots.decimation = [2, 3, 4]: must have 2 numbers (x, z) as @ makes a 2-D run, not 3"},
             {2,
              {"output.snapshots={every_steps: 9, window_min_m: [100, 200, 50]}"},
              "output.snapshots.window_min_m = [100, 200, 50]: must have 2 numbers (x, z) as @ makes a 2-D run, not 3"},
             {3,
              {"output.snapshots={every_steps: 9, window_max_m: [100, 50]}"},
              "output.snapshots.window_max_m = [100, 50]: must have 3 numbers (x, y, z) as @ makes a 3-D run, not 2"},
             {3,
              {"sources[0].position_m=[150, 20]"},
              "sources[0].position_m = [150, 20]: must have 3 numbers (x, y, z) as @ makes a 3-D run, not 2"}}) {
        CAPTURE(row.overrides);
        const TemporaryFolder folder;
        write_model(folder.path() / "model.h5", row.dimensions);
        for (const bool by_file : {true, false}) {
            const std::string grid = row.dimensions == 2 ? "[31, 21]" : "[31, 11, 21]";
            const std::string text =
                over_file(row.dimensions) + (by_file ? "" : "grid: {shape: " + grid + ", spacing_m: 10}\n");
            std::string expected = row.expected;
            expected.replace(expected.find('@'), 1, by_file ? "the model's file" : "grid.shape");
            const std::string message = message_of(
                [&] {
                    static_cast<void>(
                        make_plan(read_config_text(text, folder.path() / "run.yaml", vocabulary(), row.overrides)));
                },
                ExitCode::config);
            CHECK(contains(message, expected));
        }
    }
}

TEST_CASE("every key that a file must have the dimensions for is refused beside the others, at its place") {
    const TemporaryFolder folder;
    write_model(folder.path() / "model.h5", 2);
    const std::string text = over_file(2) +
                             "boundary: {front: rigid}\noutput: {snapshots: {every_steps: 9, decimation: "
                             "[2, 3, 4], window_min_m: [0, 0, 0]}}\n";
    const auto name = folder.path() / "run.yaml";
    const std::string message =
        message_of([&] { static_cast<void>(make_plan(read_config_text(text, name, vocabulary()))); }, ExitCode::config);
    CHECK(contains(message, "run.yaml:6:12: boundary.front: there is no y axis: the model's file makes a 2-D run"));
    CHECK(contains(message, "run.yaml:7:50: output.snapshots.decimation = [2, 3, 4]: must have 2 numbers"));
    CHECK(contains(message, "run.yaml:7:75: output.snapshots.window_min_m = [0, 0, 0]: must have 2 numbers"));
    CHECK(contains(message, "3 errors in"));
}

TEST_CASE("a grid of a file that is too coarse is an error of the file, at its key") {
    const TemporaryFolder folder;
    write_model(folder.path() / "model.h5", 2);
    const auto name = folder.path() / "run.yaml";
    const std::string message = message_of(
        [&] {
            static_cast<void>(
                make_plan(read_config_text(over_file(2), name, vocabulary(), {"wavelet.peak_frequency_hz=1000"})));
        },
        ExitCode::config);
    CHECK(contains(message, "run.yaml:1:27: model.file = model.h5: "));
    CHECK(contains(message, "; the spacing is that of this file\n"));
}

TEST_CASE("the copy of a configuration whose grid is that of a file gives the same plan again") {
    for (const int dimensions : {2, 3}) {
        CAPTURE(dimensions);
        const TemporaryFolder folder;
        write_model(folder.path() / "model.h5", dimensions);
        const std::string lists = dimensions == 2 ? "decimation: [2, 3], window_min_m: [10, 20]"
                                                  : "decimation: [2, 3, 4], window_min_m: [10, 20, 30]";
        const std::string text = over_file(dimensions) + "boundary: {x_min: rigid" +
                                 (dimensions == 3 ? ", front: rigid" : "") +
                                 "}\noutput: {snapshots: {every_steps: 9, " + lists + "}}\n";
        const Plan plan = make_plan(read_config_text(text, folder.path() / "run.yaml", vocabulary()));
        const std::string copy = resolved_yaml(plan.config);
        const Plan again = make_plan(read_config_text(copy, "/elsewhere/config.yaml", vocabulary()));
        CHECK(resolved_yaml(again.config) == copy);
        CHECK(again.snapshots.window.count == plan.snapshots.window.count);
        CHECK(again.snapshots.window.first == plan.snapshots.window.first);
        CHECK(again.domain.grid.n == plan.domain.grid.n);
    }
}

TEST_CASE("a configuration that cannot be read is named") {
    const TemporaryFolder folder;
    const Error absent = fault_of([&] { read_config(folder.path() / "absent.yaml", vocabulary()); });
    CHECK(absent.code() == ExitCode::missing_input);
    CHECK(contains(absent.what(), "absent.yaml: cannot read the configuration: No such file or directory"));
    CHECK(contains(fault_of([&] { read_config(folder.path(), vocabulary()); }).what(), "is a folder"));
}

TEST_CASE("many faults, and long lines, are cut short") {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "unknown_" + std::to_string(i) + ": 1\n";
    const std::string message = fault_of([&] { read_config_text(text, "run.yaml", vocabulary()); }).what();
    CHECK(contains(message, "errors in run.yaml, the first 50 shown"));
    CHECK(message.size() < 20000);
    const std::string wide = "title: {" + std::string(100000, 'x') + ": 1}\n";
    CHECK(std::string(fault_of([&] { read_config_text(wide, "run.yaml", vocabulary()); }).what()).size() < 5000);
}

TEST_CASE("names of the vocabulary are the names that are allowed") {
    const std::string base = read_golden().base;
    Vocabulary names = vocabulary();
    names["backend.kernel"] = {{"auto", "the first"}, {"swift", "a kernel of this test"}};
    CHECK(read_config_text(base, "run.yaml", names, {"backend.kernel=swift"}).backend.kernel == "swift");
    CHECK(read_config_text(base, "run.yaml", names, {"backend.kernel=auto"}).backend.kernel == "auto");
    CHECK(std::string(fault_of([&] { read_config_text(base, "run.yaml", names, {"backend.kernel=swit"}); }).what()) ==
          "--set backend.kernel=swit: backend.kernel = swit: must be one of auto, swift; did you mean 'swift'?");
    CHECK(contains(config_schema(names), "swift: a kernel of this test"));
    CHECK(contains(config_reference_markdown(names), "| `swift` | a kernel of this test |"));
    names.erase("backend.kernel");
    CHECK_THROWS_AS(read_config_text(base, "run.yaml", names, {"backend.kernel=swift"}), std::logic_error);
    CHECK_THROWS_AS(static_cast<void>(config_schema(names)), std::logic_error);
}

TEST_CASE("a name that programs alone can use is accepted, and no list of names has it") {
    const std::string base = read_golden().base;
    CHECK(read_config_text(base, "run.yaml", vocabulary(), {"model={type: array}"}).model.type == "array");
    const std::string told = "arrays that a program hands over";
    CHECK(!contains(config_schema(vocabulary()), told));
    CHECK(!contains(config_reference_markdown(vocabulary()), told));
    CHECK(contains(config_template(vocabulary()), "salt_basin"));
    CHECK(!contains(config_template(vocabulary()), "salt_basin | array"));
    Vocabulary names = vocabulary();
    names["backend.kernel"] = {{"auto", "the first"}, {"hidden", "a kernel of this test", false}};
    CHECK(read_config_text(base, "run.yaml", names, {"backend.kernel=hidden"}).backend.kernel == "hidden");
    CHECK(!contains(config_schema(names), "hidden"));
    CHECK(std::string(fault_of([&] { read_config_text(base, "run.yaml", names, {"backend.kernel=hiden"}); }).what()) ==
          "--set backend.kernel=hiden: backend.kernel = hiden: must be one of auto");
}

TEST_CASE("a stage reports all its faults together, with the values as they were written") {
    const Config config = read_config_text(read_golden().base, "run.yaml", vocabulary(), {"time.dt_s=0.001"});
    StageFaults faults(config.origin);
    CHECK_NOTHROW(faults.raise_if_any());
    faults.add_of_value("time.dt_s", "is wrong");
    faults.add_of_value("time.cfl_fraction", "is not even given");
    faults.add_of_value("sources[0].position_m", "lies elsewhere");
    faults.add("", "is odd on the whole");
    CHECK(std::string(fault_of([&] { faults.raise_if_any(); }).what()) ==
          "run.yaml:1:1: is odd on the whole\n   1 | schema_version: 1\n     | ^\n"
          "run.yaml:8:1: time.cfl_fraction: is not even given\n   8 | time:\n     | ^\n"
          "run.yaml:17:17: sources[0].position_m = [1500, 20]: lies elsewhere\n"
          "  17 |     position_m: [1500, 20]\n     |                 ^\n"
          "--set time.dt_s=0.001: time.dt_s = 0.001: is wrong\n4 errors in run.yaml");
}
