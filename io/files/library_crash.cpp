#include "io/files/library_crash.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <initializer_list>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/text/exit_codes.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ONDA_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ONDA_SANITIZER 1
#endif
#endif

namespace onda {
namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10;

std::atomic<bool> watching{false};
std::atomic<pid_t> watcher{0};
constinit thread_local const char* at_work = nullptr;

void say(std::initializer_list<const char*> parts) noexcept {
    for (const char* part : parts)
        if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

extern "C" void end_of_library(int signal) {
    if (at_work == nullptr || getpid() != watcher) die_of(signal);
    say({"error: ", at_work,
         " crashed, as it does where an allocation of its own fails: memory is short\n"
         "  take a smaller grid, fewer receivers or a machine with more memory; where there was enough, please report "
         "it "
         "with the output of `onda info`\n"});
    remove_temporary_files();
    ::_exit(static_cast<int>(ExitCode::out_of_memory));
}

}  // namespace

void watch_crashes_of_libraries() noexcept {
#if !defined(ONDA_SANITIZER)
    watcher = getpid();
    struct sigaction action {};
    action.sa_handler = end_of_library;
    action.sa_flags = SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (const int signal : std::array{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
    watching = true;
#endif
}

LibraryAtWork::LibraryAtWork(const char* name) noexcept : outer_(std::exchange(at_work, name)) {
    if (!watching || outer_ != nullptr) return;
    stack_t before{};
    if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    void* const stack =
        ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return;
    stack_t own{};
    own.ss_sp = stack;
    own.ss_size = kStackBytes;
    if (::sigaltstack(&own, nullptr) == 0)
        stack_ = stack;
    else
        ::munmap(stack, kStackBytes);
}

LibraryAtWork::~LibraryAtWork() {
    at_work = outer_;
    if (stack_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    ::munmap(stack_, kStackBytes);
}

}  // namespace onda
