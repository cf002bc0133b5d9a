// Every command of the documents does what they say: it runs.
//
// Blocks of a document are taken in their order, in a folder of its own that looks like a clone. ```sh and ```python
// are run; what stands behind <!-- file: NAME --> is written to a file; <!-- not run: WHY --> leaves a block out.
#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"

using namespace onda;

namespace {

struct Block {
    std::string language, text;
    std::string file;     ///< that it is written to; empty: it is run
    std::string not_run;  ///< why
    int line = 0;
};

/// What a comment says behind its key; empty for any other line.
std::string in_comment(const std::string& line, const std::string& key) {
    const std::string begin = "<!-- " + key + ": ", end = " -->";
    if (!line.starts_with(begin) || !line.ends_with(end)) return "";
    return line.substr(begin.size(), line.size() - begin.size() - end.size());
}

std::vector<Block> blocks_of(const std::filesystem::path& document) {
    std::vector<Block> blocks;
    std::istringstream lines(text_of(document));
    std::string line, before;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (line.starts_with("```")) {
            Block block{line.substr(3), "", in_comment(before, "file"), in_comment(before, "not run"), number};
            for (; std::getline(lines, line) && line != "```"; ++number) block.text += line + "\n";
            ++number;
            blocks.push_back(block);
        }
        before = line;
    }
    return blocks;
}

/// A folder that looks like a clone, in which `onda` is the program under test.
class Clone {
public:
    Clone() {
        for (const char* name : {"configs", "examples"})
            std::filesystem::copy(std::filesystem::path(ONDA_SOURCE_DIR) / name, folder_.path() / name,
                                  std::filesystem::copy_options::recursive);
        if (const char* data = std::getenv("ONDA_DATA_DIR")) {
            const std::filesystem::path marmousi = std::filesystem::path(data) / "marmousi_vp_1601x401.f32";
            if (std::filesystem::exists(marmousi))
                std::filesystem::create_symlink(marmousi, folder_.path() / marmousi.filename());
        }
    }
    [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
    void write(const std::string& name, const std::string& text) const { write_text(folder_.path() / name, text); }
    struct Ended {
        bool well;
        std::string said;
    };
    [[nodiscard]] Ended run(const std::string& interpreter, const std::string& text) const {
        const TemporaryFolder elsewhere;
        const auto script = elsewhere.path() / "script", out = elsewhere.path() / "out";
        write_text(script, text);
        const std::string program = std::filesystem::path(ONDA_PROGRAM).parent_path().string();
        const std::string command = "cd " + quoted(folder_.path().string()) + " && PATH=" + quoted(program) +
                                    ":$PATH PYTHONPATH=" + quoted(program + "/python") + " MPLBACKEND=Agg " +
                                    interpreter + " " + quoted(script.string()) + " >" + quoted(out.string()) +
                                    " 2>&1 </dev/null";
        const bool good = std::system(command.c_str()) == 0;
        return {good, text_of(out)};
    }

private:
    TemporaryFolder folder_;
};

std::vector<std::filesystem::path> documents() {
    const std::filesystem::path root = ONDA_SOURCE_DIR;
    std::vector<std::filesystem::path> list{root / "README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") list.push_back(entry.path());
    std::ranges::sort(list);
    return list;
}

}  // namespace

TEST_CASE("the commands of the documents run") {
    const std::string python = python_with("import h5py, numpy, xarray, h5netcdf, matplotlib");
    const bool has_package =
        std::filesystem::exists(std::filesystem::path(ONDA_PROGRAM).parent_path() / "python" / "onda");
    int run = 0;
    for (const std::filesystem::path& document : documents()) {
        const Clone clone;
        for (const Block& block : blocks_of(document)) {
            const std::string place = document.filename().string() + ":" + std::to_string(block.line);
            CHECK_MESSAGE(!block.language.empty(), place, ": say what language the block is in, such as text");
            if (!block.file.empty()) {
                clone.write(block.file, block.text);
                continue;
            }
            if (!block.not_run.empty() || (block.language != "sh" && block.language != "python")) continue;
            if (contains(block.text, "marmousi") && !clone.has("marmousi_vp_1601x401.f32")) {
                MESSAGE(place, ": skipped: ONDA_DATA_DIR has no Marmousi");
                continue;
            }
            if (block.language == "python" && python.empty()) {
                MESSAGE(place, ": skipped: no Python here has h5py, numpy, xarray, h5netcdf and matplotlib");
                continue;
            }
            if (contains(block.text, "import onda") && !has_package) {
                MESSAGE(place, ": skipped: the Python package is not built");
                continue;
            }
            const Clone::Ended ended = block.language == "sh" ? clone.run("bash -euo pipefail", block.text)
                                                              : clone.run(quoted(python), block.text);
            CHECK_MESSAGE(ended.well, place, ":\n", block.text, "\nsaid:\n", ended.said);
            ++run;
        }
    }
    CHECK(run >= 8);
}
