/// \file
/// What the fuzz targets share. A target hands bytes to readers, which answer with a value or an Error whose message
/// can be shown; another exception, an Error(internal), a report of a sanitizer and a hang are findings.
/// docs/fuzzing.md says how they are run.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "io/hdf5/sandbox.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda::fuzz {

/// Reads one input; each target defines it.
void read_input(std::string_view input);

/// The folder of this process, under TMPDIR, removed when it ends without a finding.
const std::filesystem::path& folder();
/// A file of the folder that holds these bytes and nothing else.
std::filesystem::path file_with(std::string_view bytes, std::string_view name);

/// Ends the process with a finding.
[[noreturn]] inline void report_finding(const std::string& what) {
    std::cerr << "finding: " << what << std::endl;
    std::abort();
}

/// Calls a reader. \returns whether it answered with a value.
template <class Read>
bool answers(const Read& read) {
    try {
        read();
        return true;
    } catch (const Error& error) {
        const std::string message = error.what();
        if (error.code() == ExitCode::internal || error.code() == ExitCode::ok) report_finding(message);
        if (message.empty() || printable_lines(message) != message)
            report_finding("the message cannot be shown as it is: " + message);
        return false;
    }
}

/// A loop is told from work after half a second of computing: inputs have kilobytes.
inline sandbox::Limits tight_limits() {
    sandbox::Limits limits;
    limits.cpu_seconds = 0.5;
    limits.bytes_per_cpu_second = 1e9;
    return limits;
}

}  // namespace onda::fuzz
