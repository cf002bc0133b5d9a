#include "solver/run/run_files.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "io/files/plain_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/output.hpp"
#include "solver/plan/names.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/log.hpp"
#include "solver/run/unfinished.hpp"
#include "solver/shots/shot_table.hpp"

namespace onda {
namespace {

constexpr std::string_view kSealBegin = ",\n  \"summary_hash\": \"", kSealEnd = "\"\n}\n";

/// The text of a summary that is Onda's own, or nothing: other programs' are not even read to their ends.
std::string read_summary(const std::filesystem::path& path) {
    std::error_code unseen;
    if (!special_kind(path).empty() || !std::filesystem::exists(path, unseen)) return {};
    const Descriptor file = open_plain_file(path, O_RDONLY);
    const std::string begin = "{\n  \"format\": \"" + std::string(kSummaryFormat) + "\"";
    if (read_piece(file, path, 0, static_cast<std::int64_t>(begin.size())) != begin) return {};
    std::string text = read_piece(file, path, 0, bytes_of_file(file, path));
    return seal_holds(text) ? text : std::string();
}

}  // namespace

bool is_result_name(std::string_view name) {
    constexpr std::array<std::string_view, 5> fixed{"config.yaml", kLogName, kSummaryName, kShotsName, kKeptTableName};
    return std::ranges::find(fixed, name) != fixed.end() ||
           std::ranges::any_of(output_formats(),
                               [name](const OutputFormat* format) { return format->is_result(name); });
}

std::string sealed(std::string text) {
    text.resize(text.size() - std::string_view("\n}\n").size());
    text += kSealBegin;
    const std::string hash = hash_of(text);
    return text.append(hash).append(kSealEnd);
}

bool seal_holds(std::string_view text) {
    constexpr std::size_t digits = 16;
    if (text.size() < kSealBegin.size() + digits + kSealEnd.size() || !text.ends_with(kSealEnd)) return false;
    text.remove_suffix(kSealEnd.size());
    const std::string_view hash = text.substr(text.size() - digits);
    text.remove_suffix(digits);
    return text.ends_with(kSealBegin) && hash_of(text) == hash;
}

namespace {

bool is_as_listed(const std::filesystem::path& folder, const FileRecord& file) {
    const std::filesystem::path path = folder / file.name;
    return !file.name.empty() && special_kind(path).empty() && std::filesystem::exists(path) &&
           record_of(path, file.name) == file;
}

std::vector<FileRecord> records_in(const nlohmann::json& summary, const char* list) {
    std::vector<FileRecord> records;
    for (const auto& file : summary.value(list, nlohmann::json::array()))
        if (file.contains("hash") && is_result_name(file.at("name").get<std::string>()))
            records.push_back({file.at("name"), file.at("bytes"), file.at("hash")});
    return records;
}

}  // namespace

EarlierRun::EarlierRun(std::filesystem::path folder) : folder_(std::move(folder)) {
    try {
        const auto summary = nlohmann::json::parse(read_summary(folder_ / kSummaryName));
        if (summary.at("format_version") != kSummaryFormatVersion) return;
        for (const char* list : {"files", "files_replaced"})
            for (FileRecord& record : records_in(summary, list)) records_.push_back(std::move(record));
        for (const FileRecord& coming : records_in(summary, kComingFiles)) take_arrived(coming);
        run_id_ = summary.value("run_id", "");
        identity_ = summary.value("identity", "");
        version_ = summary.value("onda", nlohmann::json::object()).value("version", "");
        model_hash_ = summary.value("hashes", nlohmann::json::object()).value("model", "");
        kernel_ = summary.value("backend", nlohmann::json::object()).value("kernel", "");
        task_ = summary.value("task", "");
        complete_ = summary.value("state", "") == "complete";
        found_ = true;
    } catch (const nlohmann::json::exception&) {
        records_.clear();  // not Onda's: it proves nothing
    }
}

void EarlierRun::take_arrived(const FileRecord& coming) {
    if (!is_as_listed(folder_, coming)) return;
    std::erase_if(records_, [&](const FileRecord& record) { return record.name == coming.name; });
    records_.push_back(coming);
}

std::optional<Identity> EarlierRun::identity() const {
    if (!has_identity() || !proves("config.yaml")) return {};
    try {
        return identity_of(read_config(folder_ / "config.yaml", vocabulary()), version_, model_hash_, kernel_, task_);
    } catch (const Error&) {
        return {};  // a file that it names is gone
    }
}

std::vector<std::string> EarlierRun::proven_shot_files() const {
    if (!proves(kKeptTableName)) return {};
    std::vector<std::string> names;
    for (const ShotRecord& shot : ShotTable(folder_ / kKeptTableName).all_finished())
        for (const OutputFormat* format : output_formats()) {
            if (!format->has_shot_files()) continue;
            const FileRecord& file = file_of(shot, *format);
            if (!is_as_listed(folder_ / kShotsName, file)) continue;
            names.push_back(kept_name(file));
            for (const FileRecord& part : parts_of_file(*format, folder_ / kShotsName / file.name))
                if (is_part_file_name(part.name, file.name) && is_as_listed(folder_ / kShotsName, part))
                    names.push_back(kept_name(part));
        }
    names.emplace_back(kKeptTableName);
    return names;
}

bool EarlierRun::lists(const std::string& name, const std::filesystem::path& file) const {
    const auto listed = [&name](const FileRecord& record) { return record.name == name; };
    if (std::ranges::none_of(records_, listed) || !special_kind(file).empty() || !std::filesystem::exists(file))
        return false;
    return std::ranges::find(records_, record_of(file, name)) != records_.end();
}

void EarlierRun::refuse_foreign_shots() const {
    std::vector<std::string> proven = proven_shot_files();
    std::ranges::sort(proven);  // there may be many
    const bool has_rest = UnfinishedSurvey::has_rest(folder_ / kShotsName);
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / kShotsName)) {
        const std::string own_name = entry.path().filename().string(), name = std::string(kShotsName) + "/" + own_name;
        if (has_rest && !is_shot_file_name(own_name) && UnfinishedSurvey::is_own_name(own_name)) continue;
        if (!std::ranges::binary_search(proven, name))
            throw Error(ExitCode::cannot_create,
                        "cannot write results to " + shown(folder_) + ": " + printable(name) +
                            " there is not listed in a summary of Onda, or was changed since\n  move it away, or "
                            "choose another folder with --output");
    }
}

