// A library to preload: calls that change files within a folder fail, as they do on disks that are full, broken, over a
// quota or read-only.
//   ONDA_FAIL_IN     the folder, which exists
//   ONDA_FAIL_NAME   only files count whose path contains it
//   ONDA_FAIL_AT     n, from 1: the n-th such call fails; with ONDA_FAIL_ON set, all later ones, too
//   ONDA_FAIL_WITH   ENOSPC, EDQUOT, EROFS, EINVAL or EIO, which it is without
//   ONDA_FAIL_CALL   write, sync, rename or open: only these count; all of them without; or read, of any file there
//   ONDA_FAIL_COUNT  a file that the number of such calls is written to when the process ends by exit()
//   ONDA_FAIL_WHERE  a file that the first call that fails, and its path, are written to
//   ONDA_DISK_BYTES  once so many bytes are written, all that write fails, with ENOSPC unless ONDA_FAIL_WITH is set
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

std::atomic<long> seen{0}, written{0};
std::atomic<bool> told{false};

const char* value_of(const char* name) {
    const char* value = getenv(name);
    return value != nullptr ? value : "";
}

int reason(const char* otherwise) {
    const char* with = value_of("ONDA_FAIL_WITH");
    if (*with == '\0') with = otherwise;
    if (strcmp(with, "ENOSPC") == 0) return ENOSPC;
    if (strcmp(with, "EDQUOT") == 0) return EDQUOT;
    if (strcmp(with, "EINVAL") == 0) return EINVAL;
    return strcmp(with, "EROFS") == 0 ? EROFS : EIO;
}

void put(const char* file, const char* text) {
    if (*file == '\0') return;
    const long id = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    syscall(SYS_write, id, text, strlen(text));
    syscall(SYS_close, id);
}

__attribute__((destructor)) void tell_count() {
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", seen.load());
    put(value_of("ONDA_FAIL_COUNT"), digits);
}

/// The path of an open file, or the folder of a name with the links in it followed.
struct Place {
    char path[PATH_MAX] = "";
    explicit Place(int id) {
        char link[40];
        snprintf(link, sizeof link, "/proc/self/fd/%d", id);
        const ssize_t size = readlink(link, path, sizeof path - 1);
        path[size < 0 ? 0 : size] = '\0';
    }
    explicit Place(const char* name) {
        char folder[PATH_MAX];
        snprintf(folder, sizeof folder, "%s", name);
        char* const slash = strrchr(folder, '/');
        if (slash == nullptr || slash == folder) return;
        *slash = '\0';
        char real[PATH_MAX];
        if (realpath(folder, real) != nullptr && strlen(real) + strlen(slash + 1) + 2 <= sizeof path) {
            strcpy(path, real);
            strcat(path, "/");
            strcat(path, slash + 1);
        }
    }
    [[nodiscard]] bool counts() const {
        char folder[PATH_MAX];
        if (path[0] == '\0' || realpath(value_of("ONDA_FAIL_IN"), folder) == nullptr) return false;
        const std::size_t size = strlen(folder);
        return strncmp(path, folder, size) == 0 && path[size] == '/' &&
               strstr(path, value_of("ONDA_FAIL_NAME")) != nullptr;
    }
};

bool refuse(const char* call, const Place& place, int error) {
    if (!told.exchange(true)) {
        char text[PATH_MAX + 16];
        snprintf(text, sizeof text, "%s %s", call, place.path);
        put(value_of("ONDA_FAIL_WHERE"), text);
    }
    errno = error;
    return true;
}

/// Counts a call. \returns whether it fails, with its reason in errno.
bool fails(const char* call, const Place& place) {
    const int before = errno;
    const char* only = value_of("ONDA_FAIL_CALL");
    const bool counts = (*only == '\0' || strcmp(only, call) == 0) && place.counts();
    errno = before;
    if (!counts) return false;
    const long n = ++seen, at = atol(value_of("ONDA_FAIL_AT"));
    const bool is_on = getenv("ONDA_FAIL_ON") != nullptr;
    if (at <= 0 || n < at || (n > at && !is_on)) return false;
    return refuse(call, place, reason("EIO"));
}

/// As many of the bytes as there is room for; -1 where there is none, with the reason in errno.
ssize_t room_for(const Place& place, std::size_t bytes) {
    const char* disk = value_of("ONDA_DISK_BYTES");
    if (*disk == '\0' || !place.counts()) return static_cast<ssize_t>(bytes);
    const long size = static_cast<long>(bytes), before = written.fetch_add(size), left = atol(disk) - before;
    if (left >= size) return size;
    if (left > 0) return left;
    refuse("write", place, reason("ENOSPC"));
    return -1;
}

