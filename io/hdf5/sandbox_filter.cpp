// Which system calls the child may make. Others fail with EPERM, which libraries report as they report any failure.
#include "io/hdf5/sandbox_detail.hpp"

#if defined(ONDA_HAVE_SECCOMP)

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <initializer_list>
#include <linux/futex.h>
#include <memory>
#include <seccomp.h>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>

#include "io/files/sanitized.hpp"

namespace onda::sandbox {

namespace {

/// System calls that are allowed whatever their arguments.
constexpr std::array always{
    // files: descriptors that are open, and what a path leads to
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(preadv), SCMP_SYS(lseek), SCMP_SYS(_llseek),
    SCMP_SYS(close), SCMP_SYS(flock), SCMP_SYS(fstat), SCMP_SYS(fstat64), SCMP_SYS(stat), SCMP_SYS(stat64),
    SCMP_SYS(lstat), SCMP_SYS(lstat64), SCMP_SYS(newfstatat), SCMP_SYS(fstatat64), SCMP_SYS(statx), SCMP_SYS(access),
    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd),
    // memory
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // the parent
    SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(recv), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(send),
    // clocks, identity, and the end
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getpid),
    SCMP_SYS(gettid), SCMP_SYS(getrandom), SCMP_SYS(sched_yield), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(exit),
    SCMP_SYS(exit_group)};

using Filter = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)>;

bool allow(const Filter& filter, int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    const int result = seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, call,
                                              static_cast<unsigned>(conditions.size()), conditions.begin());
    return result == 0 || result == -EDOM;  // EDOM: this machine has no such call
}

/// The bits `mask` of an argument must be zero.
scmp_arg_cmp without(unsigned argument, unsigned mask) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, 0};
}

scmp_arg_cmp equal(unsigned argument, scmp_datum_t value) {
    return {argument, SCMP_CMP_EQ, value, 0};
}

bool allow_all(const Filter& filter) {
    bool ok = true;
    for (const int call : always) ok = allow(filter, call) && ok;
    constexpr unsigned changes = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
    ok = allow(filter, SCMP_SYS(open), {without(1, changes)}) && ok;
    ok = allow(filter, SCMP_SYS(openat), {without(2, changes)}) && ok;
    for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect)})
        ok = allow(filter, call, {without(2, PROT_EXEC)}) && ok;
    // Waking only: a process of one thread has nobody to wait for, and a lock that damage or the fork left taken must
    // end it, not put it to sleep for ever.
    constexpr unsigned operation = 0x7f;
    ok = allow(filter, SCMP_SYS(futex), {{1, SCMP_CMP_MASKED_EQ, operation, FUTEX_WAKE}}) && ok;
    // The last words of abort(), to wherever stderr leads, and its signal.
    for (const int call : {SCMP_SYS(write), SCMP_SYS(writev)})
        ok = allow(filter, call, {equal(0, STDERR_FILENO)}) && ok;
    ok = allow(filter, SCMP_SYS(tgkill), {equal(0, static_cast<scmp_datum_t>(getpid()))}) && ok;
    // UBSan learns whether memory can be read by writing it to a pipe.
    if (kSanitized)
        for (const int call : {SCMP_SYS(pipe2), SCMP_SYS(write)}) ok = allow(filter, call) && ok;
    return ok;
}

}  // namespace

bool has_filter() {
    return true;
}

void detail::filter_system_calls() {
    const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
    if (filter && allow_all(filter)) seccomp_load(filter.get());
}

}  // namespace onda::sandbox

#else

namespace onda::sandbox {

bool has_filter() {
    return false;
}

void detail::filter_system_calls() {}

}  // namespace onda::sandbox

#endif
