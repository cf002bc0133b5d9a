/// \file
/// The files that a page is made of, as they were when the program was built (solver/report/page/ and the library
/// dygraphs).
#pragma once

#include <string_view>

namespace onda {

/// The file of this name: "style.css". \throws Error(internal) for a name that is not there.
std::string_view page_file(std::string_view name);

}  // namespace onda
