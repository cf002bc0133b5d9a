/// \file
/// The files of a run in its folder: which of them Onda wrote, and how it proves that.
///
/// summary.json lists the files of a run with their sizes and hashes, and ends with a hash of itself. A file is proven
/// if the summary is, and lists it as it is. Whatever cannot be proven is somebody else's: never replaced or removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/program/file_record.hpp"
#include "solver/run/identity.hpp"

namespace onda {

inline constexpr const char* kLogName = "onda.log";
inline constexpr const char* kSummaryName = "summary.json";
/// The key of a summary under which it lists files that are about to get their names in the folder.
inline constexpr const char* kComingFiles = "files_coming";
inline constexpr const char* kSummaryFormat = "onda-summary";
inline constexpr int kSummaryFormatVersion = 1;
/// The table of shots, and where it is in the results of surveys that keep the files of their shots.
inline constexpr const char* kTableName = "shots.csv";
inline constexpr const char* kKeptTableName = "shots/shots.csv";

/// Whether a run may write a file of this name: seismograms.h5, snapshot_xz_0.1000s.png, …
bool is_result_name(std::string_view name);

/// The text of a JSON object with one key more: a hash of everything before it.
/// \param text ends with "\n}\n".
std::string sealed(std::string text);
/// Whether nothing in a text has changed since sealed().
bool seal_holds(std::string_view text);

/// The files that an earlier run left in a folder.
class EarlierRun {
public:
    /// Reads the summary of a folder; nothing is proven if there is none, or one that is not Onda's or was changed.
    explicit EarlierRun(std::filesystem::path folder);

    /// The files that the summary lists with a hash, in its order; a run that was killed while its files got their
    /// names lists those of the run before, too. A file that was coming and is there stands for an earlier one.
    [[nodiscard]] const std::vector<FileRecord>& records() const { return records_; }
    /// The id of the run; empty where nothing is proven.
    [[nodiscard]] const std::string& run_id() const { return run_id_; }
    /// The files in the folder of shots that are what the table lists, and the parts that these list, if the summary
    /// lists the table; itself last.
    /// \throws Error(io_error).
    [[nodiscard]] std::vector<std::string> proven_shot_files() const;
    /// Whether the summary is that of a complete run and tells what its results follow from.
    [[nodiscard]] bool has_identity() const { return complete_ && !identity_.empty(); }
    /// Whether the summary is that of a complete run with this identity.
    [[nodiscard]] bool is_of(const std::string& identity) const { return has_identity() && identity == identity_; }
    /// What its results follow from, as far as its summary and its configuration tell; nothing where they do not.
    [[nodiscard]] std::optional<Identity> identity() const;
    /// Whether the file of this name is there and is what the summary lists. \throws Error(io_error).
    [[nodiscard]] bool proves(const std::string& name) const { return lists(name, folder_ / name); }
    /// Whether a file is there and is what the summary lists under this name. \throws Error(io_error).
    [[nodiscard]] bool lists(const std::string& name, const std::filesystem::path& file) const;
    /// Refuses a folder that holds results of somebody else. \throws Error(cannot_create) naming the first file in the
    /// folder that has the name of a result and is not proven: a link, a pipe, another program's, or changed since.
    void refuse_foreign_files() const;

private:
    void refuse_foreign_shots() const;
    void take_arrived(const FileRecord& coming);

    std::filesystem::path folder_;
    bool found_ = false, complete_ = false;
    std::string run_id_, identity_, version_, model_hash_, kernel_, task_;
    std::vector<FileRecord> records_;
};

}  // namespace onda
