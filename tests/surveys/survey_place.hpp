// A survey of many small shots, a place to run it in, and what a run from beginning to end leaves of it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "solver/shots/shot_table.hpp"
#include "tests/program/process.hpp"
#include "tests/surveys/result_bytes.hpp"

inline constexpr int kShots = 101;

/// Many small shots, one more than are copied into one file.
inline const std::string kSurvey = R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 0.15}
boundary: {cpml_width: 6}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [40, 50], last_m: [360, 50], count: 101}]
receivers: [{type: line, first_m: [20, 20], last_m: [380, 20], count: 9}]
output: {pictures: false, snapshots: {times_s: [0.1]}}
)";

/// All that shots left: the table and their files.
inline Contents shots_in(const std::filesystem::path& out) {
    Contents contents;
    for (const auto& entry : std::filesystem::directory_iterator(out / "shots"))
        contents[entry.path().filename()] = text_of(entry.path());
    return contents;
}

struct SurveyPlace {
    explicit SurveyPlace(const std::string& config = kSurvey) { write_text(folder.path() / "survey.yaml", config); }
    [[nodiscard]] std::filesystem::path out(const std::string& name = "out") const { return folder.path() / name; }
    [[nodiscard]] std::filesystem::path unfinished() const { return out() / "unfinished"; }
    [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& more = {},
                                                   const std::string& name = "out") const {
        std::vector<std::string> arguments{
            task, folder.path() / "survey.yaml", "--output", out(name), "--set", "backend.name=cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] Outcome run(const std::vector<std::string>& more = {}, const std::string& name = "out",
                              const std::string& under = "") const {
        Outcome outcome = run_onda(command(more, name), "true", under);
        CAPTURE(outcome.err);
        CHECK((outcome.code == 0 || !more.empty() || !under.empty()));
        return outcome;
    }
    [[nodiscard]] std::size_t finished() const {
        const auto table = unfinished() / "shots.csv";
        return std::filesystem::exists(table) ? onda::ShotTable(table).all_finished().size() : 0;
    }
    void check_complete(const Contents& expected) const {
        CHECK(shots_in(out()) == expected);
        check_complete(kShots);
    }
    void check_complete(int shots) const {
        CHECK(!std::filesystem::exists(unfinished()));
        const auto summary = nlohmann::json::parse(text_of(out() / "summary.json"));
        CHECK(summary["state"] == "complete");
        CHECK(summary["survey"]["shots"] == shots);
        CHECK(onda::list_shots(out() / "seismograms.h5").size() == static_cast<std::size_t>(shots));
    }
    TemporaryFolder folder;
    std::string task = "run";
};

/// The shots of a run from beginning to end.
inline const Contents& uninterrupted() {
    static const Contents contents = [] {
        const SurveyPlace place;
        REQUIRE(place.run().code == 0);
        return shots_in(place.out());
    }();
    return contents;
}

/// What a run has left, but for what names the run.
struct LeftOfRun {
    std::vector<std::vector<float>> values;
    Contents files;  ///< pictures and SEG-Y
    nlohmann::json hashes, largest;
    bool operator==(const LeftOfRun&) const = default;
};

/// What a complete run with seismograms and snapshots has left.
inline LeftOfRun left_in(const std::filesystem::path& out, std::int64_t shots) {
    LeftOfRun left;
    for (std::int64_t shot = 1; shot <= shots; ++shot) {
        left.values.push_back(onda::read_gather(out / "seismograms.h5", shot).pressure);
        left.values.push_back(onda::read_frames(out / "snapshots.h5", shot).values);
    }
    for (const auto& entry : std::filesystem::directory_iterator(out))
        if (const auto kind = entry.path().extension(); kind == ".png" || kind == ".segy")
            left.files[entry.path().filename()] = text_of(entry.path());
    const auto summary = nlohmann::json::parse(text_of(out / "summary.json"));
    left.hashes = summary["hashes"];
    left.largest = summary["largest_observed_pressure_pa"];
    return left;
}
