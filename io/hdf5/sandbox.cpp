// The parent's side: starts the child, asks, watches, buries.
#include "io/hdf5/sandbox.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "io/files/plain_file.hpp"
#include "io/hdf5/sandbox_detail.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda::sandbox {

using detail::AnswerHeader;

namespace {

/// Memory of both processes. Pages exist once they are touched.
class Window {
public:
    explicit Window(std::size_t bytes)
        : bytes_(bytes),
          address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~Window() {
        if (ok()) munmap(address_, bytes_);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    [[nodiscard]] bool ok() const { return address_ != MAP_FAILED; }
    [[nodiscard]] Bytes bytes() const { return {static_cast<std::byte*>(address_), bytes_}; }

private:
    std::size_t bytes_;
    void* address_;
};

/// Signals wait until the child has its own handling of them: none of the parent's handlers runs there.
class SignalsBlocked {
public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

/// 0 for a process that has ended.
double cpu_seconds(pid_t process) {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0.;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::string signal_name(int number) {
    const char* name = sigabbrev_np(number);
    return name == nullptr ? "signal " + std::to_string(number) : "SIG" + std::string(name);
}

/// The child may say anything: no control characters, no more than a screen.
std::string message_of(ConstBytes answer) {
    constexpr std::size_t most = 4096;
    const ConstBytes part = answer.first(std::min(answer.size(), most));
    std::string text(part.size(), '\0');  // copied first: the child can still write there
    std::memcpy(text.data(), part.data(), part.size());
    return printable_lines(text);
}

}  // namespace

struct Child::Impl {
    std::string subject, worker;
    Limits limits;
    Window window;
    Descriptor requests, lifeline;
    pid_t process = -1;
    std::mutex one_at_a_time;
    std::optional<Error> end;  ///< why there is no child any more

    Impl(std::string file, std::string reader, const Limits& most)
        : subject(std::move(file)), worker(std::move(reader)), limits(most), window(most.window_bytes) {}

    ~Impl() { bury(); }

    void start(const Serve& serve) {
        std::array<int, 2> sockets{-1, -1}, pipe_ends{-1, -1};
        const bool connected =
            window.ok() && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) == 0;
        Descriptor child_requests(sockets[1]);
        requests = Descriptor(sockets[0]);
        const bool watched = connected && pipe2(pipe_ends.data(), O_CLOEXEC) == 0;
        Descriptor child_lifeline(pipe_ends[0]);
        lifeline = Descriptor(pipe_ends[1]);
        if (watched) {
            const SignalsBlocked blocked;
            process = fork();
            if (process == 0) detail::live({child_requests.id(), child_lifeline.id()}, window.bytes(), serve, limits);
        }
        if (process < 0)
            throw Error(ExitCode::out_of_memory,
                        subject + ": cannot start a process to read it: " + std::strerror(errno));
    }

    /// Kills the child if it lives. \return its status as waitpid has it; none if somebody else asked for it first.
    std::optional<int> bury() {
        if (process < 0) return std::nullopt;
        int status = 0;
        const auto wait_for = [&](int options) {
            pid_t result = -1;
            do result = waitpid(process, &status, options);
            while (result < 0 && errno == EINTR);
            return result;
        };
        // Asked before it is killed: the number of a child that is gone may be another process's.
        auto ended = wait_for(WNOHANG);
        if (ended == 0) {
            kill(process, SIGKILL);
            ended = wait_for(0);
        }
        process = -1;
        return ended < 0 ? std::nullopt : std::optional(status);
    }

    [[noreturn]] void end_with(ExitCode code, const std::string& why) {
        bury();
        end = Error(code, subject + ": " + why);
        throw *end;
    }

    /// The child hung up. What ends a process is settled before its files are closed, so that bury() does not change
    /// it.
    [[noreturn]] void autopsy() {
        const auto status = bury();
        const int signal = status && WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
        if (signal == SIGKILL)
            end_with(ExitCode::out_of_memory,
                     "the process that reads it was killed (SIGKILL), by the system for want of "
                     "memory or by somebody");
        end_with(ExitCode::bad_data, "damaged: " + worker + " crashed while reading it" +
                                         (signal != 0 ? " (" + signal_name(signal) + ")" : ""));
    }

    void send_request(ConstBytes request) {
        if (request.size() > most_request_bytes) throw Error(ExitCode::internal, subject + ": request too long");
        ssize_t sent = -1;
        do sent = send(requests.id(), request.data(), request.size(), MSG_NOSIGNAL);
        while (sent < 0 && errno == EINTR);
        if (sent < 0) autopsy();
    }

    void wait_for_answer(double allowed_seconds) {
        constexpr int look_again_ms = 50;
        const double last = cpu_seconds(process) + allowed_seconds;
        for (;;) {
            pollfd answer{requests.id(), POLLIN, 0};
            // A signal's handler has done its part when poll() returns; what it means is for the caller to say.
            if (poll(&answer, 1, look_again_ms) > 0) return;
            if (cpu_seconds(process) > last)
                end_with(ExitCode::bad_data, "damaged: " + worker + " was stopped, which had computed for " +
                                                 std::to_string(std::llround(allowed_seconds)) +
                                                 " s without coming to an end");
        }
    }

    AnswerHeader receive() {
        AnswerHeader header{};
        ssize_t bytes = -1;
        do bytes = recv(requests.id(), &header, sizeof header, MSG_TRUNC);
        while (bytes < 0 && errno == EINTR);
        if (bytes <= 0) autopsy();
        if (bytes != sizeof header || header.bytes > window.bytes().size())
            end_with(ExitCode::bad_data, "damaged: " + worker + " went astray while reading it");
        return header;
    }

    [[noreturn]] void pass_on(const AnswerHeader& header, ConstBytes answer) const {
        const auto code = static_cast<ExitCode>(header.code);
        if (code == ExitCode::out_of_memory)
            throw Error(ExitCode::bad_data,
                        subject +
                            ": damaged, or too large a chunk: reading it takes more memory than it may have "
                            "(at most " +
                            std::to_string(limits.memory_bytes >> 20) + " MiB)");
        const bool known = code == ExitCode::missing_input || code == ExitCode::io_error || code == ExitCode::internal;
        throw Error(known ? code : ExitCode::bad_data, message_of(answer));
    }
};

Child::Child(std::string subject, std::string worker, Serve serve, const Limits& limits)
    : impl_(std::make_unique<Impl>(std::move(subject), std::move(worker), limits)) {
    impl_->start(serve);
}

Child::~Child() = default;

void Child::ask(ConstBytes request, double file_bytes, const std::function<void(ConstBytes)>& take) {
    const std::lock_guard lock(impl_->one_at_a_time);
    if (impl_->end) throw Error(*impl_->end);
    impl_->send_request(request);
    impl_->wait_for_answer(impl_->limits.cpu_seconds + file_bytes / impl_->limits.bytes_per_cpu_second);
    const auto header = impl_->receive();
    const ConstBytes answer = impl_->window.bytes().first(header.bytes);
    if (header.code != 0) impl_->pass_on(header, answer);
    take(answer);
}

bool Child::lives() const {
    const std::lock_guard lock(impl_->one_at_a_time);
    return !impl_->end;
}

void Child::set_subject(std::string subject) {
    impl_->subject = std::move(subject);
}

std::size_t Child::window_bytes() const {
    return impl_->limits.window_bytes;
}

int Child::process_id() const {
    return impl_->process;
}

}  // namespace onda::sandbox
