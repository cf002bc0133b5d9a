#include "solver/run/unfinished.hpp"

#include <algorithm>
#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/output.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

constexpr const char* kSurveyName = "survey.json";
constexpr const char* kFormat = "onda-survey";
constexpr int kFormatVersion = 1;

bool is_ours(std::string_view name) {
    if (const auto final_name = final_name_of(name)) name = *final_name;
    return name == kSurveyName || name == kTableName || is_shot_file_name(name) || is_result_name(name);
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

std::string text_of(const std::filesystem::path& path) {
    const Descriptor file = open_plain_file(path, O_RDONLY);
    std::string text;
    const auto bytes = static_cast<std::size_t>(std::filesystem::file_size(path));
    if (const int error = read_some(file, 0, bytes, text))
        throw_system_fault(ExitCode::io_error, path, "cannot read it", error);
    return text;
}

Beginning read_beginning(const nlohmann::json& survey) {
    if (survey.at("format") != kFormat || survey.at("format_version") != kFormatVersion) return {};
    return {survey.at("run_id"), survey.at("command_line"), survey.at("started_utc"), survey.at("shots"),
            survey.at("identity").get<Identity>()};
}

}  // namespace

std::optional<Beginning> UnfinishedSurvey::beginning() const {
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(folder_, ignored))) return {};
    const auto refuse = [](const std::filesystem::path& path, const std::string& why) {
        throw Error(ExitCode::cannot_create,
                    shown(path) + ": " + why + "; move it away, or choose another folder with --output");
    };
    if (!std::filesystem::is_directory(std::filesystem::symlink_status(folder_, ignored)))
        refuse(folder_, "is no folder, but unfinished surveys are kept under that name");
    for_entries(folder_, [&](const std::filesystem::path& path, const std::string& name) {
        if (!is_ours(name) || !special_kind(path).empty()) refuse(path, "is not part of an unfinished survey");
    });
    const auto file = folder_ / kSurveyName;
    if (!std::filesystem::exists(file, ignored)) return {};
    const std::string text = text_of(file);
    try {
        if (!seal_holds(text)) refuse(file, "was not written by this version of Onda, or was changed since");
        return read_beginning(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception&) {
        refuse(file, "was not written by this version of Onda");
    }
    return {};
}

bool UnfinishedSurvey::is_there(const std::string& run_id) const {
    const auto found = beginning();
    return found && found->run_id == run_id;
}

void UnfinishedSurvey::begin(const Beginning& beginning, const Shots& shots) const {
    std::error_code fault;
    std::filesystem::create_directory(folder_, fault);
    if (fault) throw_system_fault(creation_fault(fault.value()), folder_, "cannot make the folder", fault.value());
    ShotTable::create(table(), shots);
    const nlohmann::ordered_json survey{{"format", kFormat},
                                        {"format_version", kFormatVersion},
                                        {"run_id", beginning.run_id},
                                        {"command_line", beginning.command_line},
                                        {"started_utc", beginning.started_utc},
                                        {"shots", beginning.shots},
                                        {"identity", beginning.identity}};
    // Last: a survey without it has not begun.
    write_text_file(folder_ / kSurveyName, sealed(json_text(survey) + "\n"), true);
    sync_folder(folder_.parent_path());
}

void UnfinishedSurvey::remove() const {
    std::error_code ignored;
    std::filesystem::remove(folder_ / kSurveyName, ignored);  // first: what is left is no survey any more
    remove_if(folder_, is_ours);
    std::filesystem::remove(folder_, ignored);
}

void UnfinishedSurvey::keep_shots() const {
    remove_if(folder_,
              [](std::string_view name) { return is_ours(name) && name != kTableName && !is_shot_file_name(name); });
}

}  // namespace onda
