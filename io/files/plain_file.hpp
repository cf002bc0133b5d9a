/// \file
/// Opening files by names that others can put anything under: no link is followed, and nothing is waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "io/text/error.hpp"

namespace onda {

/// The exit code of a failed attempt to create, open or rename an output: cannot_create if the place or the name is at
/// fault, io_error if the disk, a quota or the system is. \param error of errno.
ExitCode creation_fault(int error);
/// Reports "<path>: <tried>: <the system's words>". \throws Error.
[[noreturn]] void throw_system_fault(ExitCode code, const std::filesystem::path& path, const std::string& tried,
                                     int error);

/// An open file that closes itself; close() is the checked form.
class Descriptor {
public:
    explicit Descriptor(int id = -1) : id_(id) {}
    Descriptor(Descriptor&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Descriptor();

    [[nodiscard]] int id() const { return id_; }
    [[nodiscard]] bool close();

private:
    int id_;
};

/// The kind of `path` itself, if it is something else than a plain file: "a symbolic link", "a folder", "a pipe", …
/// Empty for a plain file and where there is nothing.
std::string special_kind(const std::filesystem::path& path);
/// Opens a plain file with these flags of open(2), which may hold O_CREAT.
/// \throws Error(cannot_create) for anything that is not a plain file; Error(creation_fault()).
Descriptor open_plain_file(const std::filesystem::path& path, int flags);

/// Writes all of the text, also in several writes. \returns 0, or the errno of the write that failed.
int write_all(const Descriptor& file, std::string_view text);
/// Reads up to `bytes` from `offset` on; fewer at the end of the file. \returns 0, or the errno of the read that
/// failed.
int read_some(const Descriptor& file, std::int64_t offset, std::size_t bytes, std::string& text);
/// Up to `bytes` from `offset` on; fewer at the end of the file. \param path of the file, for errors. \throws
/// Error(io_error).
std::string read_piece(const Descriptor& file, const std::filesystem::path& path, std::int64_t offset,
                       std::int64_t bytes);
/// \param path of the file, for errors. \throws Error(io_error).
std::int64_t bytes_of_file(const Descriptor& file, const std::filesystem::path& path);

/// The folder nearest to `path` that exists and can be seen: itself or one above it.
std::filesystem::path nearest_existing(std::filesystem::path path);

}  // namespace onda
