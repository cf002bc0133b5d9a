#include "solver/outputs/misfit_output.hpp"

#include <array>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "io/models/csv_table.hpp"
#include "io/text/number_text.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/gradient_output.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {
namespace {

constexpr std::array<TableColumn, 5> kMisfitColumns{{{"shot", "", true, true},
                                                     {"misfit", "", true, false},
                                                     {"traces", "", true, false},
                                                     {"dead", "", true, false},
                                                     {"excluded", "", true, false}}};
constexpr TableKind kMisfitTable{.columns = kMisfitColumns};

std::string table_of(std::span<const ListedMisfit> misfits) {
    std::string text = "shot,misfit,traces,dead,excluded\n";
    for (const ListedMisfit& row : misfits)
        text += fmt::format("{},{},{},{},{}\n", row.shot, shortest(row.value), row.traces, row.dead, row.excluded);
    return text;
}

class MisfitOfShotFile : public ShotOutput {
public:
    explicit MisfitOfShotFile(std::filesystem::path file) : file_(std::move(file)) {}

    void take_images(ShotImages& images) override {
        const ListedMisfit row{images.shot, images.misfit, std::ssize(images.misfit_of_trace), images.dead,
                               images.excluded};
        written_ = stage_text_file(file_, table_of({&row, 1}), true);
    }
    std::optional<AtomicFile> finish() override { return std::move(written_); }

private:
    std::filesystem::path file_;
    std::optional<AtomicFile> written_;
};

class Misfits : public RunOutput {
public:
    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (place.shot.receivers.empty()) return nullptr;
        return std::make_unique<MisfitOfShotFile>(place.file);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        std::vector<ListedMisfit> rows;
        for (const ShotRecord& shot : survey.shots)
            if (const FileRecord& record = file_of(shot, kMisfitFormat); !record.name.empty())
                for (const ListedMisfit& row : read_misfits(survey.folder / record.name)) rows.push_back(row);
        std::vector<AtomicFile> files;
        files.push_back(stage_text_file(survey.results / kMisfitTableName, table_of(rows), survey.overwrite));
        return files;
    }
};

}  // namespace

std::vector<ListedMisfit> read_misfits(const std::filesystem::path& file) {
    const CsvTable table = read_csv(file, kMisfitTable);
    std::vector<ListedMisfit> rows;
    for (std::size_t i = 0; i < table.lines.size(); ++i)
        rows.push_back({static_cast<std::int64_t>(table.columns[0][i]), table.columns[1][i],
                        static_cast<std::int64_t>(table.columns[2][i]), static_cast<std::int64_t>(table.columns[3][i]),
                        static_cast<std::int64_t>(table.columns[4][i])});
    return rows;
}

constinit const OutputFormat kMisfitFormat{
    .column = "misfit",
    .shot_file = "misfit.csv",
    .is_result = [](std::string_view name) { return name == kMisfitTableName; },
    .is_wanted =
        [](const Experiment& experiment) {
            return experiment.imaging && !experiment.imaging->reverses && !experiment.imaging->scatters;
        },
    .make = [](const Experiment&, const Model&) -> std::unique_ptr<RunOutput> { return std::make_unique<Misfits>(); },
    .predicted_bytes =
        [](const Experiment& experiment, const Placement&, std::int64_t) {
            constexpr std::int64_t line = 60;
            return saturating_product(std::ssize(experiment.survey.shots) + 1, line);
        },
    .own_file_bytes = [] { return std::int64_t{100}; },
};

}  // namespace onda
