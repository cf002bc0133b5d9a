#include "solver/outputs/vtkhdf_output.hpp"

#include "io/results/vtkhdf.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {
namespace {

constexpr std::string_view kName = "snapshots.vtkhdf";

/// Nothing of a shot: its frames are in the files of kSnapshotFormat.
class Vtkhdf : public RunOutput {
public:
    std::unique_ptr<ShotOutput> begin(const ShotPlace&) override { return nullptr; }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override {
        std::vector<VtkhdfShot> shots;
        for (const ShotRecord& shot : survey.shots)
            shots.push_back({shot.shot, survey.assembly == Assembly::links ? kept_name(file_of(shot, kSnapshotFormat))
                                                                           : std::string(kSnapshotsName)});
        std::vector<AtomicFile> files;
        files.push_back(stage_vtkhdf(survey.results / kName, survey.experiment.snapshots.geometry,
                                     snapshot_times(survey.experiment.snapshots, survey.experiment.time), shots,
                                     survey.overwrite));
        return files;
    }
};

}  // namespace

constinit const OutputFormat kVtkhdfFormat{
    .column = {},
    .shot_file = {},
    .is_result = [](std::string_view name) { return name == kName; },
    .is_wanted =
        [](const Experiment& experiment) {
            return experiment.config.output.snapshots.vtkhdf && !experiment.snapshots.steps.empty();
        },
    .make = [](const Experiment&, const Model&) -> std::unique_ptr<RunOutput> { return std::make_unique<Vtkhdf>(); },
    .predicted_bytes =
        [](const Experiment& experiment, const Placement&, std::int64_t) {
            return predicted_vtkhdf_bytes(std::ssize(experiment.survey.shots), experiment.snapshots.steps.size());
        },
};

}  // namespace onda
