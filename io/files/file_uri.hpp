/// \file
/// Paths in text: a path is bytes, and a configuration is UTF-8. A path that is no UTF-8 is written as a file: URI with
/// percent signs (RFC 8089), such as file:/data/%ff/model.h5.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace onda {

/// The text of a path: the path itself where it is well-formed UTF-8, else its URI. read_path() turns both back.
std::string path_text(const std::filesystem::path& path);
/// The path that a text names; nothing if it is a file: URI whose percent signs are not each followed by two
/// hexadecimal digits, or that names a host.
std::optional<std::filesystem::path> read_path(std::string_view text);

}  // namespace onda
