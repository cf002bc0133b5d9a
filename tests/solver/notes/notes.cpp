// An output format of the tests alone, and the list that offers it beside the program's own: of each shot a long line
// that says how many snapshots, samples and wavefields it gave; for the survey all lines, or the names of the shots'
// files.
#include <array>
#include <fstream>
#include <spdlog/fmt/fmt.h>

#include "solver/outputs/pictures.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

constexpr std::string_view kName = "notes.txt";
constexpr std::int64_t kLine = 20'000;  ///< characters, enough to be missed in a forecast

extern const OutputFormat kNotes;

class NotesOfShot : public ShotOutput {
public:
    NotesOfShot(const Experiment& experiment, const ShotPlace& place)
        : place_(place.file), shot_(place.shot.id), steps_(0, experiment.time.steps, {0, 1, experiment.time.steps}) {}

    [[nodiscard]] const StepSet& steps() const override { return steps_; }
    void take_wavefield(const Propagator&, int) override { ++wavefields_; }
    void take_snapshot(double, std::span<const float>) override { ++snapshots_; }
    void take_gather(ShotGather& gather) override { samples_ = gather.pressure.size(); }
    std::optional<AtomicFile> finish() override {
        const std::string line = fmt::format("{} {} {} {}", shot_, snapshots_, samples_, wavefields_);
        return stage_text_file(place_, fmt::format("{:{}}\n", line, kLine - 1), true);
    }

private:
    std::filesystem::path place_;
    std::int64_t shot_;
    StepSet steps_;
    std::size_t snapshots_ = 0, samples_ = 0, wavefields_ = 0;
};

class Notes : public RunOutput {
public:
    explicit Notes(const Experiment& experiment) : experiment_(experiment) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        return std::make_unique<NotesOfShot>(experiment_, place);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        std::string text;
        for (const ShotRecord& shot : survey.shots) {
            const FileRecord& file = file_of(shot, kNotes);
            std::string line = kept_name(file);
            if (survey.assembly != Assembly::links) std::getline(std::ifstream(survey.folder / file.name), line);
            text += line + "\n";
        }
        std::vector<AtomicFile> files;
        files.push_back(stage_text_file(survey.results / kName, text, survey.overwrite));
        return files;
    }

private:
    const Experiment& experiment_;
};

constinit const OutputFormat kNotes{
    .column = "note",
    .shot_file = "note.txt",
    .is_result = [](std::string_view name) { return name == kName; },
    .is_wanted = [](const Experiment&) { return true; },
    .make = [](const Experiment& experiment, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Notes>(experiment);
    },
    .predicted_bytes = [](const Experiment& experiment, const Placement&,
                          std::int64_t) { return kLine * static_cast<std::int64_t>(experiment.survey.shots.size()); },
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation&) {
            list.add(host_row("notes", held::outputs, kLine, 1, std::ssize(experiment.survey.shots)));
        },
};

}  // namespace

std::span<const OutputFormat* const> output_formats() {
    static constexpr std::array list{&kPictureFormat, &kNotes, &kSeismogramFormat, &kSnapshotFormat};
    return list;
}

}  // namespace onda
