/// \file
/// What the exit codes mean: docs/exit_codes.md and the manual page list this table.
#pragma once

#include <array>
#include <string_view>

#include "io/text/error.hpp"

namespace onda {

struct ExitCodeRow {
    ExitCode code;
    std::string_view name, meaning;
};

inline constexpr std::array<ExitCodeRow, 13> kExitCodes{{
    {ExitCode::ok, "ok", "done"},
    {ExitCode::verify_failed, "verify_failed",
     "`onda verify`: a test failed; `onda bench compare`: something is slower; `onda bench ep`, `cg`, "
     "`encode`: a result is not the published one, or beyond its bound; `onda compare --tolerance`: a difference "
     "beyond it"},
    {ExitCode::usage, "usage", "wrong command line"},
    {ExitCode::bad_data, "bad_data", "an input file is damaged or does not hold what it must"},
    {ExitCode::missing_input, "missing_input", "an input file does not exist or cannot be read"},
    {ExitCode::no_device, "no_device", "the requested device is not there, or it failed"},
    {ExitCode::internal, "internal", "an internal error of Onda"},
    {ExitCode::out_of_memory, "out_of_memory", "the run needs more memory than there is"},
    {ExitCode::cannot_create, "cannot_create", "an output exists already or cannot be created"},
    {ExitCode::io_error, "io_error", "reading or writing failed: disk full, quota, hardware"},
    {ExitCode::time_limit, "time_limit",
     "`--max-hours` reached, or ended by `TERM` or `INT` with what was being computed on disk: the same command "
     "resumes"},
    {ExitCode::unstable, "unstable", "NaN or blow-up"},
    {ExitCode::config, "config", "the configuration is invalid"},
}};

}  // namespace onda
