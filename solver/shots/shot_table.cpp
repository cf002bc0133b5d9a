#include "solver/shots/shot_table.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "io/files/atomic_file.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/output.hpp"
#include "solver/program/hash.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

struct Column {
    std::string name;
    std::size_t width;
};

/// How lines are laid out: which columns there are follows from the output formats.
struct Columns {
    std::vector<Column> all{
        {"shot", 12}, {"seismograms_xxh3", 16}, {"wavefield_xxh3", 16}, {"largest_observed_pressure_pa", 28}};
    std::vector<const OutputFormat*> formats;  ///< two columns each, after the first four
    std::size_t line = 0;                      ///< characters of a line with its commas and its end
    std::size_t hashed = 0;                    ///< of what the hash at the end of a line is about: everything before it

    Columns() {
        constexpr std::size_t most_digits = 19, hash_digits = 16;
        const auto add = [this](std::string name, std::size_t least) {
            const std::size_t width = std::max(name.size(), least);
            all.push_back({std::move(name), width});
        };
        for (const OutputFormat* format : output_formats()) {
            if (!format->has_shot_files()) continue;
            formats.push_back(format);
            add(fmt::format("{}_file_bytes", format->column), most_digits);
            add(fmt::format("{}_file_xxh3", format->column), hash_digits);
        }
        add("line_xxh3", hash_digits);
        for (const Column& column : all) line += column.width + 1;
        hashed = line - all.back().width - 1;
    }
};

const Columns& columns() {
    static const Columns columns;
    return columns;
}

std::size_t line_bytes() {
    return columns().line;
}

constexpr std::size_t kFirstFile = 4;  ///< its column
using Cells = std::vector<std::string>;

Cells blank_cells() {
    return Cells(columns().all.size());
}

std::string line_of(const Cells& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
        line += fmt::format("{:>{}}{}", cells[i], columns().all[i].width, i + 1 < cells.size() ? ',' : '\n');
    return line;
}

Cells cells_of(std::string_view line) {
    Cells cells = blank_cells();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string_view cell = line.substr(0, columns().all[i].width);
        line.remove_prefix(cell.size() + 1);
        cell.remove_prefix(std::min(cell.find_first_not_of(' '), cell.size()));
        cells[i] = cell;
    }
    return cells;
}

std::string header() {
    Cells names;
    for (const Column& column : columns().all) names.push_back(column.name);
    return line_of(names);
}

std::string line_of(const ShotRecord& record) {
    Cells cells = blank_cells();
    cells[0] = std::to_string(record.shot);
    cells[1] = record.seismograms;
    cells[2] = record.wavefield;
    cells[3] = fmt::format("{:.17g}", record.largest_observed_pressure);
    for (std::size_t i = 0; i < record.files.size(); ++i) {
        if (record.files[i].name.empty()) continue;
        cells[kFirstFile + 2 * i] = std::to_string(record.files[i].bytes);
        cells[kFirstFile + 2 * i + 1] = record.files[i].hash;
    }
    std::string line = line_of(cells);
    cells.back() = hash_of(std::string_view(line).substr(0, columns().hashed));
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
    if (cells.back() != hash_of(line.substr(0, columns().hashed))) return {};
    ShotRecord record{number<std::int64_t>(cells[0]), cells[1], cells[2], number<double>(cells[3]), {}};
    for (std::size_t column = kFirstFile; const OutputFormat* format : columns().formats) {
        FileRecord& file = record.files.emplace_back();
        if (!cells[column].empty())
            file = {shot_file_name(*format, record.shot), number<std::int64_t>(cells[column]), cells[column + 1]};
        column += 2;
    }
    return record;
}

enum class Lock { taken, of_another, unknown_here };

/// Locks the bytes of a line, or of the header, or unlocks them.
Lock lock_line(const Descriptor& table, std::size_t line, short type) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(line * line_bytes());
    range.l_len = static_cast<off_t>(line_bytes());
    if (::fcntl(table.id(), F_OFD_SETLK, &range) == 0) return Lock::taken;
    return errno == EAGAIN || errno == EACCES ? Lock::of_another : Lock::unknown_here;
}

