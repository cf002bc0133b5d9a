// An output format is a row for the whole program. One with a file of each shot and one of the survey, added in one
// file (tests/solver/notes/) and named nowhere else, is given what shots leave, gets files and columns of its own, and
// is forecast, proven, replaced, resumed and refused like the others.
// Takes 2 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "solver/outputs/output.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/simulation.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;

/// A survey of so many shots, of 9 receivers, 2 snapshots and 11 samples each.
Config config_of(int shots) {
    const std::string text = R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: constant, vp_m_s: 1500}
time: {duration_s: 0.02}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [40, 50], last_m: [360, 50], count: )" +
                             std::to_string(shots) + R"(}]
receivers: [{type: line, first_m: [20, 20], last_m: [380, 20], count: 9}]
output: {pictures: false, seismograms: {dt_s: 0.002}, snapshots: {times_s: [0.01, 0.02]}}
backend: {name: cpu}
)";
    return read_config_text(text, "survey.yaml", vocabulary(), {});
}

RunFacts run(const Path& results, int shots, bool overwrite = false, const std::string& selection = "") {
    Log log;
    RunOptions options{.folder = results, .overwrite = overwrite, .command_line = "a test"};
    if (!selection.empty()) options.shots = ShotSelection(selection);
    return run_simulation(config_of(shots), options, log);
}

/// The lines of a file without the spaces at their ends.
std::vector<std::string> lines_of(const Path& file) {
    std::vector<std::string> lines;
    std::istringstream text(text_of(file));
    for (std::string line; std::getline(text, line);) lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    return lines;
}

std::uintmax_t result_bytes(const Path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (const Path name = entry.path().filename();
            entry.is_regular_file() && name != "onda.log" && name != "summary.json" && name != "config.yaml")
            bytes += entry.file_size();
    return bytes;
}

const std::vector<std::string> kThreeShots{"1 2 99 3", "2 2 99 3", "3 2 99 3"};

}  // namespace

TEST_CASE("it is given gathers, snapshots and wavefields of every shot, and its file is listed and proven") {
    const TemporaryFolder folder;
    const RunFacts facts = run(folder.path() / "out", 3);
    CHECK(lines_of(folder.path() / "out" / "notes.txt") == kThreeShots);
    const auto record = std::ranges::find(facts.files, "notes.txt", &FileRecord::name);
    REQUIRE(record != facts.files.end());
    CHECK(*record == record_of(folder.path() / "out" / "notes.txt", "notes.txt"));
    CHECK(EarlierRun(folder.path() / "out").proves("notes.txt"));
    CHECK(is_result_name("notes.txt"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "shots"));
}

TEST_CASE("of many shots its files are kept, with columns in their table") {
    const TemporaryFolder folder;
    const Path out = folder.path() / "out";
    run(out, 101);
    const std::vector<std::string> names = lines_of(out / "notes.txt");
    REQUIRE(names.size() == 101);
    CHECK(names[100] == "shots/00101.note.txt");
    CHECK(lines_of(out / names[100]) == std::vector<std::string>{"101 2 99 3"});
    CHECK(
        contains(text_of(out / "shots" / "shots.csv"), ",    note_file_bytes,  note_file_xxh3,seismogram_file_bytes,"));
    const auto records = ShotTable(out / "shots" / "shots.csv").all_finished();
    REQUIRE(records.size() == 101);
    for (const ShotRecord& shot : records) {
        REQUIRE(shot.files.size() == 3);
        for (const FileRecord& file : shot.files) CHECK(file == record_of(out / "shots" / file.name, file.name));
    }
    run(out, 3, true);
    CHECK_FALSE(std::filesystem::exists(out / "shots"));
    CHECK(lines_of(out / "notes.txt") == kThreeShots);
}

TEST_CASE("what it holds of the memory is forecast") {
    const std::vector<MemoryForecast::Item> items = forecast_memory(make_plan(config_of(7))).items;
    const auto notes = std::ranges::find(items, "notes", &MemoryForecast::Item::what);
    REQUIRE(notes != items.end());
    CHECK(notes->bytes == 7 * 20'000);
}

TEST_CASE("its bytes are forecast") {
    for (const int shots : {1, 3}) {
        const TemporaryFolder folder;
        run(folder.path() / "out", shots);
        const auto written = static_cast<double>(result_bytes(folder.path() / "out"));
        const auto forecast = static_cast<double>(forecast_output_bytes(make_plan(config_of(shots))));
        CAPTURE(written - forecast);
        CHECK(std::abs(written - forecast) <= 0.02 * written + 1000. + 400. * shots);
    }
}

TEST_CASE("a shot whose file of this format has gone is computed again") {
    const TemporaryFolder folder;
    const Path out = folder.path() / "out", note = out / "unfinished" / "00002.note.txt";
    CHECK_FALSE(run(out, 3, false, "1-2").complete);
    REQUIRE(std::filesystem::remove(note));
    CHECK_FALSE(run(out, 3, false, "2").complete);
    CHECK(std::filesystem::exists(note));
    CHECK(run(out, 3).complete);
    CHECK(lines_of(out / "notes.txt") == kThreeShots);
}

TEST_CASE("--force replaces its file, and refuses one that was changed") {
    const TemporaryFolder folder;
    const Path out = folder.path() / "out";
    run(out, 2);
    run(out, 3, true);
    CHECK(lines_of(out / "notes.txt") == kThreeShots);
    std::ofstream(out / "notes.txt") << "mine";
    CHECK(contains(message_of([&] { run(out, 2, true); }, ExitCode::cannot_create), "notes.txt there is not listed"));
    CHECK(text_of(out / "notes.txt") == "mine");
}
