#include "solver/run/unfinished.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "io/files/atomic_file.hpp"
#include "io/files/interruption.hpp"
#include "io/files/plain_file.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/output.hpp"
#include "solver/program/json_text.hpp"
#include "solver/ranks/signs_of_life.hpp"

namespace onda {
namespace {

constexpr const char* kFormat = "onda-survey";
constexpr int kFormatVersion = 1;

bool is_ours(std::string_view name) {
    if (const auto final_name = final_name_of(name)) name = *final_name;
    return name == kSurveyName || name == kTableName || name == kEndName || is_shot_file_name(name) ||
           is_checkpoint_name(name) || is_sign_of_life(name) || is_result_name(name);
}

/// Calls body(entry, name) for all that lies in a folder.
template <typename Body>
void for_entries(const std::filesystem::path& folder, const Body& body) {
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault))
        body(entry->path(), entry->path().filename().string());
}

void remove_if(const std::filesystem::path& folder, const std::function<bool(std::string_view name)>& unwanted) {
    std::vector<std::filesystem::path> doomed;
    for_entries(folder, [&](const std::filesystem::path& path, const std::string& name) {
        if (unwanted(name) && special_kind(path).empty()) doomed.push_back(path);
    });
    for (const auto& path : doomed) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
}

/// The text of a file, or nothing if it has gone. \throws Error(cannot_create | io_error).
std::optional<std::string> text_of(const std::filesystem::path& path) try {
    const Descriptor file = open_plain_file(path, O_RDONLY);
    struct stat status {};
    if (::fstat(file.id(), &status) != 0) throw_system_fault(ExitCode::io_error, path, "cannot look at it", errno);
    std::string text;
    if (const int error = read_some(file, 0, static_cast<std::size_t>(status.st_size), text))
        throw_system_fault(ExitCode::io_error, path, "cannot read it", error);
    return text;
} catch (const Error&) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) throw;
    return std::nullopt;
}

std::string text_of(const Beginning& beginning) {
    const nlohmann::ordered_json survey{{"format", kFormat},
                                        {"format_version", kFormatVersion},
                                        {"run_id", beginning.run_id},
                                        {"command_line", beginning.command_line},
                                        {"started_utc", beginning.started_utc},
                                        {"shots", beginning.shots},
                                        {"identity", beginning.identity}};
    return sealed(json_text(survey) + "\n");
}

Beginning read_beginning(const nlohmann::json& survey) {
    if (survey.at("format") != kFormat || survey.at("format_version") != kFormatVersion) return {};
    return {survey.at("run_id"), survey.at("command_line"), survey.at("started_utc"), survey.at("shots"),
            survey.at("identity").get<Identity>()};
}

}  // namespace

std::optional<Beginning> UnfinishedSurvey::beginning() const {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::symlink_status(folder_, ignored);
    if (!std::filesystem::exists(status)) return {};
    const auto refuse = [](const std::filesystem::path& path, const std::string& why) {
        throw Error(ExitCode::cannot_create,
                    shown(path) + ": " + why + "; move it away, or choose another folder with --output");
    };
    if (!std::filesystem::is_directory(status))
        refuse(folder_, "is not a folder, but unfinished surveys are kept under that name");
    for_entries(folder_, [&](const std::filesystem::path& path, const std::string& name) {
        if (!is_ours(name) || !special_kind(path).empty()) refuse(path, "is not part of an unfinished survey");
    });
    const auto file = folder_ / kSurveyName;
    const std::optional<std::string> text = text_of(file);
    if (!text) return {};
    try {
        if (!seal_holds(*text)) refuse(file, "was not written by this version of Onda, or was changed since");
        return read_beginning(nlohmann::json::parse(*text));
    } catch (const nlohmann::json::exception&) {
        refuse(file, "was not written by this version of Onda");
    }
    return {};
}

