// Editing the description of a set-up compiles no kernel again. No source of a CUDA kernel, and none of the CPU kernels
// that are compiled for every instruction set, reaches kernels/setup.hpp or anything of solver and io.
// Takes less than a second.
#include "tests/includes.hpp"

#include <algorithm>
#include <doctest/doctest.h>

using namespace onda::test;

namespace {

bool mentions(const fs::path& file, const std::string& word) {
    for (const std::string& line : lines_of(file))
        if (line.find(word) != std::string::npos) return true;
    return false;
}

/// Whether a kernel of a backend may depend on a header. \param own the folder of the backend.
bool may_reach(const std::string& path, const std::string& own) {
    for (const char* shared :
         {"kernels/host_device.hpp", "kernels/imaging/coded_block.hpp", "kernels/load_strategy.hpp",
          "kernels/plan/allocations.hpp", "kernels/stepping.hpp", "kernels/storage.hpp"})
        if (path == shared) return true;
    if (is_cuda_stand_in(path)) return true;
    for (const std::string& folder : {own, std::string("kernels/companions/"), std::string("kernels/grid/"),
                                      std::string("kernels/equations/"), std::string("kernels/boundaries/")})
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
