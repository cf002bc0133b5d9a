/// \file
/// The outputs of a run: its folder, seismograms, snapshots and pictures, every file complete or absent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/results/provenance.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "solver/outputs/pictures.hpp"
#include "solver/outputs/snapshot_queue.hpp"
#include "solver/plan/plan.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/run/run_folder.hpp"

namespace onda {

/// Hashes of what a shot gave: equal for any number of threads, kernel and instruction set.
struct ShotFingerprint {
    std::string seismograms, final_wavefield;
};

/// The outputs of a run, taken as the configuration asks while shots advance; nothing gets its name before
/// RunFolder::publish().
class Outputs {
public:
    Outputs(const Plan& plan, const RunFolder& folder, const Provenance& provenance, RunPictures pictures);

    void begin_shot(const Shot& shot);
    /// The next step, after `step`, at which take() must be called; steps + 1 if there is none.
    [[nodiscard]] std::int64_t next_step(std::int64_t step) const;
    /// Returns while snapshots are still on their way: write errors may come out of a later call.
    void take(Propagator& propagator);
    ShotFingerprint end_shot(const Shot& shot, const Propagator& propagator);
    /// Finishes every file, ready for its name. \throws Error(io_error | cannot_create), Interrupted.
    std::vector<AtomicFile> prepare();

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
/// samples that the backend recorded, which stay as they are. \throws Error(unstable) naming the first of them that
/// single precision cannot hold: the correction would spread it over its trace.
ShotGather make_gather(const Plan& plan, const Shot& shot, const Wavefield& wavefield);
/// The hash of p[n] at the nodes of `window`, in the precision of the run.
std::string fingerprint_wavefield(const Wavefield& wavefield, const Window& window, Precision precision);

}  // namespace onda
