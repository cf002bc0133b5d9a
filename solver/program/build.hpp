/// \file
/// The program as it was built, and the machine it runs on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace onda {

struct Build {
    std::string version, git_commit, compiler, build_type, flags;
};
const Build& build();

/// The version in one line: "onda 0.1.0 (commit, compiler)".
std::string version_line();

/// The name and version of every library linked, in the order of the alphabet.
std::vector<std::pair<std::string, std::string>> library_versions();

struct Host {
    std::string name, cpu, system;
    int processors = 1;  ///< that this process may use
    int numa_nodes = 1;
    std::int64_t memory_bytes = 0;  ///< installed
};
Host host();

/// The memory that an allocation can count on now: what the system calls available, within the limits of the control
/// group and of the process.
std::int64_t available_memory_bytes();
/// The largest resident set of this process so far (VmHWM).
std::int64_t peak_memory_bytes();

/// The arguments this process was started with, quoted for a shell.
std::string command_line();

/// The time now, as 2026-01-31T12:00:00Z.
std::string utc_now();

}  // namespace onda
