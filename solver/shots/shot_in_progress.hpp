/// \file
/// Shots that are being computed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "solver/outputs/shot_files.hpp"
#include "solver/outputs/snapshot_parts.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/shots/shot_ledger.hpp"

namespace onda {

/// A shot from when it is claimed until the ledger knows what it left.
struct ShotInProgress {
    std::size_t index = 0;             ///< in the survey
    std::shared_ptr<const Plan> plan;  ///< of the shot; the run's where there is no aperture
    Shot shot;
    ShotPoints points;
    std::vector<SnapshotPart> parts;  ///< of its snapshots, where several processes have them
    ShotOutputs outputs;
    ShotGather gather;
    ShotRecord record;
};
using Batch = std::vector<ShotInProgress>;

}  // namespace onda
