// Promise: editing the description of a set-up compiles no kernel again. No source of a CUDA kernel, and none of the
// CPU kernels that are compiled for every instruction set, reaches kernels/setup.hpp or anything of solver and io.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ONDA_SOURCE_DIR;

std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// The path in `#include "path"`, empty for other lines.
std::string included(const std::string& line) {
    const std::string begin = "#include \"";
    if (!line.starts_with(begin)) return {};
    return line.substr(begin.size(), line.rfind('"') - begin.size());
}

/// Adds what a file of the source tree includes, and what that includes.
void add_included(const fs::path& file, std::set<std::string>& reached) {
    for (const std::string& line : lines_of(kRoot / file)) {
        const std::string path = included(line);
        if (!path.empty() && reached.insert(path).second) add_included(path, reached);
    }
}

std::set<std::string> reached_by(const fs::path& source) {
    std::set<std::string> reached;
    add_included(source, reached);
    return reached;
}

bool mentions(const fs::path& file, const std::string& word) {
    for (const std::string& line : lines_of(file))
        if (line.find(word) != std::string::npos) return true;
    return false;
}

/// The sources below a folder that `is_kernel` takes, as paths from the root.
template <typename Predicate>
std::vector<fs::path> sources(const char* folder, const Predicate& is_kernel) {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder))
        if (entry.is_regular_file() && is_kernel(entry.path())) found.push_back(fs::relative(entry.path(), kRoot));
    return found;
}

/// Whether a kernel of a backend may depend on a header. \param own the folder of the backend.
bool may_reach(const std::string& path, const std::string& own) {
    for (const char* header :
         {"kernels/host_device.hpp", "kernels/load_strategy.hpp", "cuda_on_host.hpp", "launch_on_host.hpp"})
        if (path == header) return true;
    for (const std::string& folder :
         {own, std::string("kernels/grid/"), std::string("kernels/equations/"), std::string("kernels/boundaries/")})
        if (path.starts_with(folder)) return true;
    return false;
}

void check_reach(const fs::path& source, const std::string& own) {
    CAPTURE(source);
    const std::set<std::string> reached = reached_by(source);
    REQUIRE_FALSE(reached.empty());
    for (const std::string& path : reached) {
        CAPTURE(path);
        CHECK(may_reach(path, own));
    }
}

}  // namespace

TEST_CASE("no source of a CUDA kernel reaches the description of a set-up") {
    const auto found = sources("kernels/cuda", [](const fs::path& path) { return path.extension() == ".cu"; });
    CHECK(found.size() >= 8);
    for (const fs::path& source : found) check_reach(source, "kernels/cuda/");
}

TEST_CASE("no CPU kernel compiled for every instruction set reaches the description of a set-up") {
    const auto found = sources(
        "kernels/cpu", [](const fs::path& path) { return path.extension() == ".cpp" && mentions(path, "ONDA_ISA"); });
    CHECK(found.size() >= 8);
    for (const fs::path& source : found) check_reach(source, "kernels/cpu/");
}

TEST_CASE("a header that a source reaches through others is noticed") {
    const std::set<std::string> reached = reached_by("kernels/cuda/instances.cpp");
    CHECK_FALSE(std::ranges::all_of(reached, [](const auto& path) { return may_reach(path, "kernels/cuda/"); }));
    CHECK(reached.contains("kernels/equations/star/stencil.hpp"));
}
