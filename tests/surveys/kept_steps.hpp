// The checkpoints of a survey on disk, and runs that signals stop where they have left some.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "solver/tasks/checkpoint_file.hpp"
#include "tests/surveys/survey_place.hpp"

inline const std::string kEveryMoment = "checkpoint.every_minutes=0.0005";

/// Ascending. A run that goes on may take files away meanwhile.
inline std::vector<std::int64_t> steps_kept(const SurveyPlace& place, std::int64_t shot) {
    std::vector<std::int64_t> steps;
    for (const std::string& name : {onda::earlier_checkpoint_name(shot), onda::checkpoint_name(shot)}) try {
            if (std::filesystem::exists(place.unfinished() / name))
                steps.push_back(onda::CheckpointReader(place.unfinished() / name).record().step);
        } catch (const onda::Error&) {
            continue;
        }
    return steps;
}

inline std::int64_t last_step_kept(const SurveyPlace& place) {
    const std::vector<std::int64_t> steps = steps_kept(place, 1);
    return steps.empty() ? 0 : steps.back();
}

/// Whether shot 1 has no checkpoint any more because it is finished.
inline bool shot_is_finished(const SurveyPlace& place) {
    return place.finished() > 0 || std::filesystem::exists(place.out() / "summary.json");
}

/// Runs until a signal stops it, once it has come further than it was. \returns whether it was stopped.
inline bool stop_on_the_way(const SurveyPlace& place, const std::vector<std::string>& more, int signal) {
    std::vector<std::string> arguments{"--set", kEveryMoment};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::int64_t before = last_step_kept(place);
    Process process(place.command(arguments));
    REQUIRE(wait_until([&] { return last_step_kept(place) > before || !process.running(); }));
    process.send(signal);
    CHECK(process.wait() == 0);
    return process.code() == 75;
}

inline void flip_byte(const std::filesystem::path& path, std::streamoff at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const auto byte = static_cast<char>(file.get() ^ 0x40);
    file.seekp(at);
    file.put(byte);
}
