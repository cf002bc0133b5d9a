/// \file
/// Size and hash of a file, by which it is known again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "io/files/atomic_file.hpp"

namespace onda {

/// A file as a summary lists it.
struct FileRecord {
    std::string name;
    std::int64_t bytes = 0;
    std::string hash;  ///< empty for the log, which grows, and the summary, which has a hash of its own

    bool operator==(const FileRecord&) const = default;
};

/// The bytes of the largest files whose hash is of all of them.
inline constexpr std::int64_t kHashedWhole = std::int64_t{64} << 20;

/// The size and hash of the file at `path`: of all of it up to 64 MiB (what xxhsum -H3 says), beyond that of 16 pieces
/// of one MiB, spread evenly from the first to the last byte. \throws Error(cannot_create) if it is no plain file;
/// Error(io_error).
FileRecord record_of(const std::filesystem::path& path, std::string name);

/// The size and hash of a finished file, which gets its name. \throws Error(io_error | cannot_create).
FileRecord give_name(AtomicFile file);

}  // namespace onda
