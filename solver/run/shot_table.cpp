#include "solver/run/shot_table.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <numeric>
#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include "io/files/atomic_file.hpp"
#include "io/text/printable.hpp"
#include "solver/program/hash.hpp"

namespace onda {
namespace {

struct Column {
    std::string_view name;
    int width;
};
constexpr std::array<Column, 9> kColumns{{{"shot", 12},
                                          {"seismograms_xxh3", 16},
                                          {"wavefield_xxh3", 16},
                                          {"max_abs_pressure_pa", 24},
                                          {"seismogram_file_bytes", 21},
                                          {"seismogram_file_xxh3", 20},
                                          {"snapshot_file_bytes", 19},
                                          {"snapshot_file_xxh3", 18},
                                          {"line_xxh3", 16}}};
using Cells = std::array<std::string, kColumns.size()>;
/// Of a line with its commas and its end.
constexpr std::size_t kLine = [] {
    std::size_t length = kColumns.size();
    for (const Column& column : kColumns) length += static_cast<std::size_t>(column.width);
    return length;
}();
/// Of what the hash at the end of a line is about: everything before it.
constexpr std::size_t kHashed = kLine - static_cast<std::size_t>(kColumns.back().width) - 1;

std::string line_of(const Cells& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += fmt::format("{:>{}}{}", cells[i], kColumns[i].width, i + 1 < cells.size() ? ',' : '\n');
    return line;
}

Cells cells_of(std::string_view line) {
    Cells cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string_view cell = line.substr(0, static_cast<std::size_t>(kColumns[i].width));
        line.remove_prefix(cell.size() + 1);
        cell.remove_prefix(std::min(cell.find_first_not_of(' '), cell.size()));
        cells[i] = cell;
    }
    return cells;
}

std::string header() {
    Cells names;
    std::ranges::transform(kColumns, names.begin(), [](const Column& column) { return std::string(column.name); });
    return line_of(names);
}

std::string line_of(const ShotRecord& record) {
    Cells cells{std::to_string(record.shot), record.seismograms, record.wavefield,
                fmt::format("{:.17g}", record.max_abs_pressure)};
    const auto put_file = [&cells](const FileRecord& file, std::size_t column) {
        if (file.name.empty()) return;
        cells[column] = std::to_string(file.bytes);
        cells[column + 1] = file.hash;
    };
    put_file(record.seismogram_file, 4);
    put_file(record.snapshot_file, 6);
    std::string line = line_of(cells);
    cells.back() = hash_of(std::string_view(line).substr(0, kHashed));
    return line_of(cells);
}

template <typename T>
T number(std::string_view cell) {
    T value{};
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
}

/// The record of a line, or nothing if the line is blank or not whole.
std::optional<ShotRecord> record_of_line(std::string_view line) {
    const Cells cells = cells_of(line);
    if (cells.back() != hash_of(line.substr(0, kHashed))) return {};
    ShotRecord record{number<std::int64_t>(cells[0]), cells[1], cells[2], number<double>(cells[3]), {}, {}};
    if (!cells[4].empty())
        record.seismogram_file = {seismogram_file_name(record.shot), number<std::int64_t>(cells[4]), cells[5]};
    if (!cells[6].empty())
        record.snapshot_file = {snapshot_file_name(record.shot), number<std::int64_t>(cells[6]), cells[7]};
    return record;
}

/// Locks the bytes of a line, or of the header. \returns whether nobody else has them.
bool lock_line(const Descriptor& table, std::size_t line, short type) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(line * kLine);
    range.l_len = static_cast<off_t>(kLine);
    return ::fcntl(table.id(), F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

}  // namespace

std::string seismogram_file_name(std::int64_t shot) {
    return fmt::format("{:05}.seismograms.h5", shot);
}
std::string snapshot_file_name(std::int64_t shot) {
    return fmt::format("{:05}.snapshots.h5", shot);
}

void ShotTable::create(const std::filesystem::path& file, const Shots& shots) {
    const TextSource text = [&shots](const auto& put) {
        put(header());
        Cells cells;
        for (std::size_t i = 0; i < shots.size(); ++i) {
            cells.front() = std::to_string(shots.id(i));
            put(line_of(cells));
        }
    };
    stage_text_file(file, text, true).commit();
}

ShotTable::ShotTable(const std::filesystem::path& file) : file_(file), size_(0), table_(open_plain_file(file, O_RDWR)) {
    std::string first;
    if (const int error = read_some(table_, 0, kLine, first))
        throw_system_fault(ExitCode::io_error, file_, "cannot read it", error);
    const std::uintmax_t bytes = std::filesystem::file_size(file);
    if (first != header() || bytes % kLine != 0)
        throw Error(ExitCode::bad_data, shown(file) + ": is not the table of a survey's shots");
    size_ = bytes / kLine - 1;
}

bool ShotTable::any_finished(const std::filesystem::path& file) {
    return std::filesystem::exists(file) && !ShotTable(file).all_finished().empty();
}

std::optional<ShotRecord> ShotTable::finished(std::size_t i) const {
    std::string line;
    if (const int error = read_some(table_, static_cast<std::int64_t>((i + 1) * kLine), kLine, line))
        throw_system_fault(ExitCode::io_error, file_, "cannot read it", error);
    if (line.size() != kLine) return {};
    return record_of_line(line);
}

std::vector<ShotRecord> ShotTable::all_finished() const {
    constexpr std::size_t together = 4096;
    std::vector<ShotRecord> records;
    std::string lines;
    for (std::size_t i = 0; i < size_; i += together) {
        const std::size_t count = std::min(together, size_ - i);
        if (const int error = read_some(table_, static_cast<std::int64_t>((i + 1) * kLine), count * kLine, lines))
            throw_system_fault(ExitCode::io_error, file_, "cannot read it", error);
        for (std::size_t line = 0; (line + 1) * kLine <= lines.size(); ++line)
            if (auto record = record_of_line(std::string_view(lines).substr(line * kLine, kLine)))
                records.push_back(std::move(*record));
    }
    return records;
}

bool ShotTable::claim(std::size_t i) {
    const std::lock_guard lock(mutex_);
    if (claimed_.contains(i) || !lock_line(table_, i + 1, F_WRLCK)) return false;
    // Looked at with the claim in hand: another process may have finished it a moment ago.
    if (!finished(i)) return claimed_.insert(i).second;
    lock_line(table_, i + 1, F_UNLCK);
    return false;
}

bool ShotTable::forget(std::size_t i) {
    if (!lock_line(table_, i + 1, F_WRLCK)) return false;
    Cells cells;
    cells.front() = std::to_string(finished(i).value_or(ShotRecord{}).shot);
    write_line(i, line_of(cells));
    lock_line(table_, i + 1, F_UNLCK);
    return true;
}

bool ShotTable::claim_end() {
    return lock_line(table_, 0, F_WRLCK);
}

void ShotTable::write_line(std::size_t i, const std::string& line) {
    const ssize_t written = ::pwrite(table_.id(), line.data(), line.size(), static_cast<off_t>((i + 1) * kLine));
    if (written == static_cast<ssize_t>(line.size())) return;
    throw_system_fault(ExitCode::io_error, file_, "cannot write what a shot left", written < 0 ? errno : ENOSPC);
}

void ShotTable::finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) {
    for (const auto& [i, record] : shots) write_line(i, line_of(record));
    if (::fdatasync(table_.id()) != 0 && errno != EINVAL)
        throw_system_fault(ExitCode::io_error, file_, "cannot write what shots left", errno);
    const std::lock_guard lock(mutex_);
    for (const auto& [i, record] : shots) {
        lock_line(table_, i + 1, F_UNLCK);
        claimed_.erase(i);
    }
}

}  // namespace onda
