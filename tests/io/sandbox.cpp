// What a process in the sandbox does, its parent gets an answer or an error, and the process is gone afterwards.
// Takes less than a second.
#include "io/hdf5/sandbox.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/io/files_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

using sandbox::Child, sandbox::ConstBytes, sandbox::Limits, sandbox::Serve;

/// What the child answers to one request: a row of integers.
using Work = std::function<std::vector<int>()>;

Serve serving(const Work& work) {
    return [work](ConstBytes, sandbox::Bytes window) {
        const auto numbers = work();
        std::memcpy(window.data(), numbers.data(), numbers.size() * sizeof(int));
        return numbers.size() * sizeof(int);
    };
}

std::vector<int> ask(Child& child) {
    const std::byte request{};
    std::vector<int> numbers;
    child.ask(ConstBytes(&request, 1), 0., [&](ConstBytes answer) {
        numbers.resize(answer.size() / sizeof(int));
        std::memcpy(numbers.data(), answer.data(), answer.size());
    });
    return numbers;
}

Error fault_of_child(const Work& work, const Limits& limits = {}) {
    Child child("in.h5", "HDF5", serving(work), limits);
    const auto fault = fault_of([&] { ask(child); });
    CHECK(std::string(fault.what()) == fault_of([&] { ask(child); }).what());  // and so it stays
    return fault;
}

/// Children of this process, also ended ones that nobody has waited for.
bool has_children() {
    return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD;
}

/// Seen by the optimiser as something that may have changed.
volatile int forever = 1;

}  // namespace

TEST_CASE("answers, errors and state travel; nobody is left behind") {
    {
        int count = 0;
        Child child("in.h5", "HDF5", serving([&] {
                        if (++count == 2) throw Error(ExitCode::missing_input, "a\x1b[31mb");
                        return std::vector{count};
                    }));
        CHECK(ask(child) == std::vector{1});
        const auto fault = fault_of([&] { ask(child); });
        CHECK(fault.code() == ExitCode::missing_input);
        CHECK(std::string(fault.what()) == "a\\x1b[31mb");
        CHECK(ask(child) == std::vector{3});
        CHECK(count == 0);
    }
    CHECK_FALSE(has_children());
}

TEST_CASE("a crash is an error that names the signal") {
    const auto fault = fault_of_child([]() -> std::vector<int> {
        std::raise(SIGSEGV);
        return {};
    });
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(std::string(fault.what()) == "in.h5: damaged: HDF5 crashed while reading it (SIGSEGV)");
    CHECK(contains(fault_of_child([]() -> std::vector<int> { std::abort(); }).what(), "(SIGABRT)"));
    CHECK(contains(fault_of_child([]() -> std::vector<int> { _exit(0); }).what(), "HDF5 crashed while reading it"));
    CHECK_FALSE(has_children());
}

TEST_CASE("a loop without end is stopped by the CPU time that it takes") {
    Limits limits;
    limits.cpu_seconds = 0.2;
    const auto fault = fault_of_child(
        [] {
            while (forever != 0) {
            }
            return std::vector{0};
        },
        limits);
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(contains(fault.what(), "in.h5: damaged: HDF5 was stopped, which had computed for"));
    CHECK_FALSE(has_children());
}

TEST_CASE("waiting is not computing") {
    Limits limits;
    limits.cpu_seconds = 0.05;
    Child child("in.h5", "HDF5", serving([] { return std::vector{7}; }), limits);
    // Stopped, it computes nothing for longer than its limit.
    kill(child.process_id(), SIGSTOP);
    std::thread waker([pid = child.process_id()] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(pid, SIGCONT);
    });
    CHECK(ask(child) == std::vector{7});
    waker.join();
}

