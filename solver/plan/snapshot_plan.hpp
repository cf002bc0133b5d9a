/// \file
/// The snapshots of a run: which nodes are written, and when.
#pragma once

#include <array>
#include <cstdint>

#include "io/config/config.hpp"
#include "io/models/geometry.hpp"
#include "kernels/grid/grid.hpp"
#include "solver/discretisation/step_set.hpp"
#include "solver/discretisation/time_axis.hpp"

namespace onda {

struct SnapshotPlan {
    Window window;                                      ///< of the configuration's grid
    std::array<std::int64_t, 3> window_nodes{1, 1, 1};  ///< before decimation
    FileGeometry geometry;                              ///< of the window as written
    StepSet steps;                                      ///< empty: no snapshots
};

/// The plan of snapshots without their steps, which are known only with dt.
/// \throws Error(config) for a window or times that the grid or the run do not hold.
SnapshotPlan plan_snapshots(const SnapshotConfig& config, double duration_s, const Grid& grid,
                            const ConfigOrigin& origin);
/// \throws Error(config) if snapshots were asked for at more times than the wavefield is known.
void check_snapshot_interval(const SnapshotConfig& config, const TimeAxis& time, const ConfigOrigin& origin);
/// The steps nearest to the times asked for. \param config that plan_snapshots accepted.
StepSet snapshot_steps(const SnapshotConfig& config, double duration_s, const TimeAxis& time);

}  // namespace onda
