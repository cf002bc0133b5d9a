/// \file
/// Versions of the libraries that read and write files.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace onda {

/// The name and version of each library: as loaded where the library can tell, as compiled against otherwise.
std::vector<std::pair<std::string, std::string>> io_library_versions();

}  // namespace onda
