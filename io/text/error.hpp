/// \file
/// Errors that reach the user, with the exit code the command line returns for them (sysexits where one fits).
#pragma once

#include <stdexcept>
#include <string>

namespace onda {

/// The exit codes of `onda`; io/text/exit_codes.hpp says what they mean.
enum class ExitCode {
    ok = 0,
    verify_failed = 1,
    usage = 64,
    bad_data = 65,
    missing_input = 66,
    no_device = 69,
    internal = 70,
    out_of_memory = 71,
    cannot_create = 73,
    io_error = 74,
    time_limit = 75,
    unstable = 77,
    config = 78
};

/// what() is the whole message: what was tried, on what, and what to do.
class Error : public std::runtime_error {
public:
    Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    [[nodiscard]] ExitCode code() const { return code_; }

private:
    ExitCode code_;
};

}  // namespace onda
