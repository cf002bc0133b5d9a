/// \file
/// Snapshots of a grid that several processes share: each writes the planes of its own slabs into a file of its own,
/// and the file of the shot joins them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/models/geometry.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/medium.hpp"
#include "solver/plan/placement.hpp"
#include "solver/plan/snapshot_plan.hpp"

namespace onda {

struct Computation;
struct Domain;

/// What one of the processes that share a grid has of the snapshots of a shot.
struct SnapshotPart {
    int member = 0;                       ///< of those that share the grid; the first of them leads
    Window window;                        ///< in the nodes that it computes
    std::array<std::int64_t, 3> first{};  ///< where that begins in the plan's window, in its points
};

/// The parts with points, in the order of z; none where the leader has all there is, or the shot no snapshots.
/// \param of_shot domain_of_shot(). \param computed as the shot is: Computation::setup has its grid.
std::vector<SnapshotPart> snapshot_parts(const SnapshotPlan& snapshots, const Domain& of_shot,
                                         const Computation& computed);
/// The nodes of a frame that a shot has, of processes that share its grid in the slabs of this one; none without
/// snapshots. \param computed the largest grid that a shot is computed on.
std::int64_t downloaded_points(const SnapshotPlan& snapshots, const Grid& computed, const Placement& placement);
/// The nodes of a frame as this process writes it: what shots on parts of the grid have is put into one whole frame.
/// \param computed the largest grid that a shot is computed on.
std::int64_t written_points(const SnapshotPlan& snapshots, const Grid& computed, const Placement& placement);

/// The geometry of a part as written. \param window of the plan.
FileGeometry geometry_of(const SnapshotPart& part, const FileGeometry& window);

/// The name of the file of a part, from 1: "00012.snapshots.part_2.h5" of "00012.snapshots.h5".
std::string part_file_name(const std::filesystem::path& file, std::size_t part);
/// Whether a name is that of a part of the file of this name.
bool is_part_file_name(std::string_view name, const std::filesystem::path& file);
/// Whether a folder has files of parts, of whatever shot.
bool holds_part_files(const std::filesystem::path& folder);
/// Removes the parts of a file that an earlier program left without it.
void remove_part_files(const std::filesystem::path& file);

}  // namespace onda