/// Unlocks a line when it goes.
struct LineUnlock {
    const Descriptor& table;
    std::size_t line;
    ~LineUnlock() { lock_line(table, line, F_UNLCK); }
};

}  // namespace

void ShotTable::create(const std::filesystem::path& file, const Shots& shots) {
    const TextSource text = [&shots](const auto& put) {
        put(header());
        Cells cells = blank_cells();
        for (std::size_t i = 0; i < shots.size(); ++i) {
            cells.front() = std::to_string(shots.id(i));
            put(line_of(cells));
        }
    };
    stage_text_file(file, text, true).commit();
}

std::int64_t ShotTable::bytes_of_shot() {
    return static_cast<std::int64_t>(line_bytes());
}

void ShotTable::add_memory(Allocations& list, std::int64_t shots) {
    // Measured: 200 bytes a shot for its line, which some 500 shots find among what the program holds anyway.
    constexpr std::int64_t of_shot = 200, shots_for_nothing = 500;
    list.add(host_row("records of shots and snapshots: lines of the table", held::survey,
                      std::max<std::int64_t>(0, shots - shots_for_nothing), of_shot));
}

ShotTable::ShotTable(const std::filesystem::path& file, Access access)
    : file_(file), size_(0), table_(open_plain_file(file, access == Access::read ? O_RDONLY : O_RDWR)) {
    std::string first;
    if (const int error = read_some(table_, 0, line_bytes(), first))
        throw_system_fault(ExitCode::io_error, file_, "cannot read it", error);
    const std::uintmax_t bytes = std::filesystem::file_size(file);
    if (first != header() || bytes % line_bytes() != 0)
        throw Error(ExitCode::bad_data,
                    shown(file) +
                        ": is not the table of a survey's shots as this version of Onda writes it; move it away, or "
                        "choose another folder with --output");
    size_ = bytes / line_bytes() - 1;
}

void ShotTable::check_against(const Shots& shots) const {
    const auto refuse = [this](const std::string& fault) {
        throw Error(ExitCode::bad_data, shown(file_) + ": " + fault +
                                            "\n  the table was changed by hand; restore it, or remove the folder with "
                                            "it to compute all shots again");
    };
    if (size_ != shots.size())
        refuse(fmt::format("it has lines for {} shots, but the survey has {}", size_, shots.size()));
    for_finished([&](std::size_t i, const ShotRecord& record) {
        if (record.shot != shots.id(i))
            refuse(fmt::format("line {}, column 1: shot {} in the place of shot {}", i + 2, record.shot, shots.id(i)));
    });
}

bool ShotTable::any_finished(const std::filesystem::path& file) {
    return std::filesystem::exists(file) && !ShotTable(file).all_finished().empty();
}

std::optional<ShotRecord> ShotTable::finished(std::size_t i) const {
    std::string line;
    if (const int error = read_some(table_, static_cast<std::int64_t>((i + 1) * line_bytes()), line_bytes(), line))
        throw_system_fault(ExitCode::io_error, file_, "cannot read it", error);
    if (line.size() != line_bytes()) return {};
    return record_of_line(line);
}

std::vector<ShotRecord> ShotTable::all_finished() const {
    std::vector<ShotRecord> records;
    for_finished([&records](std::size_t, ShotRecord& record) { records.push_back(std::move(record)); });
    return records;
}

void ShotTable::for_finished(const std::function<void(std::size_t i, ShotRecord& record)>& take) const {
    constexpr std::size_t together = 4096;
    std::string lines;
    for (std::size_t i = 0; i < size_; i += together) {
        const std::size_t count = std::min(together, size_ - i);
        if (const int error =
                read_some(table_, static_cast<std::int64_t>((i + 1) * line_bytes()), count * line_bytes(), lines))
            throw_system_fault(ExitCode::io_error, file_, "cannot read it", error);
        for (std::size_t line = 0; (line + 1) * line_bytes() <= lines.size(); ++line)
            if (auto record = record_of_line(std::string_view(lines).substr(line * line_bytes(), line_bytes())))
                take(i + line, *record);
    }
}

