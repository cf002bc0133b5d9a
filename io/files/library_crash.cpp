#include "io/files/library_crash.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "io/files/sanitized.hpp"
#include "io/text/exit_codes.hpp"

namespace onda {
namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10;

std::atomic<bool> watching{false};
std::atomic<pid_t> watcher{0};
constinit thread_local const char* at_work = nullptr;
constinit thread_local bool new_failed = false;

void say(std::initializer_list<const char*> parts) noexcept {
    for (const char* part : parts)
        if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

/// The machine code that this function is part of: the program's own, or that of the module it is linked into.
constinit std::atomic<std::uintptr_t> own_code_begin{0}, own_code_end{0};

int find_own_code(dl_phdr_info* object, std::size_t, void*) {
    const auto here = reinterpret_cast<std::uintptr_t>(&find_own_code);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || here < begin || here >= end) continue;
        own_code_begin = begin;
        own_code_end = end;
        return 1;
    }
    return 0;
}

/// Whether the signal came of an instruction of our own, as a bug of ours does, and not from within a library.
bool is_from_own_code([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
    const auto at = static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    const auto at = static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
    const std::uintptr_t at = 0;
#endif
    return own_code_begin <= at && at < own_code_end;
}

extern "C" void end_of_library(int signal, siginfo_t*, void* context) {
    const bool in_library = at_work != nullptr && !is_from_own_code(context), cleaning_up = failed_new_unwinds();
    if (getpid() != watcher || (!in_library && !cleaning_up)) die_of(signal);
    say({"error: ", in_library ? at_work : "cleaning up after a failed allocation",
         in_library ? " crashed, as it does where an allocation of its own fails: memory is short\n"
                    : " crashed: memory is short\n",
         "  take a smaller grid, fewer receivers or a machine with more memory; where there was enough, please report "
         "it with the output of `onda info`\n"});
    remove_temporary_files();
    ::_exit(static_cast<int>(ExitCode::out_of_memory));
}

}  // namespace

void watch_crashes_of_libraries() noexcept {
    if (kSanitized) return;
    watcher = getpid();
    struct sigaction action {};
    dl_iterate_phdr(find_own_code, nullptr);
    action.sa_sigaction = end_of_library;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    sigfillset(&action.sa_mask);
    for (const int signal : std::array{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
    watching = true;
}

void note_failed_new() noexcept {
    new_failed = true;
}

bool failed_new_unwinds() noexcept {
    return new_failed && std::uncaught_exceptions() > 0;
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
