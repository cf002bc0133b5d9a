/// \file
/// The folder of a run: what may be in it before, who else works in it, and how the results get their names at the end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/unfinished.hpp"

namespace onda {

/// The folder of results: output.directory, or results/<name of the config> in the working directory.
std::filesystem::path default_folder(const Config& config);

/// Refuses a folder that a run must not write to, without touching anything. \throws Error(cannot_create) if `folder`
/// holds more than the log and the unfinished shots of an earlier run and overwrite is false, if it holds a file of a
/// result's name that Onda cannot prove it wrote, or if it could not be created.
void refuse_taken_folder(const std::filesystem::path& folder, bool overwrite);

/// Refuses a folder with the complete results of a run that follows from something else. \throws Error(cannot_create)
/// that names what differs.
void refuse_another_run(const std::filesystem::path& folder, const Identity& wanted);

/// The folder, in that of a run of iterations, of the passes over the survey.
inline constexpr const char* kIterationsName = "iterations";

/// Whether a folder holds the complete results of the run with this identity. If the process that completed them was
/// killed before it had removed its unfinished survey, that is done now, unless another process works in the folder or
/// it cannot be written; if it was killed before it had made it the folder of shots, which other files link to, that is
/// done now or an error. The files of the shots are not looked at: refuse_damaged_results().
/// \throws Error(cannot_create | io_error).
bool holds_complete_run(const std::filesystem::path& folder, const std::string& identity);

/// The files of a run as its summary lists them.
struct FileList {
    bool complete = true;  ///< false while files are getting their names
    std::vector<FileRecord> files;
    std::vector<FileRecord> replaced;  ///< of the run before; empty when complete
};

/// The folder of one run, for as long as this lives: created, locked, and without the temporary files of killed runs.
/// Processes that compute the same survey share it; no others do.
class RunFolder {
public:
    /// \throws Error(cannot_create | io_error).
    RunFolder(std::filesystem::path path, bool overwrite);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] bool overwrite() const { return overwrite_; }

    /// Begins a survey in unfinished(), or goes on with the one that is there: with one of the same identity, also
    /// while other processes compute it, or one with a shorter record, of whose shots there are checkpoints. Another
    /// one is replaced if no shot of it is finished, or with `overwrite`. \returns how it was begun, by this process or
    /// an earlier one. \throws Error(cannot_create) for a survey of another identity, naming what differs;
    /// Error(io_error). Where another process has just completed the survey, unfinished() is no longer there.
    Beginning begin_or_join(const Beginning& beginning, const Shots& shots);
    /// Whether no other process had a part in the survey when this one began or joined it; where there are no locks
    /// always.
    [[nodiscard]] bool came_first() const { return came_first_; }
    /// What becomes of the shots of a survey with a shorter record that this one goes on with; empty where it does not.
    [[nodiscard]] const std::string& lengthened() const { return lengthened_; }
    [[nodiscard]] const UnfinishedSurvey& unfinished() const { return unfinished_; }

    /// Gives finished files their names, removes what the run before left and this one has not, and puts the summary in
    /// place. First comes a summary that lists new and old files as incomplete, last the final one: whenever the
    /// program is killed, a later run can prove every file. Signals are honoured until the first rename.
    /// \param kept of files that get their names in close_survey(). \param summary the text, unsealed, of a summary
    /// with this list of files. \param tell files that tell of those listed, made of such a text.
    /// \returns the files of the run. \throws Error(cannot_create | io_error), Interrupted.
    std::vector<FileRecord> publish(std::vector<AtomicFile> files,
                                    const std::function<std::string(const FileList&)>& summary,
                                    const std::vector<FileRecord>& kept = {},
                                    const std::function<std::vector<AtomicFile>(const std::string&)>& tell = {});
    /// Whether this process gives the results their names, or has done so.
    [[nodiscard]] bool publishes() const { return publishes_; }
    /// Ends the survey, whose results are published. \param keeps_shots whether its table and the files of its shots
    /// become folder/shots, or go. \throws Error(cannot_create | io_error).
    void close_survey(bool keeps_shots) const;
    /// Removes the survey if nothing of it is finished and no other process has a part in it.
    void give_up() noexcept;

private:
    [[nodiscard]] bool lengthens(const Beginning& found, const Beginning& wanted, const Shots& shots);
    void refuse_another_survey(const Beginning& found, const Identity& wanted) const;
    void share();

    std::filesystem::path path_;
    bool overwrite_, alone_ = false, came_first_ = false, publishes_ = false;
    UnfinishedSurvey unfinished_;
    std::string lengthened_;
    Descriptor lock_;
};

}  // namespace onda
