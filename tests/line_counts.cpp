// Line counts (ONDA_COVERAGE) of processes that end without exit(): killed by a signal, by _exit(), or forbidden to
// write files, as the one that reads HDF5 files is. Each process has a companion with the same memory, but with files,
// limits and signals of its own, which writes the counts of GCC once the process has gone.
#include <array>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void __gcov_dump();

namespace {

pid_t watched = 0;
alignas(64) std::array<char, 1 << 20> companion_stack;

/// Until the process has gone, nothing here may touch what is the process's, which errno is.
int wait_and_write(void*) {
    syscall(SYS_close_range, 0U, ~0U, 0U);
    const timespec pause{0, 20'000'000};
    while (syscall(SYS_getppid) == watched) syscall(SYS_nanosleep, &pause, nullptr);
    __gcov_dump();
    syscall(SYS_exit_group, 0);
    return 0;
}

void begin_to_watch() {
    sigset_t all{}, before{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watched = getpid();
    clone(wait_and_write, companion_stack.data() + companion_stack.size(), CLONE_VM, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

extern "C" {
/// Named by the linker's options, so that programs take this from the library.
int onda_keep_line_counts = 0;
}

[[gnu::constructor]] static void watch_this_process() {
    begin_to_watch();
    pthread_atfork(nullptr, nullptr, begin_to_watch);
}
