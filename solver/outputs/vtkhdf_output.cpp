#include "solver/outputs/vtkhdf_output.hpp"

#include "io/results/vtkhdf.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/plan/plan.hpp"

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
        files.push_back(stage_vtkhdf(survey.results / kName, survey.plan.snapshots.geometry,
                                     snapshot_times(survey.plan.snapshots, survey.plan.time), shots, survey.overwrite));
        return files;
    }
};

}  // namespace

constinit const OutputFormat kVtkhdfFormat{
    .column = {},
    .shot_file = {},
    .is_result = [](std::string_view name) { return name == kName; },
    .is_wanted = [](const Plan& plan) { return plan.config.output.snapshots.vtkhdf && !plan.snapshots.steps.empty(); },
    .make = [](const Plan&, const Model&) -> std::unique_ptr<RunOutput> { return std::make_unique<Vtkhdf>(); },
    .predicted_bytes =
        [](const Plan& plan, std::int64_t) {
            return predicted_vtkhdf_bytes(std::ssize(plan.survey.shots), plan.snapshots.steps.size());
        },
};

}  // namespace onda
