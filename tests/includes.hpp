// What the sources of the tree include, read from their text: for the tests of the include rules.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace onda::test {

namespace fs = std::filesystem;

inline const fs::path kRoot = ONDA_SOURCE_DIR;

inline std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The path in `#include "path"`, empty for other lines. \param brackets of the path: "\"\"" or "<>".
inline std::string included(const std::string& line, const char* brackets = "\"\"") {
    const std::string begin = std::string("#include ") + brackets[0];
    if (!line.starts_with(begin)) return {};
    return line.substr(begin.size(), line.rfind(brackets[1]) - begin.size());
}

/// The paths that a file includes itself. \param file from the root of the tree.
inline std::vector<std::string> includes_of(const fs::path& file, const char* brackets = "\"\"") {
    std::vector<std::string> paths;
    for (const std::string& line : lines_of(kRoot / file))
        if (std::string path = included(line, brackets); !path.empty()) paths.push_back(std::move(path));
    return paths;
}

inline void add_included(const fs::path& file, std::set<std::string>& reached) {
    for (const std::string& path : includes_of(file))
        if (reached.insert(path).second) add_included(path, reached);
}

/// The paths that a file includes, and what these include.
inline std::set<std::string> reached_by(const fs::path& source) {
    std::set<std::string> reached;
    add_included(source, reached);
    return reached;
}

/// Whether a header takes the place of CUDA in tests/cuda_on_host: only the tests' builds of the kernels have it.
inline bool is_cuda_stand_in(const std::string& path) {
    return path == "cuda_on_host.hpp" || path == "launch_on_host.hpp";
}

/// The files below a folder that `wanted` takes, as paths from the root of the tree.
template <typename Predicate>
std::vector<fs::path> sources(const char* folder, const Predicate& wanted) {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder))
        if (entry.is_regular_file() && wanted(entry.path())) found.push_back(fs::relative(entry.path(), kRoot));
    return found;
}

}  // namespace onda::test
