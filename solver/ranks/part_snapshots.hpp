/// \file
/// Snapshots of a grid that processes share: each member writes the planes of its slabs, on a thread of its own while
/// later steps run. They come to the leader for checkpoints alone.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "io/results/snapshots.hpp"
#include "solver/program/file_record.hpp"
#include "solver/propagation/snapshot_queue.hpp"
#include "solver/ranks/member.hpp"
#include "solver/ranks/wanted_part.hpp"

namespace onda {

/// The parts that the members write of a batch, as the leader orders them, on the thread that uses the team.
class TeamSnapshots {
public:
    explicit TeamSnapshots(Team& team) : team_(team) {}

    /// Lets a member make the file of a part. \param slot of the shot in its batch. \throws Error: what the member met.
    void begin(int slot, const WantedPart& part);
    /// Lets the members take p[n] as it is now, while `meanwhile` does so here. \throws Error: what a member met, also
    /// in writing those before; what `meanwhile` throws.
    void take(double time_s, const std::function<void()>& meanwhile);
    /// Waits until the members have written what they have taken. \throws Error: what a member met in that.
    void settle() const;
    /// The values of a snapshot that a member has taken, counted from 0. \throws Error: what the member met, also in
    /// writing it.
    [[nodiscard]] std::vector<float> read(int member, int slot, std::int64_t i) const;
    /// Gives a member the values of a snapshot that another run has taken. \throws Error: what the member met.
    void give_back(int member, int slot, double time_s, std::span<const float> values) const;
    /// Lets the members end what they have begun, while `meanwhile` does so here. \returns the files by slot; they have
    /// their names. \throws as take().
    std::map<int, std::vector<FileRecord>> finish(const std::function<void()>& meanwhile);

private:
    /// The answers of all members, once all have answered: an answer left behind would be taken for that to a later
    /// order.
    [[nodiscard]] std::vector<Incoming> answers(const std::function<void()>& meanwhile) const;

    Team& team_;
    std::map<int, Member> members_;  ///< that have parts, by number
};

/// The parts that this process writes, as a member.
class ServedSnapshots {
public:
    /// \throws Error(cannot_create | io_error).
    void begin(Incoming& order);
    /// Starts the downloads of p[n] for every part that was begun. \throws what writing those before met.
    void take(Wavefield& wavefield, double time_s);
    /// Waits until what was taken is written. \throws as take().
    void settle() { queue_->drain(); }
    /// Answers with the values of a snapshot that has been taken, once it is written. \throws as take().
    void read(Incoming& order, Outgoing& reply);
    /// Writes a snapshot that another run has taken. \throws Error(io_error | unstable).
    void give_back(Incoming& order);
    /// Waits until all is written, and gives the files their names. \throws Error(io_error | unstable).
    void finish(Outgoing& reply);

private:
    struct Part {
        explicit Part(const WantedPart& wanted)
            : file(wanted.file), window(wanted.window), writer(file, wanted.geometry, wanted.provenance, true) {
            writer.begin_shot(wanted.shot, wanted.frames);
        }
        std::filesystem::path file;
        Window window;
        SnapshotWriter writer;
    };
    std::map<int, Part> parts_;           ///< by the slot of the shot
    std::optional<SnapshotQueue> queue_;  ///< last: it ends before what it writes to goes
};

}  // namespace onda
