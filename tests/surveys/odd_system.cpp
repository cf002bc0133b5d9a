// A library to preload: a system without file locks, one that kills the program at one of its changes to folders, one
// whose clock jumps, or one that sees late what others make.
//   ONDA_NO_LOCKS   set: flock() and the locks of fcntl() fail with ENOLCK
//   ONDA_KILL_AT    n, from 1: SIGKILL in the place of the n-th call that gives, changes or removes a name
//   ONDA_CLOCK_JUMPS set: the time of day leaps 400 days ahead and back from one look at it to the next
//   ONDA_LATE_MS    a name that was not there is not there for so long, as network file systems remember it, unless
//                   this process makes it
//   ONDA_KILL_COUNT a file that the number of such calls is written to when the process ends by exit()
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<long> seen{0};

bool has_no_locks() {
    return getenv("ONDA_NO_LOCKS") != nullptr;
}

void count_call() {
    const char* at = getenv("ONDA_KILL_AT");
    const long n = ++seen;
    if (at != nullptr && n == atol(at)) kill(getpid(), SIGKILL);
}

__attribute__((destructor)) void tell_count() {
    const char* file = getenv("ONDA_KILL_COUNT");
    if (file == nullptr) return;
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%ld", seen.load());
    const int id = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (write(id, digits, static_cast<std::size_t>(size)) != size) _exit(1);
    close(id);
}

/// Names that were looked for and not there, and until when they are not.
class MissedNames {
public:
    [[nodiscard]] bool has(const char* path) {
        const std::lock_guard lock(mutex_);
        const auto found = until_.find(path);
        return found != until_.end() && now_ms() < found->second;
    }
    /// Notes what a call has met.
    int note(const char* path, int result) {
        if (result >= 0 || errno != ENOENT) return result;
        static const long late_ms = getenv("ONDA_LATE_MS") != nullptr ? atol(getenv("ONDA_LATE_MS")) : 0;
        if (late_ms == 0 || path[0] != '/') return result;
        const std::lock_guard lock(mutex_);
        until_.emplace(path, 0).first->second = now_ms() + late_ms;
        errno = ENOENT;
        return result;
    }
    /// Of a call that makes a name. One that finds it there makes it seen, too.
    int made(const char* path, int result) {
        if (result < 0 && errno != EEXIST) return result;
        const std::lock_guard lock(mutex_);
        until_.erase(path);
        return result;
    }

private:
    static long now_ms() {
        timespec now{};
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
    }
    std::mutex mutex_;
    std::map<std::string, long> until_;
};

MissedNames& missed() {
    static auto* const names = new MissedNames;  // for calls at the end of the process, too
    return *names;
}

/// \param call looks for a path, and fails as the system's does.
template <typename Call>
int looked_for(const char* path, const Call& call) {
    if (path == nullptr || !missed().has(path)) return path == nullptr ? call() : missed().note(path, call());
    errno = ENOENT;
    return -1;
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
    const auto call = [&] { return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode)); };
    return (flags & O_CREAT) != 0 ? missed().made(path, call()) : looked_for(path, call);
}

int status_of(const char* path, struct stat* status, int flags) {
    return looked_for(path, [&] { return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, status, flags)); });
}

std::time_t leap_s() {
    static const bool jumps = getenv("ONDA_CLOCK_JUMPS") != nullptr;
    static std::atomic<long> looks{0};
    constexpr std::time_t leap = 400L * 24 * 3600;
    return jumps ? (looks++ % 3 - 1) * leap : 0;
}

bool is_lock(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

int control(int id, int command, void* argument) {
    if (is_lock(command) && has_no_locks()) {
        errno = ENOLCK;
        return -1;
    }
    return static_cast<int>(syscall(SYS_fcntl, id, command, argument));
}

}  // namespace

extern "C" {

int flock(int id, int operation) {
    if (has_no_locks() && (operation & LOCK_UN) == 0) {
        errno = ENOLCK;
        return -1;
    }
    return static_cast<int>(syscall(SYS_flock, id, operation));
}
int fcntl(int id, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    return control(id, command, argument);
}
int fcntl64(int id, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void* const argument = va_arg(arguments, void*);
    va_end(arguments);
    return control(id, command, argument);
}

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const auto mode = static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0);
    va_end(arguments);
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const auto mode = static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0);
    va_end(arguments);
    return open_at(AT_FDCWD, path, flags, mode);
}
int stat(const char* path, struct stat* status) {
    return status_of(path, status, 0);
}
int lstat(const char* path, struct stat* status) {
    return status_of(path, status, AT_SYMLINK_NOFOLLOW);
}
int access(const char* path, int mode) {
    return looked_for(path, [&] { return static_cast<int>(syscall(SYS_access, path, mode)); });
}

int clock_gettime(clockid_t clock, timespec* now) {
    const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += leap_s();
    return result;
}
std::time_t time(std::time_t* now) {
    timespec here{};
    clock_gettime(CLOCK_REALTIME, &here);
    if (now != nullptr) *now = here.tv_sec;
    return here.tv_sec;
}

int rename(const char* from, const char* to) {
    count_call();
    return missed().made(to, static_cast<int>(syscall(SYS_rename, from, to)));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    count_call();
    return missed().made(to, static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags)));
}
int link(const char* from, const char* to) {
    count_call();
    return missed().made(to, static_cast<int>(syscall(SYS_link, from, to)));
}
int unlink(const char* path) {
    count_call();
    return static_cast<int>(syscall(SYS_unlink, path));
}
int rmdir(const char* path) {
    count_call();
    return static_cast<int>(syscall(SYS_rmdir, path));
}
int mkdir(const char* path, mode_t mode) {
    count_call();
    return missed().made(path, static_cast<int>(syscall(SYS_mkdir, path, mode)));
}
/// libc's own calls unlink() and rmdir() by other names.
int remove(const char* path) {
    count_call();
    if (syscall(SYS_unlink, path) == 0) return 0;
    return errno == EISDIR || errno == EPERM ? static_cast<int>(syscall(SYS_rmdir, path)) : -1;
}

}  // extern "C"
