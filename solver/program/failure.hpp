/// \file
/// One place decides which exit code and message a failure becomes.
#pragma once

#include <exception>
#include <string>

#include "io/text/error.hpp"

namespace onda {

struct Failure {
    ExitCode code = ExitCode::internal;
    std::string message;
};

/// The exit code and message of an exception. Error keeps its own code; cuda::Error is no_device; std::bad_alloc, and a
/// system call or a thread for which the system had no memory, is out_of_memory with advice; std::invalid_argument (the
/// kernels refuse a setup) is config; std::filesystem::filesystem_error is io_error; anything else is a bug in Onda.
/// \throws std::bad_alloc if there is no memory for the message.
Failure describe_failure(const std::exception_ptr& exception);
/// Whether a failure is one of a device, or want of memory: the same command may do on another machine, or another day.
bool is_about_the_machine(ExitCode code);

/// Says that memory is short and ends the process with that code. Allocates nothing and runs no destructors: what
/// brought the program here may be anywhere.
[[noreturn]] void end_out_of_memory() noexcept;
/// Lets an exception that nobody catches (in a static object, a thread, a noexcept function) end the process with a
/// message and an exit code of ours from here on, instead of a core dump.
void report_what_nobody_catches() noexcept;

/// A guard against libraries that give up by exit(): libgomp without memory or threads, HDF5 without memory. Their exit
/// codes say nothing; while a guard lives, the process then ends as end_out_of_memory() ends it.
class ExitOfLibraries {
public:
    ExitOfLibraries();
    ~ExitOfLibraries();
    ExitOfLibraries(const ExitOfLibraries&) = delete;
    ExitOfLibraries& operator=(const ExitOfLibraries&) = delete;
};

}  // namespace onda
