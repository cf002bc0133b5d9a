#include "solver/outputs.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/atomic_file.hpp"
#include "io/error.hpp"
#include "solver/hash.hpp"
#include "solver/resampling.hpp"
#include "solver/time_dispersion.hpp"

namespace onda {
namespace {

constexpr const char* kLogName = "onda.log";
constexpr const char* kSummaryName = "summary.json";

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const std::string& why) {
    throw Error(ExitCode::cannot_create, "cannot write results to " + folder.string() + ": " + why);
}

/// What summary.json of an earlier run lists. Other files in the folder are not ours.
std::vector<std::string> earlier_files(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::ifstream in(folder / kSummaryName);
    if (!in) return names;
    const auto summary = nlohmann::json::parse(in, nullptr, false);
    if (!summary.is_object() || !summary.contains("files") || !summary["files"].is_array()) return names;
    for (const auto& name : summary["files"]) {
        if (!name.is_string()) continue;
        const std::filesystem::path file = name.get<std::string>();
        if (file == file.filename() && std::filesystem::is_regular_file(folder / file)) names.push_back(file.string());
    }
    return names;
}

}  // namespace

std::filesystem::path nearest_existing(std::filesystem::path path) {
    path = std::filesystem::absolute(path).lexically_normal();
    while (!std::filesystem::exists(path) && path.has_relative_path()) path = path.parent_path();
    return path;
}

std::filesystem::path default_folder(const Config& config) {
    if (!config.output.directory.empty()) return config.output.directory;
    return std::filesystem::path("results") / config.file.stem();
}

void refuse_taken_folder(const std::filesystem::path& folder, bool overwrite) {
    const std::filesystem::path existing = nearest_existing(folder);
    if (!std::filesystem::is_directory(existing)) refuse_folder(folder, existing.string() + " is not a folder");
    if (access(existing.c_str(), W_OK | X_OK) != 0)
        refuse_folder(folder, "no permission to write in " + existing.string());
    if (overwrite || !std::filesystem::exists(folder)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().filename() != kLogName)
            refuse_folder(folder,
                          "it holds " + entry.path().filename().string() +
                              "\n  choose another folder with --output, or replace an earlier run with --force");
}

RunFolder::RunFolder(std::filesystem::path path, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
    refuse_taken_folder(path_, overwrite_);
    std::error_code fault;
    std::filesystem::create_directories(path_, fault);
    if (fault) refuse_folder(path_, fault.message());
    lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) refuse_folder(path_, std::strerror(errno));
    // File systems without locks answer with another error than EWOULDBLOCK; a run goes on there, unprotected.
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(lock_);
        refuse_folder(path_, "another run is writing there");
    }
}

RunFolder::~RunFolder() {
    close(lock_);
}

Outputs::Outputs(const Plan& plan, const RunFolder& folder, const Provenance& provenance, RunPictures pictures)
    : plan_(plan), folder_(folder), pictures_(std::move(pictures)) {
    if (plan.most_receivers() > 0)
        seismograms_.emplace(folder.path() / "seismograms.h5", provenance, folder.overwrite());
    if (plan.snapshots.steps.empty()) return;
    snapshots_.emplace(folder.path() / "snapshots.h5", plan.snapshots.geometry, provenance, folder.overwrite());
    queue_.emplace([this](double time_s, std::span<const float> values) { snapshots_->write(time_s, values); });
}

void Outputs::begin_shot(const Shot& shot) {
    ++shots_begun_;
    if (snapshots_) snapshots_->begin_shot(shot.id, plan_.snapshots.steps.size());
}

std::int64_t Outputs::next_step(std::int64_t step) const {
    std::int64_t next = plan_.snapshots.steps.after(step).value_or(plan_.time.steps + 1);
    if (!first_shot()) return next;
    const auto picture = std::ranges::upper_bound(pictures_.steps(), step);
    return picture == pictures_.steps().end() ? next : std::min(next, *picture);
}

void Outputs::take(Propagator& propagator) {
    if (plan_.snapshots.steps.contains(propagator.step()))
        queue_->take(propagator.backend(), plan_.snapshots.window, propagator.time_s());
    if (first_shot() && std::ranges::binary_search(pictures_.steps(), propagator.step())) pictures_.take(propagator);
}

ShotFingerprint Outputs::end_shot(const Shot& shot, const Propagator& propagator) {
    ShotFingerprint fingerprint;
    fingerprint.final_wavefield = fingerprint_wavefield(propagator.backend(), plan_.grid, plan_.setup.precision);
    if (queue_) queue_->drain();
    if (!shot.receivers.empty()) {
        const ShotGather gather = make_gather(plan_, shot, propagator.backend());
        seismograms_->write(gather);
        if (first_shot()) pictures_.take(gather);
        Fingerprint hash;
        hash.add(std::span<const float>(gather.pressure));
        fingerprint.seismograms = hash.hex();
    }
    return fingerprint;
}

std::vector<std::string> Outputs::commit() {
    std::vector<std::string> names;
    const auto earlier = earlier_files(folder_.path());
    // The summary vouches for the whole folder: it goes first and the new one comes last.
    if (folder_.overwrite()) std::filesystem::remove(folder_.path() / kSummaryName);
    if (seismograms_) {
        seismograms_->commit();
        names.emplace_back("seismograms.h5");
    }
    if (snapshots_) {
        snapshots_->commit();
        names.insert(names.end(), {"snapshots.h5", "snapshots.xdmf"});
    }
    write_text_file(folder_.path() / "config.yaml", resolved_yaml(plan_.config), folder_.overwrite());
    names.emplace_back("config.yaml");
    const auto pictures = pictures_.write(folder_.path(), folder_.overwrite());
    names.insert(names.end(), pictures.begin(), pictures.end());
    for (const std::string& name : earlier)
        if (name != kLogName && std::ranges::find(names, name) == names.end())
            std::filesystem::remove(folder_.path() / name);
    return names;
}

ShotGather make_gather(const Plan& plan, const Shot& shot, const Backend& backend) {
    const TimeAxis& time = plan.time;
    ShotGather gather;
    gather.shot = shot.id;
    for (const SourcePoint& source : shot.sources) gather.sources_m.push_back(source.position_m);
    gather.receivers_m = shot.receivers.list();
    gather.dt_s = time.output_dt_s;
    gather.samples = time.output_samples;
    const auto traces = static_cast<std::int64_t>(shot.receivers.size());
    gather.pressure.resize(traces * (time.steps + 1));
    backend.download_traces(std::span<float>(gather.pressure));
    if (time.correction)
        gather.pressure = correct_traces<float>(gather.pressure, traces, *time.correction, time.dt_s, time.output_dt_s,
                                                time.output_samples);
    else if (time.output_dt_s != time.dt_s)
        gather.pressure = resample_traces(gather.pressure, traces, time.dt_s, time.output_dt_s, time.output_samples);
    return gather;
}

namespace {

template <typename T>
std::string fingerprint_planes(const Backend& backend, const Grid& grid) {
    Fingerprint hash;
    std::vector<T> plane(static_cast<std::size_t>(grid.nx() * grid.ny()));
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        backend.download(Window{{0, 0, z}, {grid.nx(), grid.ny(), 1}, {1, 1, 1}}, std::span<T>(plane));
        hash.add(std::span<const T>(plane));
    }
    return hash.hex();
}

}  // namespace

std::string fingerprint_wavefield(const Backend& backend, const Grid& grid, Precision precision) {
    return precision == Precision::float64 ? fingerprint_planes<double>(backend, grid)
                                           : fingerprint_planes<float>(backend, grid);
}

}  // namespace onda
