/// \file
/// Checkpoints of the shots that a worker advances: when they are due, which there are, and how shots go on from them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/fingerprint.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/shot_state.hpp"
#include "kernels/unset_vector.hpp"
#include "solver/outputs/kept_values.hpp"
#include "solver/program/log.hpp"
#include "solver/propagation/time_loop.hpp"
#include "solver/tasks/checkpoint_file.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {

class BatchSnapshots;
struct Computation;
struct Experiment;
struct Plan;

/// Whether the shots of a run are kept between two of their steps.
bool keeps_checkpoints(const Plan& plan);
/// Adds the row of what the process that leads a shared grid holds of its snapshots while they are kept.
void add_checkpoint_memory(Allocations& list, const Plan& plan);
/// Bytes of the checkpoints that a run has on disk at most: the last two of all shots that its workers advance and the
/// next, and their snapshots.
std::int64_t checkpoints_on_disk(const Experiment& experiment, const Computation& computation);
/// Bytes of the checkpoints, one each, of all shots that the workers of a run advance: what the host holds of states
/// of devices with memory of their own while they are written.
std::int64_t copies_of_states(const Experiment& experiment, const Computation& computation);
/// Bytes of the checkpoints, one each, of the shots that a worker advances together.
std::int64_t bytes_of_checkpoints(const Experiment& experiment, const Computation& computation);

/// What is the same for all checkpoints of a run.
struct CheckpointSettings {
    std::filesystem::path folder;  ///< of the unfinished survey
    std::string identity;          ///< hash of what the survey follows from, whatever the length of its record
    /// From one to the next; absent: half an hour, or longer where writing takes more than a fiftieth of it.
    std::optional<std::chrono::duration<double>> every{};
    Log* log = nullptr;
    /// Whether a signal ends the run as its time limit does: when all of its processes have kept their shots.
    bool ends_with_others = false;
    std::int64_t workers = 1;  ///< of this process, which share its memory
};

/// The checkpoints of a run's shots on disk, the last two of each. The claim of a shot is that of its checkpoints, too.
class CheckpointStore {
public:
    explicit CheckpointStore(CheckpointSettings settings) : settings_(std::move(settings)) {}

    /// The step that a shot goes on from, if its file is whole; 0 where there is none.
    [[nodiscard]] std::int64_t step_of(std::int64_t shot) const;
    /// The files of a shot that are there, the latest first. Those that can be read have different steps.
    [[nodiscard]] std::vector<std::filesystem::path> files_of(std::int64_t shot) const;
    /// Gives a finished checkpoint its name; what had it becomes the one before. \throws Error(io_error).
    void add(std::int64_t shot, AtomicFile file) const;
    /// Removes what a finished shot has left.
    void remove(std::int64_t shot) const;

    [[nodiscard]] const CheckpointSettings& settings() const { return settings_; }
    [[nodiscard]] std::filesystem::path file(std::int64_t shot) const {
        return settings_.folder / checkpoint_name(shot);
    }
    [[nodiscard]] std::filesystem::path frames_file(std::int64_t shot) const {
        return settings_.folder / frames_name(shot);
    }

private:
    [[nodiscard]] std::filesystem::path earlier_file(std::int64_t shot) const {
        return settings_.folder / earlier_checkpoint_name(shot);
    }

    CheckpointSettings settings_;
};

/// What a task has of shots that advance together, and how it goes on from it.
class KeptShots {
public:
    virtual ~KeptShots() = default;
    /// Between steps 0 and steps(), after which nothing is kept.
    [[nodiscard]] virtual std::int64_t step() const = 0;
    [[nodiscard]] virtual std::int64_t steps() const = 0;
    /// The first step after which there is something to keep.
    [[nodiscard]] virtual std::int64_t first_kept_step() const { return 1; }
    /// A step as people are told of it: "step 12 of 300".
    [[nodiscard]] virtual std::string name_of(std::int64_t step) const = 0;
    /// What is computed again by shots that go on; empty: nothing.
    [[nodiscard]] virtual std::string computed_again() const { return {}; }
    /// Hashes of what the steps of a shot up to `step` follow from and that may depend on the length of the record, by
    /// what they are of; none where the survey's identity tells the length.
    [[nodiscard]] virtual std::map<std::string, std::string> follows_from(std::size_t slot, std::int64_t step) const;
    /// Of the fields, and what is summed of them.
    [[nodiscard]] virtual ShotState& state() const = 0;
    /// Looks at the fields, and waits for what is being written of them. \throws Error(unstable), and what that met.
    virtual void settle() = 0;
    /// Writes down what of a shot is neither in the state nor with its outputs. \throws Error(unstable).
    virtual void keep(std::size_t slot, CheckpointRecord& record, KeptValues& values) const = 0;
    /// Takes it back. \throws Error(bad_data).
    virtual void take_back(std::size_t slot, const CheckpointRecord& record, KeptValues& values) = 0;
    /// Lets the shots, whose state has been replaced, go on from a step.
    virtual void go_on_from(std::int64_t step) = 0;
};

