#include "solver/inversion/kept_inversion.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <utility>

#include "io/config/strict_yaml.hpp"
#include "io/files/input_file.hpp"
#include "io/models/csv_table.hpp"
#include "io/results/result_reader.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/inversion/inversion_iterations.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/tasks/inversion_tasks.hpp"

namespace onda {
namespace {

constexpr std::array<TableColumn, 10> kIterationColumns{{{"stage", "", true, true},
                                                         {"iteration", "", true, false},
                                                         {"misfit", "", true, false},
                                                         {"relative", "", true, false},
                                                         {"penalty", "", true, false},
                                                         {"step", "", true, false},
                                                         {"change", "", true, false},
                                                         {"gradient", "", true, false},
                                                         {"trials", "", true, false},
                                                         {"shots", "", true, false}}};
/// The error of the model is carried, as it may be empty.
constexpr TableKind kKeptIterations{.columns = kIterationColumns, .others = OtherColumns::carried};

std::vector<InversionIteration> read_iterations(const std::filesystem::path& file) {
    const CsvTable table = read_csv(file, kKeptIterations);
    const auto whole = [&](std::size_t column, std::size_t row) {
        return static_cast<std::int64_t>(table.columns[column][row]);
    };
    const auto error = std::ranges::find(table.carried, "model_error_percent", &CarriedColumn::name);
    std::vector<InversionIteration> lines;
    for (std::size_t i = 0; i < table.lines.size(); ++i) {
        const auto& columns = table.columns;
        lines.push_back({.stage = whole(0, i),
                         .iteration = whole(1, i),
                         .misfit = columns[2][i],
                         .relative = columns[3][i],
                         .penalty = columns[4][i],
                         .step = columns[5][i],
                         .change = columns[6][i],
                         .gradient = columns[7][i],
                         .trials = whole(8, i),
                         .shots = whole(9, i)});
        if (error != table.carried.end()) lines.back().model_error_percent = finite_number(error->text[i]);
    }
    return lines;
}

std::string title_in(const std::filesystem::path& config) {
    if (!std::filesystem::exists(config)) return {};
    std::ifstream stream = open_input_file(config);
    const YamlDocument document =
        read_strict_yaml(std::string(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()));
    const YamlNode* const title = document.root.find("title");
    return title != nullptr ? title->scalar : "";
}

/// "1-000 to 1-008, 2-000 to 2-003": the iterations of a stage follow each other.
std::string ranges_of(const std::vector<InversionIteration>& lines) {
    std::string text;
    for (std::size_t first = 0, i = 0; i < lines.size(); ++i) {
        if (i + 1 < lines.size() && lines[i + 1].stage == lines[first].stage) continue;
        text += (text.empty() ? "" : ", ") + name_of_folder(lines[first]);
        if (i > first) text += " to " + name_of_folder(lines[i]);
        first = i + 1;
    }
    return text;
}

/// The iterations that are complete, in an inversion without a table.
std::vector<InversionIteration> recorded_in(const InversionRecords& records) {
    std::vector<InversionIteration> lines;
    for (std::int64_t stage = 1, iteration = 0;;) {
        if (const auto found = records.find(stage, iteration)) {
            lines.push_back(found->row);
            ++iteration;
        } else if (iteration == 0) {
            return lines;
        } else {
            ++stage;
            iteration = 0;
        }
    }
}

/// The folder of a run has results once an iteration is complete.
void require_table(const std::filesystem::path& folder, const InversionRecords& records) {
    if (!std::filesystem::exists(folder))
        throw Error(ExitCode::missing_input, shown(folder) + ": no such file or folder");
    if (std::filesystem::exists(folder / kIterationTableName)) return;
    if (!records.exist())
        throw Error(ExitCode::missing_input,
                    fmt::format("{}: holds no inversion: it has no {}; name the folder that onda fwi wrote",
                                shown(folder), kIterationTableName));
    const std::string there = ranges_of(recorded_in(records));
    throw Error(ExitCode::missing_input,
                fmt::format("{}: has no {} yet: the inversion ended before it published results, with {}; run the same "
                            "command again to go on",
                            shown(folder), kIterationTableName,
                            there.empty() ? "no iteration complete" : "the iterations " + there));
}

}  // namespace

std::string name_of_folder(const InversionIteration& line) {
    return fmt::format("{}-{:03}", line.stage, line.iteration);
}

KeptInversion::KeptInversion(const std::filesystem::path& folder) : folder_(folder), records_(folder) {
    require_table(folder_, records_);
    lines_ = read_iterations(folder_ / kIterationTableName);
    title_ = title_in(folder_ / "config.yaml");
}

const InversionIteration& KeptInversion::line(const std::string& name) const {
    const auto found = std::ranges::find_if(lines_, [&](const InversionIteration& line) {
        return name == name_of_folder(line) || name == fmt::format("{}-{}", line.stage, line.iteration);
    });
    if (found != lines_.end()) return *found;
    throw Error(ExitCode::usage, fmt::format("--iteration {}: STAGE-ITERATION of {}, which has {}", printable(name),
                                             shown(folder_ / kIterationTableName), ranges_of(lines_)));
}

IterationRecord KeptInversion::record(std::int64_t stage, std::int64_t iteration) const {
    if (auto found = records_.find(stage, iteration)) return std::move(*found);
    throw Error(ExitCode::missing_input, shown(records_.folder_of(stage, iteration)) +
                                             ": has no iteration.json, which has the misfits of the shots");
}

std::vector<ShotMisfits> KeptInversion::misfits_of_shots(const InversionIteration& line) const {
    const std::vector<ShotMisfits> shots = misfits_since(record(line.stage, 0), record(line.stage, line.iteration));
    if (shots.empty())
        throw Error(ExitCode::missing_input,
                    fmt::format("{}: no shot has a misfit there and in {}-000: shots or codes were drawn again",
                                shown(records_.folder_of(line.stage, line.iteration)), line.stage));
    return shots;
}

/// On whatever device it ran: no wave is computed here.
PreparedInversion KeptInversion::prepared() const {
    Config config = read_config(folder_ / "config.yaml", vocabulary());
    config.backend = {};
    config.backend.name = "cpu";
    return prepare_inversion(config, {});
}

KeptInversion::Models KeptInversion::models(const InversionIteration& line) const {
    const std::filesystem::path file = records_.model(line.stage, line.iteration);
    if (!std::filesystem::exists(file))
        throw Error(ExitCode::missing_input, shown(file) + ": no such file, which has the model of this iteration");
    const PreparedInversion whole = prepared();
    const InversionStage stage(whole.config, line.stage, whole.start, {});
    Config config = stage.pass(file, 0, stage.shots(0));
    Models models{make_plan(config, {}, &kInversionGradientTask), {}, {}, {}};
    const Equation& equation = models.plan.setup.scheme.equation;
    models.start = model_of(stage.with_start_model(), stage.grid(), equation).vp;
    models.current = model_of(config, stage.grid(), equation).vp;
    if (const std::filesystem::path& truth = whole.config.inversion->true_model; !truth.empty()) {
        config.model = model_of_file(truth, true);
        models.truth = model_of(config, stage.grid(), Equation::star).vp;
    }
    return models;
}

std::optional<std::filesystem::path> KeptInversion::prediction(const InversionIteration& line) const {
    std::vector<std::filesystem::path> folders{records_.shown_shot(line.stage, line.iteration)};
    if (line.iteration == 0) folders.push_back(records_.predicted(line.stage));
    for (std::filesystem::path& folder : folders)
        if (std::filesystem::exists(folder / kSeismogramsName)) return std::move(folder);
    return std::nullopt;
}

const InversionIteration& KeptInversion::last_predicted() const {
    for (auto line = lines_.rbegin(); line != lines_.rend(); ++line)
        if (prediction(*line)) return *line;
    throw Error(ExitCode::missing_input,
                shown(records_.predicted(1)) + ": has no seismograms.h5, nor has any other iteration of the inversion");
}

std::unique_ptr<GathersOfShot> KeptInversion::gathers(const InversionIteration& line,
                                                      std::optional<std::int64_t> shot) const {
    const auto now = prediction(line);
    if (!now) {
        std::vector<std::string> there;
        for (const InversionIteration& other : lines_)
            if (prediction(other)) there.push_back(name_of_folder(other));
        throw Error(ExitCode::missing_input,
                    fmt::format("{}: no seismograms were predicted in this model; they were in {}",
                                shown(records_.folder_of(line.stage, line.iteration)),
                                there.empty() ? "none: run the command again to go on"
                                              : fmt::format("{}", fmt::join(there, ", "))));
    }
    const std::vector<std::int64_t> first = SeismogramReader(records_.predicted(1) / kSeismogramsName).shots();
    std::vector<std::int64_t> both = SeismogramReader(*now / kSeismogramsName).shots();
    std::erase_if(both, [&](std::int64_t number) { return !std::ranges::binary_search(first, number); });
    std::int64_t wanted = shot.value_or(first[first.size() / 2]);
    // Another stage may have drawn other shots.
    if (!shot && !both.empty() && !std::ranges::binary_search(both, wanted)) wanted = both[both.size() / 2];
    if (!std::ranges::binary_search(both, wanted))
        throw Error(ExitCode::usage, fmt::format("--shot {}: was not predicted in the first model and in that of {}; "
                                                 "there {} {}",
                                                 wanted, name_of_folder(line), both.size() == 1 ? "is" : "are",
                                                 both.empty() ? "none" : fmt::format("{}", fmt::join(both, ", "))));
    const PreparedInversion whole = prepared();
    const InversionStage stage(whole.config, line.stage, whole.start, {});
    const Config config = stage.pass(records_.model(line.stage, line.iteration), 0, {wanted});
    return gathers_of_shot(config, make_plan(config, {}, &kInversionGradientTask), wanted, records_.predicted(1), *now,
                           name_of(line));
}

}  // namespace onda
