/// \file
/// Files of which each belongs to a shot, named together: `{shot}` in the name of a file, not of its folder, is the
/// number of the shot, `{shot:04}` this number with zeros before it up to four digits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace onda {

/// Whether a name stands for the files of shots.
bool is_by_shot(const std::filesystem::path& pattern);
/// The file of a shot. \param pattern for which is_by_shot() holds.
std::filesystem::path file_of_shot(const std::filesystem::path& pattern, std::int64_t shot);
/// The files that are there, by their shots; none where the folder cannot be read.
std::map<std::int64_t, std::filesystem::path> files_by_shot(const std::filesystem::path& pattern);

}  // namespace onda