/// The checkpoints of shots that advance together.
///
/// A checkpoint has what a shot is made of after a step: levels and memory variables, as every device has them, samples
/// of traces, snapshots, sums for images, and what pictures and the report have taken. So a shot goes on with the same
/// bits on another device, with other kernels, batches, slabs or processes, and its files have the bytes of a run
/// without a stop. Wavefields are looked at before: one that is unstable is never kept.
class BatchCheckpoints {
public:
    /// \param batch whose outputs have begun; outlives this, as do store and plan.
    BatchCheckpoints(CheckpointStore& store, const Plan& plan, Batch& batch);
    /// Waits for what is being written.
    ~BatchCheckpoints();
    BatchCheckpoints(const BatchCheckpoints&) = delete;
    BatchCheckpoints& operator=(const BatchCheckpoints&) = delete;

    /// Looks for the last step that all of the shots have whole. \returns it; 0: there is none, and they begin at rest.
    /// \throws Error(io_error); Interrupted.
    std::int64_t find(const KeptShots& shots);
    /// Lets the shots go on from the step that was found. \throws Error(bad_data | io_error).
    void restore(KeptShots& shots);
    /// Gives the snapshots that were taken before the step that was found back, and keeps those that are taken from
    /// then on. \param snapshots of the batch; outlive what is kept. \throws what they throw.
    void go_on_with(BatchSnapshots& snapshots);
    /// Whether it is time for one, or the control asks for it or wants to end.
    [[nodiscard]] bool is_due(const KeptShots& shots, StepControl& control);
    /// Keeps the shots as they are now, and lets the control end if it wants to. A disk that is full is told, and
    /// hinders nothing.
    /// \throws Error(unstable); what snapshots met; what StepControl::end() throws.
    void keep(KeptShots& shots, StepControl& control);
    /// Waits until the last one is on disk. \returns whether it is.
    bool settle();

private:
    using Clock = std::chrono::steady_clock;
    /// The values of the snapshots of a shot that are on disk.
    struct Frames {
        std::int64_t count = 0;
        Fingerprint hash;
        /// Of those that were found, until they are given back: without locks, another process that finishes the shot
        /// may take the name away.
        Descriptor found;
    };

    /// A checkpoint of each shot, all of one step.
    using Readers = std::vector<std::unique_ptr<CheckpointReader>>;

    [[nodiscard]] std::vector<Readers> common_checkpoints() const;
    [[nodiscard]] bool are_whole(const Readers& readers, const KeptShots& shots);
    void check_length(const CheckpointReader& reader, const KeptShots& shots, std::size_t slot) const;
    [[nodiscard]] bool has_frames(const CheckpointRecord& record, std::size_t slot);
    [[nodiscard]] bool is_time() const;
    template <typename Body>
    bool succeeds(const Body& body);
    void note_failure(const std::string& why);
    void write(KeptShots& shots);
    [[nodiscard]] bool may_copy_states() const;
    void keep_frames(std::size_t slot, std::int64_t step);
    [[nodiscard]] CheckpointRecord record_of(const KeptShots& shots, std::size_t slot) const;
    void give_names(std::vector<AtomicFile> files) const;
    [[nodiscard]] std::int64_t frames_until(std::int64_t step) const;

    CheckpointStore& store_;
    const Plan& plan_;
    Batch& batch_;
    BatchSnapshots* snapshots_ = nullptr;  ///< null: none are taken
    std::vector<Frames> frames_;           ///< by slot
    Readers found_;                        ///< by slot; empty: nothing was found
    Clock::time_point last_ = Clock::now();
    double cost_s_ = 0.;         ///< that steps waited for the last one
    bool has_given_up_ = false;  ///< for want of room on the disk
    /// By slot: states of a device with memory of its own, of which files are made while it steps. Kept for the next.
    std::vector<UnsetVector<char>> states_;
    std::future<void> writing_;
};

}  // namespace onda