bool ShotTable::claim(std::size_t i) {
    const std::lock_guard lock(mutex_);
    if (claimed_.contains(i) || lock_line(table_, i + 1, F_WRLCK) == Lock::of_another) return false;
    // Looked at with the claim in hand: another process may have finished it a moment ago.
    if (!finished(i)) return claimed_.insert(i).second;
    lock_line(table_, i + 1, F_UNLCK);
    return false;
}

bool ShotTable::forget(std::size_t i, const ShotRecord& record, const std::function<bool()>& is_damaged) {
    const std::lock_guard lock(mutex_);
    if (lock_line(table_, i + 1, F_WRLCK) == Lock::of_another) return true;
    const LineUnlock unlock{table_, i + 1};
    const bool as_it_was = finished(i) == record;
    if (as_it_was && !is_damaged()) return false;
    Cells cells = blank_cells();
    cells.front() = std::to_string(record.shot);
    if (as_it_was) write_line(i, line_of(cells));
    finished_here_.erase(i);
    return true;
}

bool ShotTable::finished_here(std::size_t i) const {
    const std::lock_guard lock(mutex_);
    return finished_here_.contains(i);
}

bool ShotTable::claim_end() {
    const Lock lock = lock_line(table_, 0, F_WRLCK);
    if (lock == Lock::unknown_here && !end_)
        if (auto end = EndClaim::take(file_.parent_path())) end_.emplace(std::move(*end));
    return lock == Lock::taken || end_;
}

void ShotTable::renew_end() const {
    if (end_) end_->renew();
}

void ShotTable::give_end_up() {
    lock_line(table_, 0, F_UNLCK);
    end_.reset();
}

void ShotTable::write_line(std::size_t i, const std::string& line) {
    const ssize_t written = ::pwrite(table_.id(), line.data(), line.size(), static_cast<off_t>((i + 1) * line_bytes()));
    if (written == static_cast<ssize_t>(line.size())) return;
    throw_system_fault(ExitCode::io_error, file_, "cannot write what a shot left", written < 0 ? errno : ENOSPC);
}

/// Files and lines that a machine lost with its power are those of shots that are computed again: hashes tell.
void ShotTable::sync_in_background() {
    constexpr std::chrono::seconds pause{2};
    const auto now = std::chrono::steady_clock::now();
    if (now - synced_ < pause) return;
    if (syncing_.valid()) {
        if (syncing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
        syncing_.get();
    }
    synced_ = now;
    syncing_ = std::async(std::launch::async, [this, names = std::exchange(unsynced_, {})] { sync(names); });
}

void ShotTable::sync(const std::vector<std::string>& names) const {
    const std::filesystem::path folder = file_.parent_path();
    std::error_code gone;  // another process may end the survey meanwhile
    for (const std::string& name : names)
        if (std::filesystem::exists(folder / name, gone)) sync_file(folder / name);
    if (std::filesystem::exists(folder, gone)) sync_folder(folder);
    if (::fdatasync(table_.id()) != 0 && errno != EINVAL)
        throw_system_fault(ExitCode::io_error, file_, "cannot write what shots left", errno);
}

void ShotTable::sync() {
    const std::lock_guard lock(mutex_);
    if (syncing_.valid()) syncing_.get();
    if (!unsynced_.empty()) sync(std::exchange(unsynced_, {}));
}

void ShotTable::finish(const std::vector<std::pair<std::size_t, ShotRecord>>& shots) {
    for (const auto& [i, record] : shots) write_line(i, line_of(record));
    const std::lock_guard lock(mutex_);
    for (const auto& [i, record] : shots)
        for (const FileRecord& file : record.files)
            if (!file.name.empty()) unsynced_.push_back(file.name);
    sync_in_background();
    for (const auto& [i, record] : shots) {
        lock_line(table_, i + 1, F_UNLCK);
        claimed_.erase(i);
        finished_here_.insert(i);
    }
}

}  // namespace onda
