/// \file
/// A shot between two of its time steps, as a file from which it goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"
#include "kernels/shot_state.hpp"

namespace onda {

/// Everything of a shot but its state and its snapshots.
struct CheckpointRecord {
    std::string identity;  ///< hash of what the survey follows from, whatever the length of its record
    std::int64_t shot = 1, step = 0;
    std::string step_name;                  ///< as people are told of it: "step 12 of 300"
    double largest_observed_pressure = 0.;  ///< ShotRecord's, so far
    std::int64_t frames = 0;                ///< snapshots so far; their values are in a file of their own
    std::string frames_hash;                ///< of these values
    std::int64_t samples = 0;               ///< of each trace so far, sample 0 included
    std::vector<float> traces{};            ///< [receiver][sample]
    std::string outputs{};                  ///< what outputs have taken, and what else a task keeps: KeptValues
    std::vector<StatePart> parts{};         ///< of the state, in the order of ShotState::visit()
    /// Hashes of what the steps so far follow from and the identity does not tell: KeptShots::follows_from().
    std::map<std::string, std::string> follows_from{};
    std::int64_t wavefields = 0;  ///< that pictures and the report have taken
};

/// The bytes of a part of a state; 0 for one that cannot be.
std::int64_t bytes_of(const StatePart& part);

/// Gives the state of a shot, piece by piece, in the order of ShotState::visit().
using StateSource = std::function<void(const std::function<void(std::string_view bytes)>& put)>;

/// The finished file, ready for its name: a header in JSON, the traces, what outputs have taken, the state, and XXH3 of
/// all of it. Numbers are those of this machine, little-endian. \throws Error(cannot_create | io_error).
AtomicFile stage_checkpoint(const std::filesystem::path& path, const CheckpointRecord& record,
                            const StateSource& put_state);

/// A checkpoint that is read.
class CheckpointReader {
public:
    enum class Extent { header, all };
    /// Reads what comes before the state, or of that the header alone, without traces and outputs. \throws
    /// Error(bad_data) for a file that is no checkpoint, or is shorter than it says; Error(io_error).
    explicit CheckpointReader(const std::filesystem::path& path, Extent extent = Extent::all);

    [[nodiscard]] const CheckpointRecord& record() const { return record_; }
    /// Reads all of it. \throws Error(bad_data) if a byte is not what was written; Error(io_error).
    void verify() const;
    /// Gives a shot its state. \throws Error(bad_data) if its parts are others; Error(io_error).
    void restore(ShotState& state, int slot) const;

    /// \throws Error(bad_data) that names the file.
    [[noreturn]] void fail(const std::string& what) const;

private:
    std::filesystem::path path_;
    Descriptor file_;
    std::int64_t bytes_, state_at_ = 0;
    CheckpointRecord record_;
};

/// "00012.checkpoint": the last one of a shot.
std::string checkpoint_name(std::int64_t shot);
/// "00012.checkpoint-before": the one before.
std::string earlier_checkpoint_name(std::int64_t shot);
/// "00012.frames": the values of the snapshots of a shot so far, one after the other.
std::string frames_name(std::int64_t shot);
/// Whether a file is a checkpoint, the last of a shot or the one before.
bool is_checkpoint(std::string_view name);
/// Whether a file is a checkpoint, or has the snapshots of one.
bool is_checkpoint_name(std::string_view name);

}  // namespace onda
