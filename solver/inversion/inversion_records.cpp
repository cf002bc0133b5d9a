#include "solver/inversion/inversion_records.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "io/config/strict_yaml.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/json_text.hpp"
#include "solver/run/run_folder.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRecordName = "iteration.json";

Json iteration_json(const IterationRecord& record) {
    const InversionIteration& row = record.row;
    Json json{{"stage", row.stage},
              {"iteration", row.iteration},
              {"misfit", row.misfit},
              {"relative", row.relative},
              {"penalty", row.penalty},
              {"step", row.step},
              {"change", row.change},
              {"gradient", row.gradient},
              {"trials", row.trials},
              {"shots", row.shots},
              {"drawing", record.drawing},
              {"scale", record.scale},
              {"last_change", record.last_change},
              {"restarted", record.restarted},
              {"redrawn", record.redrawn},
              {"stuck", record.stuck}};
    if (row.model_error_percent) json["model_error_percent"] = *row.model_error_percent;
    Json& shots = json["misfit_by_shot"] = Json::array();
    for (const MisfitByShot& shot : record.by_shot) shots.push_back({shot.shot, shot.misfit});
    return json;
}

IterationRecord iteration_from(const Json& json) {
    IterationRecord record;
    InversionIteration& row = record.row;
    row.stage = json.at("stage");
    row.iteration = json.at("iteration");
    row.misfit = json.at("misfit");
    row.relative = json.at("relative");
    row.penalty = json.at("penalty");
    row.step = json.at("step");
    row.change = json.at("change");
    row.gradient = json.at("gradient");
    row.trials = json.at("trials");
    row.shots = json.at("shots");
    record.drawing = json.at("drawing");
    record.scale = json.at("scale");
    record.last_change = json.at("last_change");
    record.restarted = json.at("restarted");
    record.redrawn = json.value("redrawn", false);
    record.stuck = json.at("stuck");
    if (json.contains("model_error_percent")) row.model_error_percent = json.at("model_error_percent").get<double>();
    for (const Json& shot : json.at("misfit_by_shot")) record.by_shot.push_back({shot.at(0), shot.at(1)});
    return record;
}

/// A file of this program's own. \throws Error(bad_data).
template <typename Take>
auto read_json(const std::filesystem::path& file, const Take& take) {
    std::ifstream stream = open_input_file(file);
    try {
        return take(Json::parse(stream));
    } catch (const Json::exception& error) {
        throw Error(ExitCode::bad_data, shown(file) + ": is damaged: " + printable(error.what()) +
                                            "; remove it, and the same command computes it again");
    }
}

void write_json(const std::filesystem::path& file, const Json& json) {
    std::filesystem::create_directories(file.parent_path());
    stage_text_file(file, json_text(json) + "\n", true).commit();
}

constexpr std::string_view kStages = "inversion.stages[";

/// The number of the stage that a key is of, from 1.
std::optional<std::int64_t> stage_of(const std::string& key) {
    if (!key.starts_with(kStages)) return std::nullopt;
    const auto index = parse_integer(std::string_view(key).substr(kStages.size(), key.find(']') - kStages.size()));
    if (!index) return std::nullopt;
    return *index + 1;
}

/// Whether a key of a stage tells when it ends, and nothing else.
bool ends_stage(const std::string& key) {
    constexpr std::array<std::string_view, 3> keys{"].iterations", "].misfit", "].misfit_change"};
    return std::ranges::any_of(keys, [&](std::string_view end) { return key.ends_with(end); });
}

}  // namespace

std::vector<ShotMisfits> misfits_since(const IterationRecord& begin, const IterationRecord& now) {
    std::vector<ShotMisfits> shots;
    // Both ascend by shots, of which either may have some that the other has not.
    auto first = begin.by_shot.begin();
    for (const MisfitByShot& shot : now.by_shot) {
        while (first != begin.by_shot.end() && first->shot < shot.shot) ++first;
        if (first != begin.by_shot.end() && first->shot == shot.shot)
            shots.push_back({shot.shot, first->misfit, shot.misfit});
    }
    return shots;
}

InversionRecords::InversionRecords(const std::filesystem::path& folder) : folder_(folder / kIterationsName) {}

std::filesystem::path InversionRecords::folder_of(std::int64_t stage, std::int64_t iteration) const {
    return folder_ / fmt::format("{}-{:03}", stage, iteration);
}

std::filesystem::path InversionRecords::record_file(std::int64_t stage, std::int64_t iteration) const {
    return folder_of(stage, iteration) / kRecordName;
}

std::optional<IterationRecord> InversionRecords::find(std::int64_t stage, std::int64_t iteration) const {
    const std::filesystem::path file = record_file(stage, iteration);
    if (!std::filesystem::exists(file)) return std::nullopt;
    return read_json(file, iteration_from);
}

void InversionRecords::keep(const IterationRecord& record) const {
    write_json(record_file(record.row.stage, record.row.iteration), iteration_json(record));
}

// Last what tells whose they are: killed on the way, those that are left are no other inversion's.
void InversionRecords::forget() const {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none))
        std::filesystem::remove(entry.path() / kRecordName, none);
    std::filesystem::remove(identity_file());
}

/// Those of which any iteration is known.
std::int64_t InversionRecords::stages_begun() const {
    std::int64_t begun = 0;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
        const std::string name = entry.path().filename();
        const auto stage = parse_integer(name.substr(0, name.find('-')));
        if (stage && std::filesystem::exists(entry.path() / kRecordName)) begun = std::max(begun, *stage);
    }
    return begun;
}

void InversionRecords::begin_or_join(const Identity& identity) const {
    if (std::filesystem::exists(identity_file())) {
        const Identity there = read_json(identity_file(), [](const Json& json) { return json.get<Identity>(); });
        const std::int64_t begun = stages_begun();
        const auto may_differ = [&](const std::string& key) {
            const auto stage = stage_of(key);
            return begun == 0 || (stage && (*stage > begun || (*stage == begun && ends_stage(key))));
        };
        Identity left = there, right = identity;
        std::erase_if(left, [&](const auto& entry) { return may_differ(entry.first); });
        std::erase_if(right, [&](const auto& entry) { return may_differ(entry.first); });
        if (left != right)
            throw Error(ExitCode::cannot_create,
                        shown(folder_.parent_path()) + ": holds an inversion of another configuration:\n" +
                            differences(left, right) +
                            "\n  choose another folder, take --force to begin anew, or append a stage: stages that "
                            "have not begun, and when the last one ends, may change");
        if (there == identity) return;
    }
    write_json(identity_file(), Json(identity));
}

}  // namespace onda
