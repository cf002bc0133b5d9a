#include "solver/outputs/snapshot_output.hpp"

#include "io/files/interruption.hpp"
#include "io/results/snapshots.hpp"
#include "io/results/xdmf.hpp"

namespace onda {

std::vector<double> snapshot_times(const Plan& plan) {
    std::vector<double> times_s;
    for (auto step = plan.snapshots.steps.after(-1); step; step = plan.snapshots.steps.after(*step))
        times_s.push_back(static_cast<double>(*step) * plan.time.dt_s);
    return times_s;
}

namespace {

constexpr std::string_view kName = kSnapshotsName, kXdmfName = "snapshots.xdmf";

class SnapshotsOfShot : public ShotOutput {
public:
    SnapshotsOfShot(const Plan& plan, const ShotPlace& place)
        : writer_(place.file, plan.snapshots.geometry, place.provenance, true) {
        writer_.begin_shot(place.shot.id, plan.snapshots.steps.size());
    }

    void take_snapshot(double time_s, std::span<const float> values) override { writer_.write(time_s, values); }
    std::optional<AtomicFile> finish() override { return writer_.finish_values(); }

private:
    SnapshotWriter writer_;
};

class Snapshots : public RunOutput {
public:
    explicit Snapshots(const Plan& plan) : plan_(plan) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        return std::make_unique<SnapshotsOfShot>(plan_, place);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override;

private:
    const Plan& plan_;
};

std::vector<AtomicFile> assemble_only_shot(const FinishedSurvey& survey) {
    std::vector<AtomicFile> files;
    files.push_back(survey.second_name(kSnapshotFormat, kName));
    const std::vector<XdmfShot> frames{{survey.shots.front().shot, snapshot_times(survey.plan)}};
    const TextSource xdmf = [&](const auto& put) {
        put_snapshots_xdmf(std::string(kName), survey.plan.snapshots.geometry, frames, put);
    };
    files.push_back(stage_text_file(survey.results / kXdmfName, xdmf, survey.overwrite));
    return files;
}

void copy_frames(SnapshotWriter& writer, const std::filesystem::path& file, std::int64_t shot) {
    const ShotFrames frames = read_frames(file, shot);
    const std::size_t points = frames.values.size() / frames.times_s.size();
    writer.begin_shot(shot, std::ssize(frames.times_s));
    for (std::size_t i = 0; i < frames.times_s.size(); ++i)
        writer.write(frames.times_s[i], std::span(frames.values).subspan(i * points, points));
}

std::vector<AtomicFile> Snapshots::assemble(const FinishedSurvey& survey) const {
    if (survey.assembly == Assembly::only_shot) return assemble_only_shot(survey);
    SnapshotWriter writer(survey.results / kName, survey.plan.snapshots.geometry, survey.provenance, survey.overwrite);
    for (const ShotRecord& shot : survey.shots) {
        throw_if_interrupted();
        const FileRecord& file = file_of(shot, kSnapshotFormat);
        if (survey.assembly == Assembly::links)
            writer.link(shot.shot, snapshot_times(survey.plan), kept_name(file));
        else
            copy_frames(writer, survey.folder / file.name, shot.shot);
    }
    return writer.finish();
}

}  // namespace

constinit const OutputFormat kSnapshotFormat{
    .column = "snapshot",
    .shot_file = "snapshots.h5",
    .is_result = [](std::string_view name) { return name == kName || name == kXdmfName; },
    .is_wanted = [](const Plan& plan) { return !plan.snapshots.steps.empty(); },
    .make = [](const Plan& plan, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Snapshots>(plan);
    },
    .predicted_bytes =
        [](const Plan& plan, std::int64_t provenance_bytes) {
            return predicted_snapshot_bytes(plan.snapshots.geometry,
                                            static_cast<std::int64_t>(plan.survey.shots.size()),
                                            plan.snapshots.steps.size(), provenance_bytes);
        },
};

}  // namespace onda
