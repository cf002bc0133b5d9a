#include "io/atomic_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "io/error.hpp"

namespace onda {
namespace {

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

[[noreturn]] void fail(ExitCode code, const std::filesystem::path& path, const std::string& tried, int error) {
    throw Error(code, path.string() + ": " + tried + ": " + std::strerror(error));
}

/// A descriptor that closes itself; close() is the checked form.
class Descriptor {
public:
    Descriptor(const std::filesystem::path& path, int flags) : id_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
    ~Descriptor() {
        if (id_ >= 0) ::close(id_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int id() const { return id_; }
    [[nodiscard]] bool close() { return ::close(std::exchange(id_, -1)) == 0; }

private:
    int id_;
};

void sync(const std::filesystem::path& path, int flags) {
    Descriptor file(path, flags);
    if (file.id() < 0) fail(ExitCode::io_error, path, "cannot open it to sync it to disk", errno);
    // EINVAL: a file system that has nothing to sync.
    if (::fsync(file.id()) != 0 && errno != EINVAL) fail(ExitCode::io_error, path, "cannot sync it to disk", errno);
}

void refuse_existing(const std::filesystem::path& path, bool overwrite) {
    std::error_code ignored;
    const auto status = std::filesystem::symlink_status(path, ignored);
    if (!std::filesystem::exists(status)) return;
    if (!overwrite)
        throw Error(ExitCode::cannot_create, path.string() +
                                                 ": exists already; --force overwrites it, or choose "
                                                 "another name");
    if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_symlink(status))
        throw Error(ExitCode::cannot_create, path.string() + ": exists and is not a plain file; choose another name");
}

/// Atomic without overwrite where the file system can (RENAME_NOREPLACE); a check just before where it cannot.
void rename_into_place(const std::filesystem::path& from, const std::filesystem::path& to, bool overwrite) {
    if (!overwrite) {
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
        const int error = errno;
        refuse_existing(to, false);
        if (error != EEXIST && error != EINVAL && error != ENOSYS)
            fail(ExitCode::io_error, to, "cannot give the file its name", error);
    }
    if (std::rename(from.c_str(), to.c_str()) != 0)
        fail(ExitCode::io_error, to, "cannot give the file its name", errno);
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, bool overwrite)
    : path_(std::move(path)), temporary_(path_), overwrite_(overwrite) {
    temporary_ += ".partial-" + std::to_string(::getpid());
    refuse_existing(path_, overwrite);
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);  // left by a killed process that had the same number
    Descriptor file(temporary_, O_CREAT | O_EXCL | O_WRONLY);
    if (file.id() < 0)
        fail(ExitCode::cannot_create, path_, "cannot create a file in folder " + folder_of(path_).string(), errno);
}

AtomicFile::~AtomicFile() {
    if (committed_) return;
    std::error_code ignored;
    // Gives the space back even while a library that failed to write still holds the file open.
    std::filesystem::resize_file(temporary_, 0, ignored);
    std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit() {
    sync(temporary_, O_RDONLY);
    rename_into_place(temporary_, path_, overwrite_);
    committed_ = true;
    sync(folder_of(path_), O_RDONLY | O_DIRECTORY);
}

namespace {

void write_all(const Descriptor& file, std::string_view text, const std::filesystem::path& path,
               const std::string& tried) {
    while (!text.empty()) {
        const auto written = ::write(file.id(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(ExitCode::io_error, path, tried, errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

void write_text_file(const std::filesystem::path& path, std::string_view text, bool overwrite) {
    AtomicFile target(path, overwrite);
    const std::string tried = "cannot write its " + std::to_string(text.size()) + " bytes";
    Descriptor file(target.temporary(), O_WRONLY);
    if (file.id() < 0) fail(ExitCode::io_error, path, tried, errno);
    write_all(file, text, path, tried);
    if (!file.close()) fail(ExitCode::io_error, path, tried, errno);
    target.commit();
}

void write_text_file(const std::filesystem::path& path, const TextSource& text, bool overwrite) {
    constexpr std::size_t buffered = 1 << 16;
    AtomicFile target(path, overwrite);
    const std::string tried = "cannot write it";
    Descriptor file(target.temporary(), O_WRONLY);
    if (file.id() < 0) fail(ExitCode::io_error, path, tried, errno);
    std::string buffer;
    text([&](std::string_view piece) {
        buffer += piece;
        if (buffer.size() < buffered) return;
        write_all(file, buffer, path, tried);
        buffer.clear();
    });
    write_all(file, buffer, path, tried);
    if (!file.close()) fail(ExitCode::io_error, path, tried, errno);
    target.commit();
}

}  // namespace onda
