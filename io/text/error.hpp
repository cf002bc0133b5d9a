/// \file
/// Errors that reach the user, with the exit code the command line returns for them (sysexits where one fits).
#pragma once

#include <stdexcept>
#include <string>

namespace onda {

/// The documented exit codes of `onda`; docs/exit_codes.md lists the same table.
enum class ExitCode {
    ok = 0,              ///< done
    usage = 64,          ///< wrong command line
    bad_data = 65,       ///< an input file is damaged or does not hold what it must
    missing_input = 66,  ///< an input file does not exist or cannot be read
    no_device = 69,      ///< the device asked for is not there, or it failed
    internal = 70,       ///< a fault in Onda
    out_of_memory = 71,  ///< the run needs more memory than there is
    cannot_create = 73,  ///< an output exists already or cannot be created
    io_error = 74,       ///< reading or writing failed: disk full, quota, hardware
    time_limit = 75,     ///< shots are missing when `--max-hours` are over: the same command goes on
    unstable = 77,       ///< NaN or blow-up
    config = 78,         ///< the configuration has faults
    verify_failed = 1    ///< `onda verify`: a promise was not kept
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