TEST_CASE("memory without end is refused, and the parent does not grow") {
    Limits limits;
    limits.memory_bytes = std::int64_t{256} << 20;
    Child child("in.h5", "HDF5", serving([] {
                    std::vector<std::unique_ptr<char[]>> kept;
                    for (;;) kept.push_back(std::make_unique<char[]>(std::size_t{16} << 20));
                    return std::vector{0};
                }),
                limits);
    const auto fault = fault_of([&] { ask(child); });
    CHECK(fault.code() == ExitCode::bad_data);
    // AddressSanitizer ends the process instead of letting it throw bad_alloc.
    if (!test::kSanitized) CHECK(contains(fault.what(), "(at most 256 MiB)"));
}

TEST_CASE("an answer that cannot be is refused") {
    const auto fault = [] {
        Child child("in.h5", "HDF5", [](ConstBytes, sandbox::Bytes window) { return window.size() + 1; });
        return fault_of([&] { ask(child); });
    }();
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(contains(fault.what(), "went astray"));
}

TEST_CASE("only reading is allowed") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "a.txt";
    std::ofstream(file) << "x";
    const pid_t parent = getpid();
    Child child("in.h5", "HDF5", serving([&] {
                    const auto error_of = [](int result) { return result < 0 ? errno : 0; };
                    const char* const path = file.c_str();
                    return std::vector{
                        error_of(open(path, O_RDONLY)),
                        error_of(open(path, O_RDWR)),
                        error_of(open((file.string() + "2").c_str(), O_WRONLY | O_CREAT, 0600)),
                        error_of(unlink(path)),
                        error_of(socket(AF_INET, SOCK_STREAM, 0)),
                        error_of(fork()),
                        error_of(execl("/bin/true", "true", nullptr)),
                        error_of(kill(parent, 0)),
                        error_of(prctl(PR_SET_DUMPABLE, 1)),
                    };
                }));
    if (!sandbox::has_filter() || prctl(PR_GET_SECCOMP) < 0) {
        MESSAGE("skipped: built without libseccomp, or a kernel without filters");
        return;
    }
    CHECK(ask(child) == std::vector{0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM});
    CHECK(std::filesystem::exists(file));
}

TEST_CASE("signals of the terminal are the parent's to answer") {
    Child child("in.h5", "HDF5", serving([] { return std::vector{5}; }));
    CHECK(ask(child) == std::vector{5});
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1}) kill(child.process_id(), signal);
    CHECK(ask(child) == std::vector{5});
}

TEST_CASE("a child that somebody kills is an error of its own, and no SIGPIPE") {
    Child child("in.h5", "HDF5", serving([] { return std::vector{5}; }));
    kill(child.process_id(), SIGKILL);
    const auto fault = fault_of([&] { ask(child); });
    CHECK(fault.code() == ExitCode::out_of_memory);
    CHECK(contains(fault.what(), "was killed (SIGKILL)"));
    CHECK_FALSE(has_children());
}

TEST_CASE("a child outlives the thread that made it, and several threads may ask") {
    std::unique_ptr<Child> child;
    std::thread([&] {
        child = std::make_unique<Child>("in.h5", "HDF5", serving([] { return std::vector{1}; }));
    }).join();
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) sum += ask(*child).front();
        });
    for (auto& thread : threads) thread.join();
    CHECK(sum == 400);
}

TEST_CASE("a child dies with its parent, even in a loop") {
    // Orphans come to this process, which can therefore wait for them.
    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    std::array<int, 2> numbers{};
    REQUIRE(pipe(numbers.data()) == 0);
    const pid_t middle = fork();
    if (middle == 0) {
        Child child("in.h5", "HDF5", serving([] {
                        while (forever != 0) {
                        }
                        return std::vector{0};
                    }));
        const pid_t pid = child.process_id();
        if (write(numbers[1], &pid, sizeof pid) != sizeof pid) _exit(1);
        try {
            ask(child);
        } catch (...) {
        }
        _exit(0);
    }
    pid_t pid = -1;
    REQUIRE(read(numbers[0], &pid, sizeof pid) == sizeof pid);
    kill(middle, SIGKILL);
    REQUIRE(waitpid(middle, nullptr, 0) == middle);
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);  // for ever, if it lived on
    close(numbers[0]), close(numbers[1]);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}
