/// \file
/// The part of a run's folder in which a survey grows until all of its shots are there: folder/unfinished.
///
///     survey.json            what the survey is (Identity), and how it was begun
///     shots.csv              the table of shots
///     00001.seismograms.h5   the files of finished shots, each final; 00001.snapshots.part_1.h5, … of shots on a grid
///                            that several processes shared
///     00002.checkpoint       a shot between two of its steps; 00002.checkpoint-before, earlier; 00002.frames
///     gather.png, …          the pictures, once the first shot is finished
///     ending                 while the survey is ended where there are no locks (EndClaim)
///
/// The folder appears with its table and survey.json in it, all at once, and so do not two surveys in one place, with
/// locks or without.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/run/identity.hpp"
#include "solver/run/run_files.hpp"
#include "solver/shots/shot_table.hpp"
#include "solver/tasks/checkpoint_file.hpp"

namespace onda {

inline constexpr const char* kUnfinishedName = "unfinished";
inline constexpr const char* kSurveyName = "survey.json";  ///< in it, as long as a survey is there
/// What messages say of a folder that has no results yet.
inline constexpr const char* kUnfinishedRun = ": its run is not complete; run the same command again to resume it";

/// How a survey was begun: what names it in all of its files, whoever goes on with it.
struct Beginning {
    std::string run_id;  ///< 32 hexadecimal digits; no other run has it
    std::string command_line, started_utc;
    std::int64_t shots = 0;
    Identity identity;
};

/// The unfinished survey of a run's folder.
class UnfinishedSurvey {
public:
    /// \param run_folder the folder of the run; nothing is touched.
    explicit UnfinishedSurvey(const std::filesystem::path& run_folder) : folder_(run_folder / kUnfinishedName) {}

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] std::filesystem::path table() const { return folder_ / kTableName; }
    [[nodiscard]] bool exists() const;
    /// Whether a shot of it is finished, or has a checkpoint. \throws Error(io_error).
    [[nodiscard]] bool holds_work() const;
    /// What the same command goes on from, as a clause: "2 shots are finished, and shot 3 goes on from the checkpoint
    /// after step 1200 of 3000"; empty if nothing is kept. \throws Error(io_error).
    [[nodiscard]] std::string what_is_kept() const;
    /// The checkpoints of its shots that can be read, without traces, outputs and states.
    [[nodiscard]] std::vector<CheckpointRecord> checkpoints() const;
    /// How the survey was begun; nothing if there is none, or nothing of it was written.
    /// \throws Error(cannot_create) if something of another program is in the place.
    [[nodiscard]] std::optional<Beginning> beginning() const;

    /// Whether the survey is there and was begun under this name: another process may have ended it a moment ago.
    [[nodiscard]] bool is_there(const std::string& run_id) const;

    /// Makes the folder with an empty table. \returns false if another process has made it a moment ago: nothing
    /// happens then. \throws Error(cannot_create | io_error).
    [[nodiscard]] bool begin(const Beginning& beginning, const Shots& shots) const;
    /// Makes it one that differs in what comes after its checkpoints: they stay, and its finished shots go. Nobody else
    /// may work in the folder. \throws Error(cannot_create | io_error).
    void begin_again_with_checkpoints(const Beginning& beginning, const Shots& shots) const;
    /// Removes all that begin() and shots put there, and the folder if nothing else is in it.
    void remove() const;
    /// Does what remove() does, unless it is no longer the survey that was found. \param found by beginning(). \returns
    /// whether it was.
    [[nodiscard]] bool remove_if_still(const std::optional<Beginning>& found) const;
    /// Makes the table and the files of shots last. \throws Error(io_error).
    void sync_shots() const;
    /// Gives the folder with its table and the files of shots this name, where it becomes part of the results, and
    /// removes everything else from it. \throws Error(cannot_create | io_error).
    void keep_shots_as(const std::filesystem::path& name) const;
    /// Whether a process that was killed has left some of it in a folder to which it gave its name.
    [[nodiscard]] static bool has_rest(const std::filesystem::path& shots);
    static void remove_rest(const std::filesystem::path& shots);
    /// Whether a file in the folder may have this name.
    [[nodiscard]] static bool is_own_name(std::string_view name);

    /// Removes what is left of surveys that were killed while they began or were removed. Nobody else may work in the
    /// folder. \param run_folder that they were to be in.
    static void remove_abandoned(const std::filesystem::path& run_folder);
    /// Whether a name in the folder of a run is that of a survey that begins, or is removed.
    [[nodiscard]] static bool is_temporary_name(std::string_view name);

private:
    struct At {};
    UnfinishedSurvey(At, std::filesystem::path folder) : folder_(std::move(folder)) {}
    void write_beginning(const std::string& survey, const Shots& shots) const;
    [[nodiscard]] bool give_name(const std::filesystem::path& name) const;

    std::filesystem::path folder_;
};

}  // namespace onda
