#include "solver/outputs/snapshot_output.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/results/snapshots.hpp"
#include "io/results/xdmf.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {

std::vector<double> snapshot_times(const SnapshotPlan& snapshots, const TimeAxis& time) {
    std::vector<double> times_s;
    for (auto step = snapshots.steps.after(-1); step; step = snapshots.steps.after(*step))
        times_s.push_back(static_cast<double>(*step) * time.dt_s);
    return times_s;
}

namespace {

constexpr std::string_view kName = kSnapshotsName, kXdmfName = "snapshots.xdmf";

class SnapshotsOfShot : public ShotOutput {
public:
    /// \param had_parts whether files of parts, of a run that was not ended, may be in the way.
    SnapshotsOfShot(const SnapshotPlan& snapshots, const TimeAxis& time, const ShotPlace& place, bool had_parts)
        : snapshots_(snapshots),
          time_(time),
          provenance_(place.provenance),
          file_(place.file),
          shot_(place.shot.id),
          parts_(place.parts.begin(), place.parts.end()) {
        if (had_parts) remove_part_files(file_);
        if (parts_.empty())
            writer_.emplace(file_, snapshots.geometry, provenance_, true);
        else if (parts_.front().member == 0)
            writer_.emplace(part_file(0), geometry_of(parts_.front(), snapshots.geometry), provenance_, true);
        if (writer_) writer_->begin_shot(shot_, snapshots.steps.size());
    }

    void take_snapshot(double time_s, std::span<const float> values) override { writer_->write(time_s, values); }
    [[nodiscard]] std::vector<float> snapshot(std::int64_t i) const override { return writer_->read(i); }
    [[nodiscard]] std::vector<WantedPart> wanted_parts() const override {
        std::vector<WantedPart> wanted;
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].member > 0)
                wanted.push_back({parts_[i].member, shot_, snapshots_.steps.size(), parts_[i].window,
                                  geometry_of(parts_[i], snapshots_.geometry), part_file(i), provenance_});
        return wanted;
    }
    void take_parts(std::vector<FileRecord> files) override { part_files_ = std::move(files); }
    std::optional<AtomicFile> finish() override {
        if (parts_.empty()) return writer_->finish_values();
        if (writer_) part_files_.insert(part_files_.begin(), give_name(writer_->finish_values()));
        return join_parts();
    }

private:
    [[nodiscard]] std::filesystem::path part_file(std::size_t i) const {
        return file_.parent_path() / part_file_name(file_, i + 1);
    }
    [[nodiscard]] AtomicFile join_parts() const;

    const SnapshotPlan& snapshots_;
    const TimeAxis& time_;
    const Provenance& provenance_;
    std::filesystem::path file_;
    std::int64_t shot_;
    std::vector<SnapshotPart> parts_;
    std::vector<FileRecord> part_files_;
    std::optional<SnapshotWriter> writer_;  ///< of all of the shot, or of this process' part of it
};

AtomicFile SnapshotsOfShot::join_parts() const {
    std::vector<SnapshotPartFile> files;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const std::string name = part_file(i).filename().string();
        const auto file = std::ranges::find(part_files_, name, &FileRecord::name);
        if (file == part_files_.end()) throw Error(ExitCode::internal, shown(part_file(i)) + ": nobody has written it");
        files.push_back({name, file->bytes, file->hash, parts_[i].first, parts_[i].window.count});
    }
    SnapshotWriter writer(file_, snapshots_.geometry, provenance_, true);
    writer.join(shot_, snapshot_times(snapshots_, time_), files);
    return writer.finish_values();
}

class Snapshots : public RunOutput {
public:
    Snapshots(const SnapshotPlan& snapshots, const TimeAxis& time) : snapshots_(snapshots), time_(time) {}

    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        std::call_once(looked_, [&] { had_parts_ = holds_part_files(place.folder); });
        return std::make_unique<SnapshotsOfShot>(snapshots_, time_, place, had_parts_);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override;

private:
    const SnapshotPlan& snapshots_;
    const TimeAxis& time_;
    std::once_flag looked_;  ///< before the first shot: a folder has many files, later
    bool had_parts_ = false;
};