template <typename Call>
ssize_t limited(int id, std::size_t bytes, const Call& call) {
    const Place place(id);
    if (fails("write", place)) return -1;
    const ssize_t room = room_for(place, bytes);
    return room < 0 ? -1 : call(static_cast<std::size_t>(room));
}

std::size_t sum(const iovec* pieces, int count) {
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
    return bytes;
}

/// Pieces are written as a whole or not at all.
template <typename Call>
ssize_t all_or_none(int id, const iovec* pieces, int count, const Call& call) {
    const std::size_t bytes = sum(pieces, count);
    return limited(id, bytes, [&](std::size_t room) -> ssize_t {
        if (room == bytes) return call();
        errno = reason("ENOSPC");
        return -1;
    });
}

/// Reads count where they are asked for alone.
bool fails_to_read(int id) {
    static const bool asked = strcmp(value_of("ONDA_FAIL_CALL"), "read") == 0;
    return asked && fails("read", Place(id));
}

bool changes(int flags) {
    return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
    if (changes(flags) && fails("open", Place(path))) return -1;
    return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

mode_t mode_of(int flags, va_list arguments) {
    return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

ssize_t write(int id, const void* bytes, size_t size) {
    return limited(id, size, [&](std::size_t room) { return syscall(SYS_write, id, bytes, room); });
}
ssize_t pwrite(int id, const void* bytes, size_t size, off_t at) {
    return limited(id, size, [&](std::size_t room) { return syscall(SYS_pwrite64, id, bytes, room, at); });
}
ssize_t pwrite64(int id, const void* bytes, size_t size, off64_t at) {
    return pwrite(id, bytes, size, at);
}
ssize_t writev(int id, const iovec* pieces, int count) {
    return all_or_none(id, pieces, count, [&] { return syscall(SYS_writev, id, pieces, count); });
}
ssize_t pwritev(int id, const iovec* pieces, int count, off_t at) {
    return all_or_none(id, pieces, count, [&] { return syscall(SYS_pwritev, id, pieces, count, at, 0); });
}
ssize_t pwritev64(int id, const iovec* pieces, int count, off64_t at) {
    return pwritev(id, pieces, count, at);
}
ssize_t sendfile(int to, int from, off_t* at, size_t size) {
    return limited(to, size, [&](std::size_t room) { return syscall(SYS_sendfile, to, from, at, room); });
}
ssize_t copy_file_range(int from, off64_t* at, int to, off64_t* to_at, size_t size, unsigned flags) {
    return limited(to, size,
                   [&](std::size_t room) { return syscall(SYS_copy_file_range, from, at, to, to_at, room, flags); });
}
ssize_t read(int id, void* bytes, size_t size) {
    return fails_to_read(id) ? -1 : syscall(SYS_read, id, bytes, size);
}
ssize_t pread(int id, void* bytes, size_t size, off_t at) {
    return fails_to_read(id) ? -1 : syscall(SYS_pread64, id, bytes, size, at);
}
ssize_t pread64(int id, void* bytes, size_t size, off64_t at) {
    return pread(id, bytes, size, at);
}
ssize_t readv(int id, const iovec* pieces, int count) {
    return fails_to_read(id) ? -1 : syscall(SYS_readv, id, pieces, count);
}
int ftruncate(int id, off_t size) {
    return fails("write", Place(id)) ? -1 : static_cast<int>(syscall(SYS_ftruncate, id, size));
}
int ftruncate64(int id, off64_t size) {
    return ftruncate(id, size);
}
int fallocate(int id, int mode, off_t at, off_t size) {
    return fails("write", Place(id)) ? -1 : static_cast<int>(syscall(SYS_fallocate, id, mode, at, size));
}
int fallocate64(int id, int mode, off64_t at, off64_t size) {
    return fallocate(id, mode, at, size);
}
int posix_fallocate(int id, off_t at, off_t size) {
    return fallocate(id, 0, at, size) == 0 ? 0 : errno;
}
int posix_fallocate64(int id, off64_t at, off64_t size) {
    return posix_fallocate(id, at, size);
}

int fsync(int id) {
    return fails("sync", Place(id)) ? -1 : static_cast<int>(syscall(SYS_fsync, id));
}
int fdatasync(int id) {
    return fails("sync", Place(id)) ? -1 : static_cast<int>(syscall(SYS_fdatasync, id));
}

int rename(const char* from, const char* to) {
    return fails("rename", Place(to)) ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    if (fails("rename", Place(to))) return -1;
    return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int link(const char* from, const char* to) {
    return fails("rename", Place(to)) ? -1 : static_cast<int>(syscall(SYS_link, from, to));
}

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_at(folder, path, flags, mode);
}

}  // extern "C"