bool UnfinishedSurvey::is_there(const std::string& run_id) const {
    const auto found = beginning();
    return found && found->run_id == run_id;
}

bool UnfinishedSurvey::begin(const Beginning& beginning, const Shots& shots) const {
    const UnfinishedSurvey staged(At{}, temporary_path(folder_));
    // Made before anything is written, for JSON that is destroyed without memory ends the program at once; and named
    // before it is there, so that taking it away needs none.
    const std::string text = text_of(beginning);
    const std::filesystem::path survey = staged.folder_ / kSurveyName, shot_table = staged.table();
    const RemovedOnSignal doomed[] = {RemovedOnSignal(survey.c_str()), RemovedOnSignal(shot_table.c_str()),
                                      RemovedOnSignal(staged.folder_.c_str())};
    const auto withdraw = [&]() noexcept {
        ::unlink(survey.c_str());
        ::unlink(shot_table.c_str());
        ::rmdir(staged.folder_.c_str());
    };
    try {
        staged.write_beginning(text, shots);
        if (!staged.give_name(folder_)) {
            withdraw();
            return false;
        }
    } catch (...) {
        withdraw();
        throw;
    }
    sync_folder(folder_.parent_path());
    return true;
}

// Whenever the program is killed, the survey is the one before, perhaps without finished shots, or the new one.
void UnfinishedSurvey::begin_again_with_checkpoints(const Beginning& beginning, const Shots& shots) const {
    AtomicFile survey = stage_text_file(folder_ / kSurveyName, text_of(beginning), true);
    ShotTable::create(table(), shots);
    remove_if(folder_, [](std::string_view name) {
        return is_ours(name) && !final_name_of(name) && name != kSurveyName && name != kTableName &&
               !is_checkpoint_name(name);
    });
    sync_folder(folder_);
    survey.commit();
}

void UnfinishedSurvey::write_beginning(const std::string& survey, const Shots& shots) const {
    std::error_code fault;
    std::filesystem::create_directory(folder_, fault);
    if (fault) throw_system_fault(creation_fault(fault.value()), folder_, "cannot make the folder", fault.value());
    ShotTable::create(table(), shots);
    write_text_file(folder_ / kSurveyName, survey, true);
}

