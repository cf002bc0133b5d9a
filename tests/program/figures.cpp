// docs/theory.md, docs/thesis.md, docs/performance_bounds.md, docs/gallery.md and README.md: their figures are there,
// small, and made by the script in the repository. Takes 2 s.
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/io/files_support.hpp"
#include "tests/program/python.hpp"

using namespace onda;

namespace {

std::string text_of_file(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("every figure that is shown is there, small, and none is there that is not shown") {
    const std::filesystem::path docs = ONDA_SOURCE_DIR "/docs";
    const std::string text = text_of_file(docs / "theory.md") + text_of_file(docs / "thesis.md") +
                             text_of_file(docs / "migration.md") + text_of_file(docs / "performance_bounds.md") +
                             text_of_file(docs / "gallery.md") + text_of_file(ONDA_SOURCE_DIR "/README.md"),
                      script = text_of_file(docs / "figures.py");
    std::set<std::string> shown, there;
    for (std::size_t at = 0; (at = text.find("figures/", at)) != std::string::npos;) {
        at += std::string("figures/").size();
        const std::filesystem::path file = text.substr(at, text.find(')', at) - at);
        shown.insert(file.string());
        const std::string name = file.stem().string();
        const bool of_gallery = name.starts_with("gallery_");
        const std::string listed = of_gallery ? '"' + name.substr(8) + '"' : "\n    \"" + name + "\": ";
        CHECK_MESSAGE(script.find(listed) != std::string::npos, file.string());
    }
    for (const auto& entry : std::filesystem::directory_iterator(docs / "figures")) {
        there.insert(entry.path().filename().string());
        const bool of_gallery = entry.path().filename().string().starts_with("gallery_");
        CHECK_MESSAGE(entry.file_size() < (of_gallery ? 60'000 : 150'000), entry.path().string());
    }
    CHECK(shown.size() >= 8u);
    CHECK(shown == there);
}

TEST_CASE("the script makes figures from what the program prints and from a run") {
    const std::string python = python_with("import h5py, numpy, matplotlib");
    if (python.empty()) {
        std::puts("skipped: no Python here has h5py, numpy and matplotlib (python3-h5py, python3-matplotlib)");
        std::exit(kSkipped);
    }
    const TemporaryFolder folder;
    const std::string log = shell_quoted((folder.path() / "log").string());
    const int status =
        exit_status(shell_quoted(python) + ' ' + shell_quoted(ONDA_SOURCE_DIR "/docs/figures.py") + " --onda " +
                    shell_quoted(ONDA_PROGRAM) + " --output " + shell_quoted(folder.path().string()) +
                    " --only dispersion_order boundaries free_surface gallery_wells >" + log + " 2>&1");
    if (status != 0) exit_status("cat " + log);
    REQUIRE(status == 0);
    for (const char* name : {"dispersion_order.svg", "boundaries.png", "free_surface.svg", "gallery_wells.png"})
        CHECK(std::filesystem::file_size(folder.path() / name) > 10'000);
}
