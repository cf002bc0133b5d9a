/// \file
/// Signals that end the program: temporary files go first, and the program dies of the same signal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace onda {

/// The program was asked to end while signals were being noticed. Thrown so that everything cleans up on the way out;
/// main then calls die_of().
struct Interrupted {
    int signal = 0;
};

/// Every signal that ends a program by default and that nobody asked to be ignored (nohup) first removes the files that
/// RemovedOnSignal names. Crashes of the program itself (SIGSEGV, SIGABRT, …) stay as they are; for those of libraries
/// see watch_crashes_of_libraries().
void watch_signals();
/// Removes the files that RemovedOnSignal names, in the process that called watch_signals(); a child that has not
/// become another program yet must not remove what its parent is writing. For an end without destructors: touches no
/// memory but the list, and may be called by a signal handler.
void remove_temporary_files() noexcept;
/// Lets signals only be noticed from now on, for throw_if_interrupted() to report: the first one counts. Another one
/// that comes a second later or more ends the program at once, and so does the third; those that the system repeats by
/// itself (SIGPIPE, SIGXCPU, timers) are not counted.
void notice_signals();
/// Lets SIGUSR1 ask for a checkpoint from now on, in place of ending the program.
void take_requests_for_checkpoints();
/// Reports a signal that has been noticed. \throws Interrupted if there is one.
void throw_if_interrupted();
/// The signal that throw_if_interrupted() would report; 0 where there is none.
int noticed_signal();
/// How often SIGUSR1 has asked for a checkpoint.
std::int64_t checkpoints_asked_for();
/// Whether a signal asks for an end that leaves behind what is needed to go on: SIGTERM, SIGINT.
bool asks_to_end(int signal);
/// Notes what another process of the same run was sent, as if it had come here. \param signal its noticed_signal().
/// \param requests for checkpoints.
void hear_of_signals(int signal, std::int64_t requests);
/// Ends the program as if the signal had never been caught.
[[noreturn]] void die_of(int signal);

/// A file that a signal removes, as long as this lives, or a folder that then is empty. Beyond kMost of them at a time,
/// files stay behind.
class RemovedOnSignal {
public:
    static constexpr std::size_t kMost = 256;
    /// \param path must live as long as this.
    explicit RemovedOnSignal(const char* path);
    ~RemovedOnSignal();
    RemovedOnSignal(const RemovedOnSignal&) = delete;
    RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;

private:
    std::size_t slot_;
};

/// A stretch of the program in which throw_if_interrupted() throws nothing of some signals, in all threads: what is
/// almost done is done.
class UnheardSignals {
public:
    enum class Which { all, those_that_ask_to_end };
    explicit UnheardSignals(Which which = Which::all);
    ~UnheardSignals();
    UnheardSignals(const UnheardSignals&) = delete;
    UnheardSignals& operator=(const UnheardSignals&) = delete;

private:
    std::atomic<int>& scopes_;
};

/// A stretch of the program that no signal ends, however many come, while this is in scope: for a few system calls that
/// belong together. Needs notice_signals().
class Uninterrupted {
public:
    Uninterrupted();
    ~Uninterrupted();
    Uninterrupted(const Uninterrupted&) = delete;
    Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace onda
