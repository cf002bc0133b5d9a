#include "io/files/plain_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/text/printable.hpp"

namespace onda {

ExitCode creation_fault(int error) {
    switch (error) {
        case EACCES:
        case EBUSY:
        case EEXIST:
        case EINVAL:
        case EISDIR:
        case ELOOP:
        case EMLINK:
        case ENAMETOOLONG:
        case ENODEV:
        case ENOENT:
        case ENOTDIR:
        case ENOTEMPTY:
        case ENXIO:
        case EOPNOTSUPP:
        case EPERM:
        case EROFS:
        case ETXTBSY:
        case EXDEV: return ExitCode::cannot_create;
        default: return ExitCode::io_error;
    }
}

void throw_system_fault(ExitCode code, const std::filesystem::path& path, const std::string& tried, int error) {
    throw Error(code, shown(path) + ": " + tried + ": " + std::strerror(error));
}

Descriptor::~Descriptor() {
    if (id_ >= 0) ::close(id_);
}

bool Descriptor::close() {
    return ::close(std::exchange(id_, -1)) == 0;
}

namespace {

std::string kind_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFREG: return "";
        case S_IFLNK: return "a symbolic link";
        case S_IFDIR: return "a folder";
        case S_IFIFO: return "a pipe";
        case S_IFSOCK: return "a socket";
        default: return "a device";
    }
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& kind) {
    throw Error(ExitCode::cannot_create, shown(path) + ": is " + kind + ", not a plain file; choose another name");
}

}  // namespace

std::string special_kind(const std::filesystem::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? kind_of(status.st_mode) : "";
}

Descriptor open_plain_file(const std::filesystem::path& path, int flags) {
    // Looked at before it is opened, for opening alone can make a device do something; and after, for names can change.
    if (const std::string kind = special_kind(path); !kind.empty()) refuse(path, kind);
    Descriptor file(::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (file.id() < 0) throw_system_fault(creation_fault(errno), path, "cannot open it", errno);
    struct stat status {};
    if (::fstat(file.id(), &status) != 0) throw_system_fault(ExitCode::io_error, path, "cannot look at it", errno);
    if (const std::string kind = kind_of(status.st_mode); !kind.empty()) refuse(path, kind);
    return file;
}

int write_all(const Descriptor& file, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(file.id(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

int read_some(const Descriptor& file, std::int64_t offset, std::size_t bytes, std::string& text) {
    text.resize(bytes);
    std::size_t filled = 0;
    while (filled < bytes) {
        const auto got = ::pread(file.id(), text.data() + filled, bytes - filled, offset + static_cast<off_t>(filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    text.resize(filled);
    return 0;
}

std::string read_piece(const Descriptor& file, const std::filesystem::path& path, std::int64_t offset,
                       std::int64_t bytes) {
    std::string text;
    if (const int error = read_some(file, offset, static_cast<std::size_t>(bytes), text))
        throw_system_fault(ExitCode::io_error, path, "cannot read it", error);
    return text;
}

std::int64_t bytes_of_file(const Descriptor& file, const std::filesystem::path& path) {
    struct stat status {};
    if (::fstat(file.id(), &status) != 0) throw_system_fault(ExitCode::io_error, path, "cannot look at it", errno);
    return status.st_size;
}

std::filesystem::path nearest_existing(std::filesystem::path path) {
    std::error_code unseen;
    path = std::filesystem::absolute(path).lexically_normal();
    while (!std::filesystem::exists(path, unseen) && path.has_relative_path()) path = path.parent_path();
    return path;
}

}  // namespace onda
