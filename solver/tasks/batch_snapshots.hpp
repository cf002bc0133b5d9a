/// \file
/// The snapshots of shots that advance together, here and in the processes that share their grid.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/plan/allocations.hpp"
#include "solver/plan/snapshot_plan.hpp"
#include "solver/propagation/snapshot_queue.hpp"
#include "solver/ranks/part_snapshots.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {

struct Computation;
struct Experiment;

/// Adds the rows of snapshots between the devices and the disk, checkpoints apart.
void add_snapshot_memory(Allocations& list, const Experiment& experiment, const Computation& computation);

/// Takes snapshots of a batch and hands them to the outputs of its shots while later steps run.
class BatchSnapshots {
public:
    /// \param snapshots of the run; outlive this. \param batch whose outputs have begun; outlives this. \param team the
    /// processes that share the grid, led by this one; null where it is alone. \throws Error: what another process met.
    BatchSnapshots(const SnapshotPlan& snapshots, Batch& batch, Team* team);

    /// Takes snapshots of p[n] as it is now. \throws Error: what writing those before met, here or elsewhere.
    void take(Propagator& propagator);
    /// Waits until those that have been taken are written. \throws Error as take().
    void settle();
    /// A snapshot that has been taken of a shot, counted from 0, wherever its parts are: pressure [Pa] of the whole
    /// window, [z][y][x]. \throws Error as take().
    [[nodiscard]] std::vector<float> whole_frame(int slot, std::int64_t i) const;
    /// Gives the outputs of a shot a whole_frame() that another run has taken. \throws Error as take().
    void give_back(int slot, double time_s, std::span<const float> frame);
    /// Waits until all are written. The outputs have the files of other processes then. \throws Error as take().
    void finish();

private:
    void take_here(Propagator& propagator);
    /// A frame of a part of the grid in one of the whole window.
    [[nodiscard]] std::span<const float> in_whole_frame(const Window& part, std::span<const float> values);
    /// Whether other processes have parts: the same for all shots of a batch.
    [[nodiscard]] bool are_shared() const { return !batch_.front().parts.empty(); }

    const SnapshotPlan& snapshots_;
    Batch& batch_;
    std::vector<float> whole_frame_;  ///< where shots have apertures
    std::optional<TeamSnapshots> elsewhere_;
    SnapshotQueue queue_;  ///< last: it ends before what it writes goes
};

}  // namespace onda
