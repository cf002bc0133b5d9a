// Runs the onda program beside the test, which can look at it, hold it up and send it signals.
#pragma once

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/program/program.hpp"

/// Looks again and again until it is true. The limit is there to end a test that would otherwise hang.
inline bool wait_until(const std::function<bool()>& condition) {
    for (int look = 0; look < 120'000; ++look) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

/// The temporary files in a folder and those within it, of files whose names end with `name`; by their paths from it.
inline std::vector<std::string> partial_files(const std::filesystem::path& folder, const std::string& name = "") {
    std::vector<std::string> names;
    std::error_code gone;
    for (std::filesystem::recursive_directory_iterator entry(folder, gone), end; !gone && entry != end;
         entry.increment(gone))
        if (contains(entry->path().filename(), name + ".partial-"))
            names.push_back(entry->path().lexically_relative(folder));
    return names;
}

/// A pipe of one page whose reader does not read: it takes as many bytes as are left, then holds its writer up.
class NarrowPipe {
public:
    explicit NarrowPipe(std::size_t room) {
        if (pipe2(ends_, O_CLOEXEC) != 0 || fcntl(ends_[1], F_SETPIPE_SZ, getpagesize()) < 0)
            throw std::runtime_error("cannot make a pipe");
        const std::string filling(static_cast<std::size_t>(getpagesize()) - room, '.');
        if (write(ends_[1], filling.data(), filling.size()) != static_cast<ssize_t>(filling.size()))
            throw std::runtime_error("cannot fill the pipe");
    }
    ~NarrowPipe() {
        close(ends_[0]);
        if (ends_[1] >= 0) close(ends_[1]);
    }
    NarrowPipe(const NarrowPipe&) = delete;
    NarrowPipe& operator=(const NarrowPipe&) = delete;

    [[nodiscard]] int writer() const { return ends_[1]; }
    /// Reads until every writer has gone.
    void drain() {
        close(std::exchange(ends_[1], -1));
        for (char text[4096]; read(ends_[0], text, sizeof text) > 0;) continue;
    }

private:
    int ends_[2] = {-1, -1};
};

class Process {
public:
    /// \param prepare runs in the child before the program does.
    explicit Process(
        const std::vector<std::string>& arguments, int stderr_to = -1, const std::function<void()>& prepare = [] {}) {
        std::vector<std::string> all{ONDA_PROGRAM};
        all.insert(all.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& argument : all) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        id_ = fork();
        if (id_ < 0) throw std::runtime_error("cannot fork");
        if (id_ > 0) return;
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        std::signal(SIGHUP, SIG_DFL);  // which nohup ignores, and a program would with it
        const int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(stderr_to < 0 ? nowhere : stderr_to, STDERR_FILENO);
        prepare();
        execv(ONDA_PROGRAM, pointers.data());
        _exit(127);
    }
    ~Process() {
        if (id_ < 0) return;
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Returns when the signal has been delivered, so that the next one does not merge with it.
    void send(int signal) const {
        kill(id_, signal);
        wait_until([this] {
            const std::string status = text_of("/proc/" + std::to_string(id_) + "/status");
            const auto pending = [&status](const std::string& key) {
                const auto at = status.find(key);
                return at != std::string::npos && std::stoull(status.substr(at + key.size()), nullptr, 16) != 0;
            };
            return !running() || (!pending("SigPnd:") && !pending("ShdPnd:"));
        });
    }
    [[nodiscard]] bool running() const { return kill(id_, 0) == 0 && waitid_says_running(); }
    /// The signal that ended it, 0 if it ended by itself; then code() is its exit code.
    int wait() {
        int status = 0;
        waitpid(id_, &status, 0);
        id_ = -1;
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    [[nodiscard]] int code() const { return code_; }

private:
    [[nodiscard]] bool waitid_says_running() const {
        siginfo_t info{};
        return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
    }
    pid_t id_ = -1;
    int code_ = -1;
};

/// How often something is tried: as often as a variable of the environment says, for those who want to try it for long.
inline int times_wanted(const char* variable, int usual) {
    const char* const wanted = std::getenv(variable);
    return wanted != nullptr ? std::atoi(wanted) : usual;
}
