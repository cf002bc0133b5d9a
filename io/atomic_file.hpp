/// \file
/// Files that are complete or absent: written under a temporary name, synced, then renamed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace onda {

/// Owns `<path>.partial-<pid>` until commit(); removes it if destroyed before.
class AtomicFile {
public:
    /// \throws Error(cannot_create) if the folder cannot be written, or the file exists and overwrite is false.
    AtomicFile(std::filesystem::path path, bool overwrite);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }
    /// fsync, rename, fsync of the folder. \throws Error(io_error), or Error(cannot_create) if the name was taken
    /// meanwhile and overwrite is false.
    void commit();

private:
    std::filesystem::path path_, temporary_;
    bool overwrite_ = false;
    bool committed_ = false;
};

/// \throws Error(cannot_create | io_error) naming the path and the bytes needed.
void write_text_file(const std::filesystem::path& path, std::string_view text, bool overwrite);

/// A long text, given to `put` piece by piece.
using TextSource = std::function<void(const std::function<void(std::string_view piece)>& put)>;
/// The same with a text that is never in memory as a whole. \throws Error(cannot_create | io_error) naming the path.
void write_text_file(const std::filesystem::path& path, const TextSource& text, bool overwrite);

}  // namespace onda
