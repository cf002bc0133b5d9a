// The child's side: what it gives up before it looks at the first byte, and its loop.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "io/files/sanitized.hpp"
#include "io/hdf5/sandbox_detail.hpp"
#include "io/text/error.hpp"

namespace onda::sandbox {

void provide_pages(Bytes part) {
#if defined(MADV_POPULATE_WRITE)
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(part.data()), first = begin / page * page;
    int result = -1;
    do result = madvise(reinterpret_cast<void*>(first), begin + part.size() - first, MADV_POPULATE_WRITE);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EINVAL)
        throw Error(ExitCode::internal, "the system has no memory for " + std::to_string(part.size()) +
                                            " bytes of a file: " + std::strerror(errno));
#else
    static_cast<void>(part);
#endif
}

}  // namespace onda::sandbox

namespace onda::sandbox::detail {
namespace {

/// Ctrl-C and the like go to the whole group of processes; the parent decides what they mean, also for the child.
void ignore_what_concerns_the_parent() {
    constexpr std::array own{SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGTRAP,
                             SIGSYS,  SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD};
    for (int number = 1; number <= SIGRTMAX; ++number)
        std::signal(number, std::find(own.begin(), own.end(), number) == own.end() ? SIG_IGN : SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// PR_SET_PDEATHSIG would do it when the thread ends that forked, though its process lives on; the pipe knows of the
/// process alone. Where it cannot, that remains better than nothing.
void die_with_the_parent(int lifeline) {
    const bool watched = fcntl(lifeline, F_SETOWN, getpid()) == 0 && fcntl(lifeline, F_SETSIG, SIGKILL) == 0 &&
                         fcntl(lifeline, F_SETFL, O_ASYNC) == 0;
    if (!watched) prctl(PR_SET_PDEATHSIG, SIGKILL);
    pollfd end{lifeline, POLLIN, 0};
    if (poll(&end, 1, 0) != 0) _exit(0);  // it was gone before the watch began
}

/// Closes every file but two; standard streams lead nowhere, so that glibc's last words ("free(): invalid pointer")
/// disturb no terminal.
Ends keep_only(Ends ends) {
    ends = {fcntl(ends.requests, F_DUPFD_CLOEXEC, STDERR_FILENO + 1),
            fcntl(ends.lifeline, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
    if (ends.requests < 0 || ends.lifeline < 0) _exit(1);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    constexpr int last = kSanitized ? STDOUT_FILENO : STDERR_FILENO;  // sanitizers report there
    for (int stream = STDIN_FILENO; stream <= last; ++stream)
        if (nowhere < 0 || dup2(nowhere, stream) < 0) close(stream);
    const auto [low, high] = std::minmax({static_cast<unsigned>(ends.requests), static_cast<unsigned>(ends.lifeline)});
    constexpr auto first = static_cast<unsigned>(STDERR_FILENO + 1);
    if (low > first) close_range(first, low - 1, 0);
    if (high > low + 1) close_range(low + 1, high - 1, 0);
    close_range(high + 1, ~0u, 0);
    return ends;
}

/// The address space of this process in bytes; none if the system does not say.
std::optional<std::int64_t> address_space() {
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    std::array<char, 64> text{};
    const auto bytes = file < 0 ? -1 : read(file, text.data(), text.size());
    if (file >= 0) close(file);
    std::int64_t pages = 0;
    if (bytes <= 0 || std::from_chars(text.data(), text.data() + bytes, pages).ec != std::errc{}) return std::nullopt;
    return pages * sysconf(_SC_PAGESIZE);
}

/// A limit that is lower already stays.
template <class Resource>
void lower_limit(Resource resource, std::int64_t most) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(most));
    limit.rlim_max = limit.rlim_cur;
    setrlimit(resource, &limit);
}

void give_up_resources(const Limits& limits) {
    if (const auto now = address_space()) lower_limit(RLIMIT_AS, *now + limits.memory_bytes);
    lower_limit(RLIMIT_CORE, 0);
    prctl(PR_SET_DUMPABLE, 0);  // core dumps into a pipe do not care for the limit
    lower_limit(RLIMIT_FSIZE, 0);
    lower_limit(RLIMIT_NPROC, 0);
    lower_limit(RLIMIT_NOFILE, 16);
}

AnswerHeader refuse(ExitCode code, std::string_view message, Bytes window) {
    const auto bytes = std::min(message.size(), window.size());
    std::memcpy(window.data(), message.data(), bytes);
    return {static_cast<std::uint64_t>(code), bytes};
}

AnswerHeader answer(const Serve& serve, ConstBytes request, Bytes window) {
    try {
        return {0, serve(request, window)};
    } catch (const Error& error) {
        return refuse(error.code(), error.what(), window);
    } catch (const std::bad_alloc&) {
        return refuse(ExitCode::out_of_memory, "", window);
    } catch (const std::length_error&) {  // more than any memory has
        return refuse(ExitCode::out_of_memory, "", window);
    } catch (const std::exception& error) {
        return refuse(ExitCode::internal, error.what(), window);
    }
}

}  // namespace

void live(Ends ends, Bytes window, const Serve& serve, const Limits& limits) {
    try {
        ignore_what_concerns_the_parent();
        ends = keep_only(ends);
        die_with_the_parent(ends.lifeline);
        std::vector<std::byte> request(Child::most_request_bytes);
        give_up_resources(limits);
        filter_system_calls();
        for (;;) {
            const auto bytes = recv(ends.requests, request.data(), request.size(), 0);
            if (bytes < 0 && errno == EINTR) continue;
            if (bytes <= 0) break;
            const auto header = answer(serve, ConstBytes(request).first(static_cast<std::size_t>(bytes)), window);
            if (send(ends.requests, &header, sizeof header, MSG_NOSIGNAL) < 0) break;
        }
    } catch (...) {
        _exit(1);
    }
    _exit(0);
}

}  // namespace onda::sandbox::detail
