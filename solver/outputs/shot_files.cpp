#include "solver/outputs/shot_files.hpp"

#include <utility>

#include "io/files/interruption.hpp"
#include "io/results/xdmf.hpp"
#include "solver/plan/forecast.hpp"

namespace onda {
namespace {

std::vector<double> snapshot_times(const Plan& plan) {
    std::vector<double> times_s;
    for (auto step = plan.snapshots.steps.after(-1); step; step = plan.snapshots.steps.after(*step))
        times_s.push_back(static_cast<double>(*step) * plan.time.dt_s);
    return times_s;
}

std::string kept_name(const FileRecord& file) {
    return std::string(kShotsName) + "/" + file.name;
}

/// How shots come into the files that present them as one.
enum class Assembly { only_shot, copies, links };

Assembly assembly_of(const Plan& plan) {
    if (keeps_shot_files(plan)) return Assembly::links;
    return plan.survey.shots.size() == 1 ? Assembly::only_shot : Assembly::copies;
}

/// A place among files: where the shots are, and what is made of them.
struct Places {
    const std::filesystem::path& folder;
    const std::filesystem::path& results;
    const Provenance& provenance;
    bool overwrite;
};

AtomicFile assemble_seismograms(const Plan& plan, std::span<const ShotRecord> shots, const Places& places) {
    const auto path = places.results / "seismograms.h5";
    const Assembly assembly = assembly_of(plan);
    if (assembly == Assembly::only_shot)
        return AtomicFile::of(places.folder / shots.front().seismogram_file.name, path, places.overwrite);
    SeismogramWriter writer(path, places.provenance, places.overwrite);
    for (const ShotRecord& shot : shots) {
        throw_if_interrupted();
        if (shot.seismogram_file.name.empty()) continue;
        if (assembly == Assembly::links)
            writer.link(shot.shot, kept_name(shot.seismogram_file));
        else
            writer.write(read_gather(places.folder / shot.seismogram_file.name, shot.shot));
    }
    return writer.finish();
}

void copy_frames(SnapshotWriter& writer, const std::filesystem::path& file, std::int64_t shot) {
    const ShotFrames frames = read_frames(file, shot);
    const std::size_t points = frames.values.size() / frames.times_s.size();
    writer.begin_shot(shot, std::ssize(frames.times_s));
    for (std::size_t i = 0; i < frames.times_s.size(); ++i)
        writer.write(frames.times_s[i], std::span(frames.values).subspan(i * points, points));
}

std::vector<AtomicFile> assemble_snapshots(const Plan& plan, std::span<const ShotRecord> shots, const Places& places) {
    const auto path = places.results / "snapshots.h5";
    const Assembly assembly = assembly_of(plan);
    if (assembly == Assembly::only_shot) {
        std::vector<AtomicFile> files;
        files.push_back(AtomicFile::of(places.folder / shots.front().snapshot_file.name, path, places.overwrite));
        const std::vector<XdmfShot> frames{{shots.front().shot, snapshot_times(plan)}};
        const TextSource xdmf = [&](const auto& put) {
            put_snapshots_xdmf("snapshots.h5", plan.snapshots.geometry, frames, put);
        };
        files.push_back(stage_text_file(places.results / "snapshots.xdmf", xdmf, places.overwrite));
        return files;
    }
    SnapshotWriter writer(path, plan.snapshots.geometry, places.provenance, places.overwrite);
    for (const ShotRecord& shot : shots) {
        throw_if_interrupted();
        if (assembly == Assembly::links)
            writer.link(shot.shot, snapshot_times(plan), kept_name(shot.snapshot_file));
        else
            copy_frames(writer, places.folder / shot.snapshot_file.name, shot.shot);
    }
    return writer.finish();
}

}  // namespace

ShotFiles::ShotFiles(const Plan& plan, std::filesystem::path folder, Provenance provenance)
    : plan_(plan), folder_(std::move(folder)), provenance_(std::move(provenance)) {}

std::unique_ptr<SnapshotWriter> ShotFiles::begin_snapshots(std::int64_t shot) const {
    if (plan_.snapshots.steps.empty()) return nullptr;
    auto writer = std::make_unique<SnapshotWriter>(folder_ / snapshot_file_name(shot), plan_.snapshots.geometry,
                                                   provenance_, true);
    writer->begin_shot(shot, plan_.snapshots.steps.size());
    return writer;
}

FileRecord ShotFiles::finish(SnapshotWriter& snapshots) const {
    return give_name(snapshots.finish_values());
}

FileRecord ShotFiles::write(const ShotGather& gather) const {
    SeismogramWriter writer(folder_ / seismogram_file_name(gather.shot), provenance_, true);
    writer.write(gather);
    return give_name(writer.finish());
}

FileRecord ShotFiles::give_name(AtomicFile file) const {
    FileRecord record = record_of(file.temporary(), file.path().filename().string());
    file.rename();
    return record;
}

bool ShotFiles::holds(const ShotRecord& record) const {
    for (const FileRecord& file : {record.seismogram_file, record.snapshot_file}) {
        std::error_code absent;
        if (!file.name.empty() && (std::filesystem::file_size(folder_ / file.name, absent) !=
                                       static_cast<std::uintmax_t>(file.bytes) ||
                                   absent))
            return false;
    }
    return true;
}

std::vector<AtomicFile> assemble(const Plan& plan, std::span<const ShotRecord> shots,
                                 const std::filesystem::path& folder, const std::filesystem::path& results,
                                 const Provenance& provenance, bool overwrite) {
    const Places places{folder, results, provenance, overwrite};
    std::vector<AtomicFile> files;
    if (plan.survey.size.most_receivers > 0) files.push_back(assemble_seismograms(plan, shots, places));
    throw_if_interrupted();
    if (!plan.snapshots.steps.empty())
        for (AtomicFile& file : assemble_snapshots(plan, shots, places)) files.push_back(std::move(file));
    return files;
}

}  // namespace onda
