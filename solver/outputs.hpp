/// \file
/// What a run leaves: its folder, seismograms, snapshots and pictures, every file complete or absent.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/provenance.hpp"
#include "io/seismograms.hpp"
#include "io/snapshots.hpp"
#include "solver/pictures.hpp"
#include "solver/plan.hpp"
#include "solver/propagator.hpp"
#include "solver/snapshot_queue.hpp"

namespace onda {

/// `path`, or the folder nearest above it that exists.
std::filesystem::path nearest_existing(std::filesystem::path path);

/// output.directory, or results/<name of the config> in the working directory.
std::filesystem::path default_folder(const Config& config);

/// Without touching anything. \throws Error(cannot_create) if `folder` holds more than the log of a failed run and
/// overwrite is false, or if it could not be created.
void refuse_taken_folder(const std::filesystem::path& folder, bool overwrite);

/// The folder of one run: created, and locked against a second run for as long as this lives.
class RunFolder {
public:
    /// \throws Error(cannot_create).
    RunFolder(std::filesystem::path path, bool overwrite);
    ~RunFolder();
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] bool overwrite() const { return overwrite_; }

private:
    std::filesystem::path path_;
    bool overwrite_;
    int lock_ = -1;
};

/// Hashes of what a shot gave: equal for any number of threads, kernel and instruction set.
struct ShotFingerprint {
    std::string seismograms, final_wavefield;
};

/// Takes what the configuration asks for while shots advance; nothing appears under its name before commit().
class Outputs {
public:
    Outputs(const Plan& plan, const RunFolder& folder, const Provenance& provenance, RunPictures pictures);

    void begin_shot(const Shot& shot);
    /// The next step, after `step`, at which take() must be called; steps + 1 if there is none.
    [[nodiscard]] std::int64_t next_step(std::int64_t step) const;
    /// Returns while snapshots are still on their way: write errors may come out of a later call.
    void take(Propagator& propagator);
    ShotFingerprint end_shot(const Shot& shot, const Propagator& propagator);
    /// Puts every file in place, and removes what an earlier run left and this one has not.
    /// \returns their names. \throws Error(io_error | cannot_create).
    std::vector<std::string> commit();

private:
    [[nodiscard]] bool first_shot() const { return shots_begun_ == 1; }

    const Plan& plan_;
    const RunFolder& folder_;
    RunPictures pictures_;
    std::optional<SeismogramWriter> seismograms_;
    std::optional<SnapshotWriter> snapshots_;
    std::size_t shots_begun_ = 0;
    std::optional<SnapshotQueue> queue_;  ///< to snapshots_; last: it stops writing before any file is closed
};

/// The gather of a shot at the user's sampling, with the dispersion in time removed where the plan says so: from the
/// samples that the backend recorded, which stay as they are.
ShotGather make_gather(const Plan& plan, const Shot& shot, const Backend& backend);
/// Of p[n] on the whole grid, in the precision of the run.
std::string fingerprint_wavefield(const Backend& backend, const Grid& grid, Precision precision);

}  // namespace onda
