/// \file
/// The files that a page is made of, as they were when the program was built (solver/report/page/ and the library
/// dygraphs).
#pragma once

#include <span>
#include <string_view>

#include "solver/program/embedded_file.hpp"

namespace onda {

std::span<const EmbeddedFile> page_files();

/// The file of this name: "style.css". \throws Error(internal) for a name that is not there.
inline std::string_view page_file(std::string_view name) {
    return embedded_text(page_files(), name);
}

}  // namespace onda
