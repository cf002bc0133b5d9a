/// \file
/// What every output file says about how it was made.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace onda {

/// Root attributes, in order: onda_version, git_commit, command_line, host, created_utc, config_yaml, backend, …
struct Provenance {
    std::vector<std::pair<std::string, std::string>> entries;
};

}  // namespace onda
