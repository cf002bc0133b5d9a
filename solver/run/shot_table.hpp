/// \file
/// The table of a survey's shots on disk: which of them are finished, what they gave, and which are being computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/files/plain_file.hpp"
#include "solver/run/shot_ledger.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// A CSV file with a line for each shot, all of one length: every shot has its place in the file, and processes that
/// share a survey fill in different ones. The line of a shot that is not finished is blank but for its number. A line
/// ends with a hash of itself, so that one which a killed program left half written is none.
///
/// A claim is a lock of the bytes of a line. It ends with the process that has it, however that ends. On file systems
/// without locks every claim succeeds: two processes may then compute the same shot, which gives the same bytes twice.
class ShotTable : public ShotLedger {
public:
    /// Opens a table that create() made. \throws Error(io_error); Error(bad_data) if it is none.
    explicit ShotTable(const std::filesystem::path& file);
    /// Whether a shot is finished in the table of this name, if there is one. \throws Error(io_error).
    [[nodiscard]] static bool any_finished(const std::filesystem::path& file);
    /// A table in which nothing is finished. \throws Error(cannot_create | io_error).
    static void create(const std::filesystem::path& file, const Shots& shots);

    /// Bytes that a shot takes in a table.
    [[nodiscard]] static std::int64_t bytes_of_shot();
    [[nodiscard]] std::size_t size() const { return size_; }
    /// What shot `i`, from 0, has left, or nothing. \throws Error(io_error).
    [[nodiscard]] std::optional<ShotRecord> finished(std::size_t i) const;
    [[nodiscard]] bool is_finished(std::size_t i) const override { return finished(i).has_value(); }
    /// Those of all shots that are finished, in one pass. \throws Error(io_error).
    [[nodiscard]] std::vector<ShotRecord> all_finished() const;

    [[nodiscard]] bool claim(std::size_t i) override;
    /// Makes a finished shot one that is not. \returns false if another process has claimed it. \throws
    /// Error(io_error).
    bool forget(std::size_t i);
    /// Whether it is this process' to finish the survey.
    [[nodiscard]] bool claim_end();
    /// Makes the names of the files in the table's folder last first: those of the shots.
    void finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) override;

private:
    void write_line(std::size_t i, const std::string& line);

    std::filesystem::path file_;
    std::size_t size_;
    Descriptor table_;
    std::mutex mutex_;
    std::set<std::size_t> claimed_;  ///< by this process, to which its own locks are no obstacle
};

}  // namespace onda
