/// \file
/// Whether the files of finished shots are still what their shots left.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>

#include "solver/outputs/shot_files.hpp"
#include "solver/program/log.hpp"
#include "solver/shots/shot_table.hpp"

namespace onda {

/// Refuses the complete results in a folder if a file of a shot that they link to is missing or of another size, which
/// costs next to nothing. Nothing is touched, and need not be writable. \throws Error(bad_data) naming the first such
/// file, all shots that have one, and how to compute them again; Error(io_error).
void refuse_damaged_results(const std::filesystem::path& folder);

/// Holds the finished shots of a survey against their files and makes those whose files have gone, or are no longer
/// what the table says, shots that are not finished. Each is named in a warning.
///
/// Files are hashed once by a process at most, and those that it wrote itself not again: hashing reads what it hashes,
/// and surveys of terabytes are looked at in the time that the disk takes for up to 64 MiB of each file.
class ShotCheck {
public:
    /// \param table, files and log outlive the check.
    ShotCheck(ShotTable& table, const ShotFiles& files, Log& log) : table_(table), files_(files), log_(log) {}

    /// Looks at the sizes of all files. \returns how many shots are no longer finished, those included that another
    /// process sees to at the same time: as long as there are any, the survey is not over. \throws Error; Interrupted.
    std::size_t forget_lost();
    /// Looks at the contents of files that this process has neither written nor looked at before.
    /// \param anew those, too. \returns and throws as forget_lost().
    std::size_t forget_damaged(bool anew);

private:
    std::size_t forget(LookAt look, const std::set<std::size_t>& but);

    ShotTable& table_;
    const ShotFiles& files_;
    Log& log_;
    std::set<std::size_t> intact_;
};

}  // namespace onda
