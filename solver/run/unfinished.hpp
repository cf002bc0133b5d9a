/// \file
/// The part of a run's folder in which a survey grows until all of its shots are there: folder/unfinished.
///
///     survey.json            what the survey is (Identity), and how it was begun
///     shots.csv              the table of shots
///     00001.seismograms.h5   the files of finished shots, each final; 00001.snapshots.part_1.h5, … of shots on a grid
///                            that several processes shared
///     gather.png, …          the pictures, once the first shot is finished
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/run/identity.hpp"
#include "solver/run/shot_table.hpp"

namespace onda {

inline constexpr const char* kUnfinishedName = "unfinished";
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
    /// How it was begun; nothing if there is none, or nothing of it was written.
    /// \throws Error(cannot_create) if something of another program is in the place.
    [[nodiscard]] std::optional<Beginning> beginning() const;

    /// Whether it is there and was begun under this name: another process may have ended it a moment ago.
    [[nodiscard]] bool is_there(const std::string& run_id) const;

    /// Makes the folder and an empty table. \throws Error(cannot_create | io_error).
    void begin(const Beginning& beginning, const Shots& shots) const;
    /// Removes all that begin() and shots put there, and the folder if nothing else is in it.
    void remove() const;
    /// Removes everything but the table and the files of shots.
    void keep_shots() const;

private:
    std::filesystem::path folder_;
};

}  // namespace onda
