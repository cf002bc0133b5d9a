/// \file
/// Files that the program carries, as they were when it was built (solver/program/embed.cmake).
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "io/text/error.hpp"

namespace onda {

struct EmbeddedFile {
    std::string_view name, text;
};

/// The text of the file of this name. \throws Error(internal) for a name that is not there.
inline std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view name) {
    const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
    if (file == files.end()) throw Error(ExitCode::internal, "the program does not hold the file " + std::string(name));
    return file->text;
}

}  // namespace onda