/// The file of the only shot as that of the survey. One that joins parts is made again for the names that these get.
std::vector<AtomicFile> stage_only_shot(const FinishedSurvey& survey) {
    const ShotRecord& shot = survey.shots.front();
    std::vector<SnapshotPartFile> parts = parts_of_snapshots(survey.folder / file_of(shot, kSnapshotFormat).name);
    std::vector<AtomicFile> files;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string name = part_file_name(kName, i + 1);
        files.push_back(AtomicFile::of(survey.folder / std::exchange(parts[i].name, name), survey.results / name,
                                       survey.overwrite));
    }
    if (parts.empty()) {
        files.push_back(survey.second_name(kSnapshotFormat, kName));
        return files;
    }
    SnapshotWriter writer(survey.results / kName, survey.experiment.snapshots.geometry, survey.provenance,
                          survey.overwrite);
    writer.join(shot.shot, snapshot_times(survey.experiment.snapshots, survey.experiment.time), parts);
    files.push_back(writer.finish_values());
    return files;
}

std::vector<AtomicFile> assemble_only_shot(const FinishedSurvey& survey) {
    std::vector<AtomicFile> files = stage_only_shot(survey);
    const std::vector<XdmfShot> frames{
        {survey.shots.front().shot, snapshot_times(survey.experiment.snapshots, survey.experiment.time)}};
    const TextSource xdmf = [&](const auto& put) {
        put_snapshots_xdmf(std::string(kName), survey.experiment.snapshots.geometry, frames, put);
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
    SnapshotWriter writer(survey.results / kName, survey.experiment.snapshots.geometry, survey.provenance,
                          survey.overwrite);
    for (const ShotRecord& shot : survey.shots) {
        throw_if_interrupted();
        const FileRecord& file = file_of(shot, kSnapshotFormat);
        if (survey.assembly == Assembly::links)
            writer.link(shot.shot, snapshot_times(survey.experiment.snapshots, survey.experiment.time),
                        kept_name(file));
        else
            copy_frames(writer, survey.folder / file.name, shot.shot);
    }
    return writer.finish();
}

void add_snapshot_file_memory(Allocations& list, const Experiment& experiment, const Computation& computation) {
    // What HDF5 keeps for each file that is open: measured on batches of 1 to 10 shots. Open are those of a batch, and
    // of the one before until it is written.
    constexpr std::int64_t of_file = 900'000;
    const std::int64_t frames = experiment.snapshots.steps.size(), shots = std::ssize(experiment.survey.shots);
    list.add(host_row("open files of snapshots", held::survey, of_file, 1,
                      std::min(shots, shots_together(computation.placement) *
                                          (is_pipelined(computation.placement, experiment.survey) ? 2 : 1))));
    // Measured: 120 bytes a snapshot in HDF5's cache, and as many again up to 1 MB, of at most 8 MB.
    constexpr std::int64_t of_chunk = 120, most_of_first = 1'000'000, most = 8'000'000;
    const std::int64_t cached = saturating_product(frames, of_chunk);
    list.add(host_row("records of shots and snapshots: HDF5's cache", held::survey,
                      std::min(most, saturating_sum(cached, std::min(most_of_first, cached))), 1));
    // A snapshot's time when written, and when read back.
    list.add(host_row("records of shots and snapshots: times", held::survey, frames, sizeof(double), shots + 1));
    const auto frame = written_points(experiment.snapshots, computation.setup.grid, computation.placement) *
                       std::int64_t{sizeof(float)};
    list.add(host_row("snapshots.h5", held::frame, memory_to_write_frame(frame), 1));
}

}  // namespace

constinit const OutputFormat kSnapshotFormat{
    .column = "snapshot",
    .shot_file = "snapshots.h5",
    .is_result =
        [](std::string_view name) { return name == kName || name == kXdmfName || is_part_file_name(name, kName); },
    .is_wanted = [](const Experiment& experiment) { return !experiment.snapshots.steps.empty(); },
    .make = [](const Experiment& experiment, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Snapshots>(experiment.snapshots, experiment.time);
    },
    .predicted_bytes =
        [](const Experiment& experiment, const Placement& placement, std::int64_t provenance_bytes) {
            const FileGeometry& geometry = experiment.snapshots.geometry;
            const std::int64_t frames = experiment.snapshots.steps.size(), shots = std::ssize(experiment.survey.shots);
            const std::int64_t parts =
                placement.ranks_per_grid > 1 ? saturating_product(shots, std::int64_t{placement.ranks_per_grid}) : 0;
            return saturating_sum(predicted_snapshot_bytes(geometry, shots, frames, provenance_bytes),
                                  saturating_product(parts, predicted_part_bytes(geometry, frames, provenance_bytes)));
        },
    .parts =
        [](const std::filesystem::path& shot_file) {
            std::vector<FileRecord> files;
            for (SnapshotPartFile& part : parts_of_snapshots(shot_file))
                files.push_back({std::move(part.name), part.bytes, std::move(part.hash)});
            return files;
        },
    .add_memory = add_snapshot_file_memory,
};

}  // namespace onda
