#include "solver/program/failure.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <filesystem>
#include <initializer_list>
#include <new>
#include <system_error>
#include <unistd.h>

#include "io/files/interruption.hpp"
#include "io/files/library_crash.hpp"
#include "io/text/printable.hpp"
#include "kernels/cuda/cuda.hpp"

namespace onda {
namespace {

constexpr char kOutOfMemory[] =
    "out of memory\n  `onda check CONFIG` lists what a run needs; use a smaller grid, fewer receivers, or a machine "
    "with "
    "more memory";

Failure describe_system_error(const std::system_error& error) {
    if (error.code() == std::errc::not_enough_memory) return {ExitCode::out_of_memory, kOutOfMemory};
    if (dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr)
        return {ExitCode::io_error, printable_whole(error.what())};
    // What pthread_create() says where it cannot have a stack.
    if (error.code() == std::errc::resource_unavailable_try_again)
        return {ExitCode::out_of_memory, std::string("the system refuses another thread: ") + error.what()};
    return {ExitCode::internal,
            std::string("internal error: ") + error.what() + "\n  please report it with the output of `onda info`"};
}

/// Past every buffer, as those may need memory.
void write_to_stderr(std::initializer_list<const char*> parts) noexcept {
    for (const char* part : parts)
        if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

[[noreturn]] void end_uncaught() noexcept {
    // A second exception must not come here again.
    std::set_terminate([] { ::_exit(static_cast<int>(ExitCode::internal)); });
    const char* what = "an exception that nobody caught";
    if (abi::__cxa_current_exception_type() == nullptr) {
        if (failed_new_unwinds()) end_out_of_memory();
        // Not even the exception may have found memory.
        void* volatile probe = std::malloc(4096);
        if (probe == nullptr) end_out_of_memory();
        what = "terminated without an exception";
    } else {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            end_out_of_memory();
        } catch (const std::exception& error) {
            write_to_stderr({"error: internal error: ", error.what()});
            what = "";
        } catch (...) {
        }
    }
    if (*what != '\0') write_to_stderr({"error: internal error: ", what});
    write_to_stderr({"\n  please report it with the output of `onda info`\n"});
    remove_temporary_files();
    ::_exit(static_cast<int>(ExitCode::internal));
}

}  // namespace

void end_out_of_memory() noexcept {
    write_to_stderr({"error: ", kOutOfMemory, "\n"});
    remove_temporary_files();
    ::_exit(static_cast<int>(ExitCode::out_of_memory));
}

namespace {
std::atomic<bool> exit_is_not_ours{false};
}

ExitOfLibraries::ExitOfLibraries() {
    exit_is_not_ours = true;
    // The first 32 handlers need no memory.
    std::atexit([] {
        if (!exit_is_not_ours) return;
        write_to_stderr(
            {"error: a library gave up for want of memory or threads\n"
             "  take fewer --threads, a smaller grid or fewer receivers\n"});
        remove_temporary_files();
        ::_exit(static_cast<int>(ExitCode::out_of_memory));
    });
}

ExitOfLibraries::~ExitOfLibraries() {
    exit_is_not_ours = false;
}

void report_what_nobody_catches() noexcept {
    std::set_terminate(end_uncaught);
    std::set_new_handler([] {
        note_failed_new();
        throw std::bad_alloc();
    });
}

Failure describe_failure(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        return {error.code(), error.what()};
    } catch (const cuda::Error& error) {
        return {error.out_of_memory ? ExitCode::out_of_memory : ExitCode::no_device,
                std::string("the GPU failed: ") + error.what() +
                    "\n  `onda info` says whether the GPU is there, and backend.name: cpu computes without it"};
    } catch (const std::bad_alloc&) {
        return {ExitCode::out_of_memory, kOutOfMemory};
    } catch (const std::invalid_argument& error) {
        return {ExitCode::config, error.what()};
    } catch (const std::system_error& error) {
        return describe_system_error(error);
    } catch (const std::exception& error) {
        return {ExitCode::internal,
                std::string("internal error: ") + error.what() + "\n  please report it with the output of `onda info`"};
    } catch (...) {
        return {ExitCode::internal, "internal error\n  please report it with the output of `onda info`"};
    }
}

bool is_about_the_machine(ExitCode code) {
    return code == ExitCode::no_device || code == ExitCode::out_of_memory;
}

}  // namespace onda
