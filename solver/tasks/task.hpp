/// \file
/// What is done with the shots of a run: a row for each task, and what the program asks of it. The queue of shots,
/// batches, resuming, devices and processes do not know which task it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "kernels/plan/allocations.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/program/phase_times.hpp"
#include "solver/propagation/time_loop.hpp"
#include "solver/ranks/team.hpp"
#include "solver/tasks/shot_in_progress.hpp"
#include "solver/tasks/shot_media.hpp"

namespace onda {

class CheckpointStore;
struct Computation;
struct Experiment;
struct Plan;

/// What a task needs and does not own.
struct TaskParts {
    const Plan& plan;  ///< as the worker sees it
    ShotMedia& media;
    const ShotFiles& files;
    PhaseTimes& times;
    Team* team = nullptr;                    ///< the processes that share the grid, led by this one
    CheckpointStore* checkpoints = nullptr;  ///< null where none are kept
};

/// A task as one worker does it, batch by batch. Each batch comes in the order of these functions; while one is in
/// compute() another thread may be in prepare() with shots of the next, and a third in finish() with the one before.
class Task {
public:
    virtual ~Task() = default;
    /// The time steps of a shot, as its progress counts them.
    [[nodiscard]] virtual std::int64_t steps() const = 0;
    /// Those of them at the beginning of a shot of which no checkpoint keeps anything.
    [[nodiscard]] virtual std::int64_t steps_not_kept() const { return 0; }
    /// Sets up a shot that has been claimed; nothing but its index is known. \throws Error.
    virtual void prepare(ShotInProgress& shot) const = 0;
    /// Does whatever takes a wavefield. \throws Error; what the control throws.
    virtual void compute(Batch& batch, StepControl& control) = 0;
    /// Takes from the device what is left of the batch just computed, once the one before is finished: the wavefield is
    /// free for the next one, and two batches never hold gathers at the same time. \throws Error.
    virtual void collect(Batch& batch) = 0;
    /// Leaves the files and the record of each shot where they stay. \throws Error; Interrupted.
    virtual void finish(Batch& batch) const = 0;

    /// The nodes that were advanced, strips included, added over the shots.
    [[nodiscard]] virtual std::int64_t nodes_computed() const = 0;
    /// The bytes of the largest wavefields that were there at the same time.
    [[nodiscard]] virtual std::int64_t wavefield_bytes() const = 0;
};

/// A row: a task.
struct TaskRow {
    std::string_view name, help;
    bool steps_singly = false;  ///< time steps are such that adjoint runs are exact; there are no snapshots
    /// Then: where the configuration asks for leaps it is that of a run that leaps, or the transpose of one.
    bool may_leap = false;
    bool records_motion = false;      ///< particle motion at receivers, beside pressure
    bool keeps_checkpoints = false;   ///< of shots between two of their steps
    bool transposes = false;          ///< a run, by single steps on the time axis of that run
    bool takes_applied = false;       ///< steps of order 4 in time keep A p for it: Problem::keeps_applied
    bool computes_gradients = false;  ///< Plan::imaging is there, with a history of the forward field
    bool scatters = false;            ///< Plan::imaging is there, with a scattered field beside the forward one
    bool compares_data = false;       ///< with what the section imaging calls observed
    bool makes_images = false;        ///< by a condition, in place of gradients
    bool fits_linearly = false;       ///< data are compared by l2, as least squares have it
    bool leaves_sums = false;         ///< results are sums over the shots alone
    bool filters_all = false;         ///< nothing but filtered seismograms counts (imaging.band_pass)
    std::unique_ptr<Task> (*make)(const TaskParts& parts);
    /// What a shot asks of a device at most.
    ShotSize (*largest_shot)(const Experiment& experiment, const Computation& computation);
    /// Adds the rows of what it holds of the host's memory (solver/program/host_memory.hpp), media, snapshots and
    /// gathers included; output formats have their own.
    void (*add_memory)(Allocations& list, const Experiment& experiment, const Computation& computation);
};

/// All tasks; the first is what a run does unless it is told otherwise. task.cpp defines nothing else, so that a test
/// can link a list of its own in its place.
std::span<const TaskRow* const> tasks();
/// The name of a task; empty of the first.
inline std::string_view name_unless_first(const TaskRow* task) {
    return task == tasks().front() ? std::string_view() : task->name;
}

}  // namespace onda
