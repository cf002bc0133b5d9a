#include "io/files/interruption.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <unistd.h>
#include <vector>

namespace onda {
namespace {

std::atomic<int> pending_signal{0}, signals_counted{0}, scopes_uninterrupted{0};
/// Scopes in which any signal is unheard, and those of signals that ask to end.
std::atomic<int> scopes_unheard{0}, scopes_of_ends_unheard{0};
std::atomic<std::int64_t> checkpoints_asked{0}, first_signal_ns{0};
std::atomic<bool> noticing{false}, takes_requests{false};
std::atomic<pid_t> owner{0};
std::array<std::atomic<const char*>, RemovedOnSignal::kMost> doomed{};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

bool repeats_by_itself(int signal) {
    return signal == SIGPIPE || signal == SIGXCPU || signal == SIGALRM || signal == SIGVTALRM || signal == SIGPROF;
}

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Whether a signal is more than the echo of the first: launchers send on what a terminal sends to all.
bool is_meant_again() {
    constexpr std::int64_t echo_ns = 1'000'000'000;
    std::int64_t none = 0;
    const std::int64_t now = now_ns();
    return !first_signal_ns.compare_exchange_strong(none, now) && now - none > echo_ns;
}

/// \returns whether the program may go on.
bool only_noticed(int signal) {
    if (signal == SIGUSR1 && takes_requests) {
        ++checkpoints_asked;
        return true;
    }
    if (!noticing) return false;
    int none = 0;
    pending_signal.compare_exchange_strong(none, signal);
    if (repeats_by_itself(signal)) return true;
    const bool is_again = is_meant_again(), is_third = ++signals_counted >= 3;
    return scopes_uninterrupted > 0 || !(is_again || is_third);
}

extern "C" void end_program(int signal) {
    const int error = errno;
    if (getpid() == owner && only_noticed(signal)) {
        errno = error;
        return;
    }
    remove_temporary_files();
    die_of(signal);
}

std::vector<int> ending_signals() {
    std::vector<int> signals{SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGPIPE,   SIGALRM, SIGUSR1,
                             SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGSTKFLT, SIGPOLL, SIGPWR};
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) signals.push_back(signal);
    return signals;
}

}  // namespace

void watch_signals() {
    owner = getpid();
    struct sigaction action {};
    action.sa_handler = end_program;
    action.sa_flags = SA_RESTART;  // libraries take an interrupted write for a failed one
    sigfillset(&action.sa_mask);
    for (const int signal : ending_signals()) {
        struct sigaction inherited {};
        if (sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
}

void remove_temporary_files() noexcept {
    if (getpid() != owner) return;
    std::array<const char*, RemovedOnSignal::kMost> folders{};
    std::size_t count = 0;
    for (auto& path : doomed)
        if (const char* name = path.exchange(nullptr); name != nullptr && unlink(name) != 0 && errno == EISDIR)
            folders[count++] = name;
    for (std::size_t i = 0; i < count; ++i) rmdir(folders[i]);  // what they held is gone
}

void notice_signals() {
    noticing = true;
}

void take_requests_for_checkpoints() {
    takes_requests = true;
}

void throw_if_interrupted() {
    const int signal = pending_signal;
    if (signal == 0 || scopes_unheard > 0 || (scopes_of_ends_unheard > 0 && asks_to_end(signal))) return;
    throw Interrupted{signal};
}

int noticed_signal() {
    return pending_signal;
}

std::int64_t checkpoints_asked_for() {
    return checkpoints_asked;
}

bool asks_to_end(int signal) {
    return signal == SIGTERM || signal == SIGINT;
}

void hear_of_signals(int signal, std::int64_t requests) {
    int none = 0;
    if (signal != 0) pending_signal.compare_exchange_strong(none, signal);
    checkpoints_asked += requests;
}

void die_of(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    raise(signal);
    _exit(128 + signal);
}

RemovedOnSignal::RemovedOnSignal(const char* path) : slot_(0) {
    for (const char* free = nullptr; slot_ < kMost && !doomed[slot_].compare_exchange_strong(free, path); ++slot_)
        free = nullptr;
}

RemovedOnSignal::~RemovedOnSignal() {
    // A handler that has taken the path still reads it: the program is about to end, in another thread.
    if (slot_ < kMost && doomed[slot_].exchange(nullptr) == nullptr)
        for (;;) pause();
}

UnheardSignals::UnheardSignals(Which which) : scopes_(which == Which::all ? scopes_unheard : scopes_of_ends_unheard) {
    ++scopes_;
}

UnheardSignals::~UnheardSignals() {
    --scopes_;
}

Uninterrupted::Uninterrupted() {
    ++scopes_uninterrupted;
}

Uninterrupted::~Uninterrupted() {
    --scopes_uninterrupted;
}

}  // namespace onda
