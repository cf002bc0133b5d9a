/// \file
/// "Did you mean …": the nearest of the names there are.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onda {

/// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`
/// (Damerau-Levenshtein, optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The name of least distance to `typed`, if it is near enough to be meant: at most 2 edits, and fewer than half of
/// the letters.
std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> names);

}  // namespace onda
