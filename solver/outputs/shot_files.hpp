/// \file
/// The files of shots: one for the seismograms and one for the snapshots of each, and what presents them as one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "io/results/provenance.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "solver/plan/plan.hpp"
#include "solver/run/shot_table.hpp"

namespace onda {

/// The files of shots in one folder. They hold nothing but what the shots follow from, so that the same shot gives the
/// same bytes whenever and wherever it is computed.
class ShotFiles {
public:
    ShotFiles(const Plan& plan, std::filesystem::path folder, Provenance provenance);

    /// For the snapshots of a shot while it is computed; none if the run takes none. \throws Error.
    [[nodiscard]] std::unique_ptr<SnapshotWriter> begin_snapshots(std::int64_t shot) const;
    /// Finishes the file of a shot's snapshots under its name. \throws Error(io_error).
    [[nodiscard]] FileRecord finish(SnapshotWriter& snapshots) const;
    /// Writes the file of a shot's seismograms. \throws Error(io_error); Error(unstable).
    [[nodiscard]] FileRecord write(const ShotGather& gather) const;

    /// Whether the files of a record are there and have their sizes.
    [[nodiscard]] bool holds(const ShotRecord& record) const;

private:
    FileRecord give_name(AtomicFile file) const;

    const Plan& plan_;
    std::filesystem::path folder_;
    Provenance provenance_;
};

/// seismograms.h5, snapshots.h5 and snapshots.xdmf of a survey whose shots all are in `folder`, ready for their names
/// in `results`: the file of the only shot itself, copies of a few small shots, or links to the files of many or large
/// ones in results/shots. \throws Error(io_error | cannot_create); Interrupted.
std::vector<AtomicFile> assemble(const Plan& plan, std::span<const ShotRecord> shots,
                                 const std::filesystem::path& folder, const std::filesystem::path& results,
                                 const Provenance& provenance, bool overwrite);

}  // namespace onda
