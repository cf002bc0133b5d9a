/// \file
/// The table of a survey's shots on disk: which of them are finished, what they gave, and which are being computed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/files/plain_file.hpp"
#include "kernels/plan/allocations.hpp"
#include "solver/shots/end_claim.hpp"
#include "solver/shots/shot_ledger.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// A CSV file with a line for each shot, all of one length: every shot has its place in the file, and processes that
/// share a survey fill in different ones. The line of a shot that is not finished is blank but for its number. A line
/// ends with a hash of itself, so that one which a killed program left half written is none.
///
/// A claim is a lock of the bytes of a line. It ends with the process that has it, however that ends. On file systems
/// without locks every claim of a shot succeeds: two processes may then compute the same one, which gives the same
/// bytes twice. Only one of them ends the survey (EndClaim).
class ShotTable : public ShotLedger {
public:
    enum class Access { write, read };  ///< tables of complete surveys may lie where nothing can be written
    /// Opens a table that create() made. \throws Error(io_error); Error(bad_data) if it is none.
    explicit ShotTable(const std::filesystem::path& file, Access access = Access::write);
    /// Whether a shot is finished in the table of this name, if there is one. \throws Error(io_error).
    [[nodiscard]] static bool any_finished(const std::filesystem::path& file);
    /// A table in which nothing is finished. \throws Error(cannot_create | io_error).
    static void create(const std::filesystem::path& file, const Shots& shots);

    /// That the lines are those of a survey's shots, in their order. \throws Error(bad_data) naming the line that is
    /// not, such as a copy of another one.
    void check_against(const Shots& shots) const;

    /// Bytes that a shot takes in a table.
    [[nodiscard]] static std::int64_t bytes_of_shot();
    /// Adds the row of what a table and its shots take of the host's memory.
    static void add_memory(Allocations& list, std::int64_t shots);
    [[nodiscard]] std::size_t size() const { return size_; }
    /// What shot `i`, from 0, has left, or nothing. \throws Error(io_error).
    [[nodiscard]] std::optional<ShotRecord> finished(std::size_t i) const;
    [[nodiscard]] bool is_finished(std::size_t i) const override { return finished(i).has_value(); }
    /// The records of all finished shots, read in one pass. \throws Error(io_error).
    [[nodiscard]] std::vector<ShotRecord> all_finished() const;

    [[nodiscard]] bool claim(std::size_t i) override;
    /// Makes a finished shot one that is not, unless another process has repaired it: shots that are computed again
    /// leave the same record. \param record what it left; if that has changed, another process has seen to it, and
    /// nothing happens. \param is_damaged looks at the files of the record while no other process can change them.
    /// \returns false if the record stands and its files are whole; true also where another process has the line just
    /// now, so that nothing could be done. \throws Error(io_error); what is_damaged() throws.
    [[nodiscard]] bool forget(std::size_t i, const ShotRecord& record, const std::function<bool()>& is_damaged);
    /// Whether this object has finished shot `i`.
    [[nodiscard]] bool finished_here(std::size_t i) const;
    /// Claims the end of the survey. \returns whether this process has it. \throws Error(cannot_create | io_error).
    [[nodiscard]] bool claim_end();
    /// Keeps others from taking the end of the survey over from this process. To be called while it is at work on it;
    /// by several threads at once if need be.
    void renew_end() const;
    /// Leaves the end of the survey to whoever finishes its last shot.
    void give_end_up();
    /// Syncs files of shots, their names and the lines in the background, every other second.
    void finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) override;
    /// Syncs what this object has finished and not synced yet. \throws Error(io_error).
    void sync();

private:
    /// Calls take(i, record) for each finished shot, in one pass. \throws Error(io_error); what take() throws.
    void for_finished(const std::function<void(std::size_t i, ShotRecord& record)>& take) const;
    void write_line(std::size_t i, const std::string& line);
    void sync_in_background();
    void sync(const std::vector<std::string>& names) const;

    std::filesystem::path file_;
    std::size_t size_;
    Descriptor table_;
    mutable std::mutex mutex_;
    std::set<std::size_t> claimed_;  ///< by this process, to which its own locks are no obstacle
    std::set<std::size_t> finished_here_;
    std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
    std::vector<std::string> unsynced_;  ///< files
    std::optional<EndClaim> end_;        ///< where there are no locks
    std::future<void> syncing_;          ///< last: it ends before what it uses goes
};

}  // namespace onda
