// A library to preload: a system without file locks, or one that kills the program at one of its changes to folders.
//   ONDA_NO_LOCKS   set: flock() and the locks of fcntl() fail with ENOLCK
//   ONDA_KILL_AT    n, from 1: SIGKILL in the place of the n-th call that gives, changes or removes a name
//   ONDA_KILL_COUNT a file that the number of such calls is written to when the process ends by exit()
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
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

int rename(const char* from, const char* to) {
    count_call();
    return static_cast<int>(syscall(SYS_rename, from, to));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    count_call();
    return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int link(const char* from, const char* to) {
    count_call();
    return static_cast<int>(syscall(SYS_link, from, to));
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
    return static_cast<int>(syscall(SYS_mkdir, path, mode));
}
/// libc's own calls unlink() and rmdir() by other names.
int remove(const char* path) {
    count_call();
    if (syscall(SYS_unlink, path) == 0) return 0;
    return errno == EISDIR || errno == EPERM ? static_cast<int>(syscall(SYS_rmdir, path)) : -1;
}

}  // extern "C"
