/// \file
/// Snapshots as an output format.
#pragma once

#include "solver/outputs/output.hpp"

namespace onda {

/// snapshots.h5 and snapshots.xdmf of a survey, and 00012.snapshots.h5 of a shot.
extern const OutputFormat kSnapshotFormat;

}  // namespace onda
