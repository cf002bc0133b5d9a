/// \file
/// What Onda measures of a machine once and keeps for later runs of the same user: small JSON files in a folder of the
/// user's. Whatever lies there can be deleted at any time.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// $XDG_CACHE_HOME/onda, or else $HOME/.cache/onda (XDG Base Directory Specification 0.8; as there, paths that are not
/// absolute do not count); no value where neither variable names a folder. The folder need not exist.
std::optional<std::filesystem::path> cache_folder();

/// What was written under a name. Any number of processes may write it meanwhile: what is read is one of the wholes.
/// \param name small letters, digits and hyphens. \param version of the value's own layout: one that another version of
/// Onda wrote is of no use. \param warnings get a line that names the file if it cannot be read, is damaged, or is of
/// another version: it is as if it were not there, and is written anew; null: the lines go to stderr.
/// \returns no value also where nothing was written, or where there is no folder. \throws std::bad_alloc alone.
std::optional<nlohmann::json> read_cache(std::string_view name, int version,
                                         std::vector<std::string>* warnings = nullptr);

/// Keeps a value under a name, complete or not at all, in place of what was there. Creates the folder, for this user
/// alone. \returns the file. \throws Error(cannot_create | io_error) where there is no folder, or none that can be
/// written.
std::filesystem::path write_cache(std::string_view name, int version, const nlohmann::json& value);

/// The names that begin with `prefix` and under which something was written, sorted.
std::vector<std::string> cached_names(std::string_view prefix);
/// Deletes what was written under a name, if it is there. \throws Error(io_error).
void remove_cache(std::string_view name);

}  // namespace onda
