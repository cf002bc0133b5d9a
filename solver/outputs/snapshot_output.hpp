/// \file
/// Snapshots as an output format.
#pragma once

#include "solver/discretisation/time_axis.hpp"
#include "solver/outputs/output.hpp"
#include "solver/plan/snapshot_plan.hpp"

namespace onda {

/// snapshots.h5 and snapshots.xdmf of a survey, and 00012.snapshots.h5 of a shot; where several processes share a grid,
/// snapshots.part_1.h5, … and 00012.snapshots.part_1.h5, … with the values.
extern const OutputFormat kSnapshotFormat;
inline constexpr std::string_view kSnapshotsName = "snapshots.h5";  ///< of a survey

/// The times of the snapshots of every shot.
std::vector<double> snapshot_times(const SnapshotPlan& snapshots, const TimeAxis& time);

}  // namespace onda