/// \returns false if there is something of this name, an empty folder excepted.
bool UnfinishedSurvey::give_name(const std::filesystem::path& name) const {
    ::rmdir(name.c_str());
    if (::renameat2(AT_FDCWD, folder_.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) return true;
    // Without that flag, too, a folder takes the place of an empty one only.
    if ((errno == EINVAL || errno == ENOSYS) && std::rename(folder_.c_str(), name.c_str()) == 0) return true;
    if (errno == EEXIST || errno == ENOTEMPTY) return false;
    throw_system_fault(creation_fault(errno), name, "cannot give the folder its name", errno);
}

void UnfinishedSurvey::remove() const {
    std::error_code ignored;
    std::filesystem::remove(folder_ / kSurveyName, ignored);  // first: what is left is no survey any more
    // Without locks another process may put a file of a shot there while the folder is emptied: it is emptied again.
    for (int attempt = 0; attempt < 10; ++attempt) {
        remove_if(folder_, is_ours);
        if (::rmdir(folder_.c_str()) == 0 || (errno != ENOTEMPTY && errno != EEXIST)) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

/// Moved away first, and looked at once more: without locks another process may have begun its own in the meantime.
bool UnfinishedSurvey::remove_if_still(const std::optional<Beginning>& found) const {
    const UnfinishedSurvey aside(At{}, temporary_path(folder_));
    if (std::rename(folder_.c_str(), aside.folder_.c_str()) != 0) {
        if (errno == ENOENT) return false;
        remove();  // file systems that cannot rename this folder
        return true;
    }
    const auto moved = aside.beginning();
    if (moved && (!found || moved->run_id != found->run_id)) {
        static_cast<void>(aside.give_name(folder_));
        return false;
    }
    aside.remove();
    return true;
}

void UnfinishedSurvey::sync_shots() const {
    for_entries(folder_, [](const std::filesystem::path& path, const std::string& name) {
        if (is_shot_file_name(name) || name == kTableName) sync_file(path);
    });
    sync_folder(folder_);
}

void UnfinishedSurvey::keep_shots_as(const std::filesystem::path& name) const {
    // Until it has its name, the survey is one that can be resumed; and whoever still computes one of its shots may put
    // a temporary file there.
    if (std::rename(folder_.c_str(), name.c_str()) != 0)
        throw_system_fault(creation_fault(errno), name, "cannot give the folder its name", errno);
    remove_rest(name);
}

bool UnfinishedSurvey::has_rest(const std::filesystem::path& shots) {
    const std::optional<std::string> text = text_of(shots / kSurveyName);
    return text && seal_holds(*text);
}

void UnfinishedSurvey::remove_rest(const std::filesystem::path& shots) {
    if (!has_rest(shots)) return;
    remove_if(shots, [](std::string_view name) {
        return is_ours(name) && name != kTableName && name != kSurveyName && !is_shot_file_name(name);
    });
    std::error_code ignored;
    std::filesystem::remove(shots / kSurveyName, ignored);  // last: as long as it is there, something is left to do
}

bool UnfinishedSurvey::holds_work() const {
    if (ShotTable::any_finished(table())) return true;
    bool holds = false;
    for_entries(folder_,
                [&](const std::filesystem::path&, const std::string& name) { holds = holds || is_checkpoint(name); });
    return holds;
}

std::vector<CheckpointRecord> UnfinishedSurvey::checkpoints() const {
    std::vector<CheckpointRecord> records;
    for_entries(folder_, [&](const std::filesystem::path& path, const std::string& name) {
        if (!is_checkpoint(name)) return;
        try {
            records.push_back(CheckpointReader(path, CheckpointReader::Extent::header).record());
        } catch (const Error&) {
            return;  // told when the shot goes on
        }
    });
    return records;
}

std::string UnfinishedSurvey::what_is_kept() const {
    constexpr std::size_t most_named = 4;
    using StepAndName = std::pair<std::int64_t, std::string>;
    std::map<std::int64_t, StepAndName> steps;  // by shot
    for (const CheckpointRecord& record : checkpoints()) {
        StepAndName& step = steps[record.shot];
        step = std::max(step, {record.step, record.step_name});
    }
    std::vector<std::string> parts;
    if (ShotTable::any_finished(table())) {
        const std::size_t finished = ShotTable(table()).all_finished().size();
        parts.push_back(finished == 1 ? "1 shot is finished" : std::to_string(finished) + " shots are finished");
    }
    std::size_t named = 0;
    for (const auto& [shot, step] : steps) {
        if (parts.size() == most_named) break;
        parts.push_back("shot " + std::to_string(shot) + " goes on from the checkpoint after " + step.second);
        ++named;
    }
    if (named < steps.size()) parts.push_back("so do others from theirs");
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : ", and ") + parts[i];
    return text;
}

bool UnfinishedSurvey::exists() const {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(folder_, ignored));
}

bool UnfinishedSurvey::is_own_name(std::string_view name) {
    return is_ours(name);
}

bool UnfinishedSurvey::is_temporary_name(std::string_view name) {
    return final_name_of(name) == kUnfinishedName;
}

void UnfinishedSurvey::remove_abandoned(const std::filesystem::path& run_folder) {
    std::vector<std::filesystem::path> abandoned;
    for_entries(run_folder, [&](const std::filesystem::path& path, const std::string& name) {
        if (is_temporary_name(name) && std::filesystem::is_directory(std::filesystem::symlink_status(path)))
            abandoned.push_back(path);
    });
    for (const auto& folder : abandoned) UnfinishedSurvey(At{}, folder).remove();
}

}  // namespace onda
