/// \file
/// Files that are complete or absent: written under a temporary name, synced, then renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace onda {

/// A file under a temporary name: owns `<path>.partial-<boot>-<random>`, eight hexadecimal digits each, until rename()
/// or commit(); removed if destroyed before, and by signals once signals are watched (io/files/interruption.hpp).
///
/// The temporary file is locked as long as this lives. A file of such a name that can be locked belongs to nobody any
/// more: see remove_abandoned_files().
class AtomicFile {
public:
    /// Removes what killed programs left of the same file first, unless that is seen to:
    /// take_care_of_abandoned_files(). \throws Error(cannot_create) if the folder cannot be written, the file exists
    /// and overwrite is false, or the name is that of anything but a plain file; Error(io_error) if the disk is full.
    AtomicFile(std::filesystem::path path, bool overwrite);
    /// A finished file that is a second name of the plain file `existing`, which stays; a copy of it where the file
    /// system has no second names. \throws as the constructor; Error(io_error).
    static AtomicFile of(const std::filesystem::path& existing, std::filesystem::path path, bool overwrite);
    ~AtomicFile();
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;

    [[nodiscard]] const std::filesystem::path& path() const;
    [[nodiscard]] const std::filesystem::path& temporary() const;
    /// Syncs the file, but for small ones while there are UnsyncedFiles; nothing is written after it. A file that has
    /// been synced is not synced again. \throws Error(io_error).
    void finish();
    /// Gives a finished file its name; the folder is not synced. \throws Error(io_error), or Error(cannot_create) if
    /// the name was taken meanwhile and overwrite is false, or is that of no plain file.
    void rename();
    /// Makes the file and its name last: finish(), rename(), sync_folder().
    void commit();

private:
    AtomicFile();
    struct State;
    std::unique_ptr<State> state_;
};

/// As long as this lives, files that this thread finishes are not synced up to a size: a hash is kept elsewhere that
/// proves them, and tells those that a machine which lost its power did not write.
class UnsyncedFiles {
public:
    static constexpr std::int64_t kNone = -1;
    /// \param most_bytes of a file; kNone: all are synced.
    explicit UnsyncedFiles(std::int64_t most_bytes);
    ~UnsyncedFiles();
    UnsyncedFiles(const UnsyncedFiles&) = delete;
    UnsyncedFiles& operator=(const UnsyncedFiles&) = delete;

private:
    std::int64_t before_;
};
/// Syncs a file. \throws Error(io_error).
void sync_file(const std::filesystem::path& path);
/// Makes renames in the folder last. \throws Error(io_error).
void sync_folder(const std::filesystem::path& folder);

/// A finished file that holds the text. \throws Error(cannot_create | io_error) naming the path and the bytes needed.
AtomicFile stage_text_file(const std::filesystem::path& path, std::string_view text, bool overwrite);
/// Writes a file that holds the text, and gives it its name.
void write_text_file(const std::filesystem::path& path, std::string_view text, bool overwrite);

/// A long text, given to `put` piece by piece.
using TextSource = std::function<void(const std::function<void(std::string_view piece)>& put)>;
/// A finished file that holds a text which is never in memory as a whole.
AtomicFile stage_text_file(const std::filesystem::path& path, const TextSource& text, bool overwrite);

/// Tells this start of this machine from all others: eight hexadecimal digits.
std::string boot_tag();
/// A temporary name for `path` that nobody else has: "<path>.partial-<boot>-<random>".
std::filesystem::path temporary_path(const std::filesystem::path& path);
/// The final name of a temporary one: "a.h5" of "a.h5.partial-0123abcd-4567cdef"; nothing for other names.
std::optional<std::string_view> final_name_of(std::string_view temporary_name);
/// Tells that whoever calls this sees to the temporary files that killed programs leave in a folder. An AtomicFile
/// there then does not look for those of its name: in a folder of thousands of files each would read all names.
void take_care_of_abandoned_files(const std::filesystem::path& folder);
/// Removes temporary files in `folder` whose final name is `wanted` and which no living program owns: those that can be
/// locked, and were made since this machine was started or lie on a disk of its own. Where locks do not work, and for
/// network file systems that another machine wrote to, files stay. Errors are ignored.
void remove_abandoned_files(const std::filesystem::path& folder,
                            const std::function<bool(std::string_view final_name)>& wanted);

}  // namespace onda
