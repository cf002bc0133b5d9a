// A crash within a library that gets no memory ends the program with words and a code of ours; a crash of our own
// instructions, inside or outside such a stretch, stays the signal that it is, unless it comes of cleaning up after a
// failed allocation.
// Takes less than a second.
#include "io/files/library_crash.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/interruption.hpp"
#include "io/text/exit_codes.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

/// How a process ends that watches for crashes and then does this.
int end_of(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        // doctest has handlers of its own.
        watch_signals();
        watch_crashes_of_libraries();
        work();
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

char* volatile nowhere = nullptr;

void crash_here() {
    *const_cast<volatile char*>(nowhere) = 1;
}

/// In the C library, which stands for any.
void crash_in_library() {
    raise(SIGSEGV);
}

bool is_memory_short(int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::out_of_memory);
}

bool is_signal(int status, int signal) {
    return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

}  // namespace

TEST_CASE("whose crash it is, is told by where the instruction lies" * doctest::skip(test::kSanitized)) {
    const auto in_scope = [](void (*crash)()) {
        return [crash] {
            const LibraryAtWork library("the library");
            crash();
        };
    };
    CHECK(is_memory_short(end_of(in_scope(crash_in_library))));
    CHECK(is_memory_short(end_of(in_scope([] { std::abort(); }))));
    CHECK(is_signal(end_of(in_scope(crash_here)), SIGSEGV));
    CHECK(is_signal(end_of(crash_in_library), SIGSEGV));
    CHECK(is_signal(end_of(crash_here), SIGSEGV));
}

TEST_CASE("a crash on the way of a failed allocation's exception is want of memory" * doctest::skip(test::kSanitized)) {
    const auto unwinding = [](bool failed) {
        return [failed] {
            struct HalfMade {
                ~HalfMade() { crash_here(); }
            };
            if (failed) note_failed_new();
            try {
                const HalfMade value;
                throw std::bad_alloc();
            } catch (const std::bad_alloc&) {
            }
        };
    };
    CHECK(is_memory_short(end_of(unwinding(true))));
    CHECK(is_signal(end_of(unwinding(false)), SIGSEGV));
    CHECK(is_signal(end_of([] {
                        note_failed_new();
                        crash_here();
                    }),
                    SIGSEGV));
}