void EarlierRun::refuse_foreign_files() const {
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder_, fault), end; !fault && entry != end;
         entry.increment(fault)) {
        const std::string name = entry->path().filename().string();
        if (!is_result_name(name)) continue;
        const auto refuse = [&](const std::string& why) {
            throw Error(ExitCode::cannot_create, "cannot write results to " + shown(folder_) + ": " + printable(name) +
                                                     " there " + why +
                                                     "\n  move it away, or choose another folder with --output");
        };
        const std::string kind = special_kind(entry->path());
        if (name == kShotsName && std::filesystem::is_directory(std::filesystem::symlink_status(entry->path()))) {
            refuse_foreign_shots();
            continue;
        }
        if (!kind.empty()) refuse("is " + kind);
        if (name == kLogName) {
            refuse_foreign_log(entry->path());
        } else if (name == kSummaryName ? !found_ : !proves(name)) {
            refuse(name == kSummaryName ? "was not written by this version of Onda, or was changed since"
                                        : "is not listed in a summary.json of Onda, or was changed since");
        }
    }
    if (fault && fault != std::errc::no_such_file_or_directory)
        throw Error(creation_fault(fault.value()),
                    "cannot write results to " + shown(folder_) + ": cannot list the folder: " + fault.message());
}

}  // namespace onda
