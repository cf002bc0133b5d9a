/// \file
/// What every output file says about how it was made.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace onda {

/// Root attributes, in order: onda_version, git_commit, command_line, host, created_utc, config_yaml, backend, …
struct Provenance {
    std::vector<std::pair<std::string, std::string>> entries;

    /// Bytes of all names and values: what provenance adds to a file, next to nothing else.
    [[nodiscard]] std::int64_t bytes() const {
        std::size_t sum = 0;
        for (const auto& [name, value] : entries) sum += name.size() + value.size();
        return static_cast<std::int64_t>(sum);
    }
};

}  // namespace onda
