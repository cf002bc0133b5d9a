// Runs the blocks of a document in their order, in a folder of its own that looks like a clone.
//
// ```sh and ```python are run. Comments in the lines before a block say otherwise, a line each:
//
//     <!-- file: NAME -->         the block is written to a file
//     <!-- needs: WHAT -->        it is run where WHAT is (a row of kNeeds)
//     <!-- run by: FILE -->       FILE of the source tree (one of kRunners) runs the commands, and names the document
//     <!-- stand-in: PROGRAM -->  tests/program/stand_ins/PROGRAM takes the place of PROGRAM
//     <!-- smaller: A -> B -->    here with B for A, such as fewer nodes; several lines are applied in their order
//     <!-- first: COMMAND -->     run before it: what a reader has already
//
// A block that needs what this machine lacks is skipped, and so is what reads files that it would have written.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>

#include "tests/program/program.hpp"
#include "tests/program/python.hpp"
#include "tests/ranks/mpi_environment.hpp"

namespace onda::test {

/// What a machine may lack without an error of the documents, by its name in `needs`.
inline constexpr std::array<std::string_view, 3> kNeeds{"a GPU", "MPI", "a GPU and PyTorch"};
/// What runs commands that a test cannot run: as root, with the network, or on a whole clone.
inline constexpr std::array<std::string_view, 4> kRunners{".ci/run", ".ci/readme", ".ci/release",
                                                          "tests/program/find_package.sh"};
inline constexpr std::array<std::string_view, 6> kKeys{"file", "needs", "run by", "stand-in", "smaller", "first"};

struct Block {
    std::string language, text;
    std::multimap<std::string, std::string> marks;
    int line = 0;

    /// What the comment of this key says; empty without one.
    [[nodiscard]] std::string mark(const std::string& key) const {
        const auto found = marks.find(key);
        return found == marks.end() ? "" : found->second;
    }
    /// The text as it is run here.
    [[nodiscard]] std::string smaller_text() const {
        std::string smaller = text;
        for (auto [mark, end] = marks.equal_range("smaller"); mark != end; ++mark) {
            const std::size_t arrow = mark->second.find(" -> ");
            if (arrow == std::string::npos) continue;
            const std::string from = mark->second.substr(0, arrow), to = mark->second.substr(arrow + 4);
            for (std::size_t at = 0; (at = smaller.find(from, at)) != std::string::npos; at += to.size())
                smaller.replace(at, from.size(), to);
        }
        return smaller;
    }
};

/// Key and value of a comment that is a line of its own; empty for any other line.
inline std::pair<std::string, std::string> mark_of(const std::string& line) {
    static const std::regex pattern("<!-- ([a-z][a-z -]*): (.*) -->");
    std::smatch match;
    if (!std::regex_match(line, match, pattern)) return {};
    return {match[1], match[2]};
}

inline std::vector<Block> blocks_of(const std::string& document) {
    std::vector<Block> blocks;
    std::istringstream lines(document);
    std::string line;
    std::multimap<std::string, std::string> marks;
    for (int number = 1; std::getline(lines, line); ++number) {
        if (const auto mark = mark_of(line); !mark.first.empty()) {
            marks.insert(mark);
            continue;
        }
        if (line.starts_with("```")) {
            Block block{line.substr(3), "", marks, number};
            for (; std::getline(lines, line) && line != "```"; ++number) block.text += line + "\n";
            ++number;
            blocks.push_back(block);
        }
        marks.clear();
    }
    return blocks;
}

/// What is wrong with the comments before a block; empty if they are right.
/// \param name of the document from the root of the source tree, as its runner has to name it.
inline std::string fault_of_marks(const Block& block, const std::string& name) {
    const auto in = [](const auto& list, const std::string& word) {
        return std::ranges::find(list, word) != list.end();
    };
    for (const auto& [key, value] : block.marks)
        if (!in(kKeys, key)) return "unknown comment <!-- " + key + ": … -->; see tests/program/documents.hpp";
    if (const std::string what = block.mark("needs"); !what.empty() && !in(kNeeds, what))
        return "needs: " + what + ": must be one of kNeeds of tests/program/documents.hpp";
    for (auto [mark, end] = block.marks.equal_range("smaller"); mark != end; ++mark)
        if (!contains(block.text, mark->second.substr(0, mark->second.find(" -> "))))
            return "smaller: the block has no " + mark->second;
    const std::string runner = block.mark("run by");
    if (runner.empty()) return "";
    if (!in(kRunners, runner)) return "run by: " + runner + ": must be one of kRunners of tests/program/documents.hpp";
    if (!contains(text_of(std::filesystem::path(ONDA_SOURCE_DIR) / runner), name))
        return "run by: " + runner + " does not name " + name;
    return "";
}

/// A folder that looks like a clone, in which `onda` is the program under test.
class Clone {
public:
    Clone() {
        const std::filesystem::path source = ONDA_SOURCE_DIR;
        for (const char* name : {"configs", "examples"})
            std::filesystem::copy(source / name, folder_.path() / name, std::filesystem::copy_options::recursive);
        std::filesystem::create_directory(folder_.path() / "docs");
        std::filesystem::copy(source / "docs/config.md", folder_.path() / "docs");
        if (const char* data = std::getenv("ONDA_DATA_DIR")) {
            const std::filesystem::path marmousi = std::filesystem::path(data) / kMarmousi;
            if (std::filesystem::exists(marmousi))
                std::filesystem::create_symlink(marmousi, folder_.path() / marmousi.filename());
        }
    }
    static constexpr const char* kMarmousi = "marmousi_vp_1601x401.f32";

    [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(folder_.path() / name); }
    [[nodiscard]] std::string text(const std::string& name) const { return text_of(folder_.path() / name); }
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
        const std::string command = kMpiEnvironment + "; cd " + quoted(folder_.path().string()) +
                                    " && PATH=" + quoted(program) + ":$PATH PYTHONPATH=" + quoted(program + "/python") +
                                    " XDG_CACHE_HOME=" + quoted((folder_.path() / "cache").string()) +
                                    " MPLBACKEND=Agg " + interpreter + " " + quoted(script.string()) + " >" +
                                    quoted(out.string()) + " 2>&1 </dev/null";
        const bool good = std::system(command.c_str()) == 0;
        return {good, text_of(out)};
    }

private:
    TemporaryFolder folder_;
};

/// What there is beside the program.
struct Tools {
    /// An interpreter that has the modules of an import ("h5py, numpy"); empty if there is none.
    std::function<std::string(const std::string& modules)> python = [](const std::string&) { return std::string(); };
    std::function<bool(const std::string& need)> has = [](const std::string&) { return false; };
    bool package = false;  ///< the Python package, beside the program
};

/// What became of a block: it was run, left to others, skipped, or has an error.
struct Told {
    enum class Kind { run, left, skipped, fault } kind;
    std::string text;  ///< with its place: "python.md:16: …"
};

class Document {
public:
    Document(std::string name, const std::string& text, const Tools& tools)
        : name_(std::move(name)), blocks_(blocks_of(text)), tools_(tools) {
        if (!clone_.has(Clone::kMarmousi)) missing_[Clone::kMarmousi] = "ONDA_DATA_DIR has no Marmousi";
    }

    [[nodiscard]] std::vector<Told> run() {
        std::vector<Told> told;
        for (const Block& block : blocks_) {
            Told one = run(block);
            one.text.insert(0, name_ + ":" + std::to_string(block.line) + ": ");
            told.push_back(one);
        }
        return told;
    }

private:
    Told run(const Block& block) {
        if (const std::string fault = fault_of_marks(block, name_); !fault.empty()) return {Told::Kind::fault, fault};
        if (block.language.empty()) return {Told::Kind::fault, "say what language the block is in, such as text"};
        if (const std::string file = block.mark("file"); !file.empty()) {
            clone_.write(file, block.smaller_text());
            return {Told::Kind::left, "written to " + file};
        }
        if (block.language != "sh" && block.language != "python") return {Told::Kind::left, block.language};
        if (const std::string runner = block.mark("run by"); !runner.empty())
            return {Told::Kind::left, "run by " + runner};
        const std::string why = why_not(block);
        if (why.empty()) return run_here(block);
        lose(block, why);
        return {Told::Kind::skipped, why};
    }

    Told run_here(const Block& block) {
        std::string interpreter = "bash -euo pipefail", text = block.smaller_text(), before;
        for (auto [mark, end] = block.marks.equal_range("first"); mark != end; ++mark) before += mark->second + "\n";
        if (const std::string program = block.mark("stand-in"); !program.empty())
            before += "PATH=" ONDA_SOURCE_DIR "/tests/program/stand_ins:$PATH\n";
        if (block.language == "python")
            interpreter = quoted(tools_.python(modules_of(block)));
        else
            text.insert(0, before);
        const Clone::Ended ended = clone_.run(interpreter, text);
        if (ended.well) return {Told::Kind::run, ""};
        return {Told::Kind::fault, "\n" + text + "\nsaid:\n" + ended.said};
    }

    /// Why a block cannot be run here; empty if it can.
    [[nodiscard]] std::string why_not(const Block& block) const {
        if (const std::string need = block.mark("needs"); !need.empty() && !tools_.has(need)) return "needs " + need;
        if (const std::string lost = lost_input(block.text, ""); !lost.empty()) return lost;
        if (block.language != "python") return "";
        if (contains(block.text, "import onda") && !tools_.package) return "the Python package is not built";
        const std::string modules = modules_of(block);
        return tools_.python(modules).empty() ? "no Python here has " + modules : "";
    }

    /// The modules that a block of Python needs, in itself and by what it asks of the package.
    static std::string modules_of(const Block& block) {
        using Signs = std::vector<const char*>;
        static const std::array<std::pair<const char*, Signs>, 6> table{
            {{"h5py", {"h5py", "onda.open(", "onda.lsrtm(", "onda.fwi("}},
             {"numpy", {"numpy", "import onda"}},
             {"scipy", {"import scipy"}},
             {"xarray", {"xarray", "dataset(", ".plot("}},
             {"h5netcdf", {"open_dataset("}},
             {"matplotlib", {"matplotlib", ".plot("}}}};
        std::string modules;
        for (const auto& [module, signs] : table)
            if (std::ranges::any_of(signs, [&](const char* sign) { return contains(block.text, sign); }))
                modules += (modules.empty() ? "" : ", ") + std::string(module);
        return modules.empty() ? "sys" : modules;
    }

    /// Names of files and of folders of results in a text.
    static std::vector<std::string> names_in(const std::string& text) {
        static const std::regex pattern(
            "[A-Za-z0-9_][A-Za-z0-9_./-]*[.](h5|npy|yaml|csv|json|png|pdf|mp4|segy|su|sgy|f32|bin|rsf|xdmf|html|txt)\\b"
            "|results/[A-Za-z0-9_./-]*[A-Za-z0-9_]");
        std::vector<std::string> names;
        for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
            names.push_back(match->str());
        return names;
    }

    /// Remembers what a block that is skipped would have written: what it names and is not there, and the results of
    /// its configurations.
    void lose(const Block& block, const std::string& why) {
        for (const std::string& name : names_in(block.text)) {
            if (!clone_.has(name)) missing_.emplace(name, why);
            const std::filesystem::path path = name;
            if (path.extension() == ".yaml") missing_.emplace("results/" + path.stem().string(), why);
        }
    }

    /// Why a file that a text names is not there, in itself or by a configuration that it names; empty if none was
    /// lost.
    [[nodiscard]] std::string lost_input(const std::string& text, const std::filesystem::path& beside) const {
        for (const std::string& name : names_in(text)) {
            const std::string path = (beside / name).string();
            if (clone_.has(path)) {
                if (!path.ends_with(".yaml") || !beside.empty()) continue;
                const std::filesystem::path folder = std::filesystem::path(path).parent_path();
                const std::string lost = lost_input(clone_.text(path), folder.empty() ? "." : folder);
                if (!lost.empty()) return lost;
                continue;
            }
            for (const auto& [lost, why] : missing_)
                if (is_within(path, lost)) return lost + " was not made: " + why;
        }
        return "";
    }

    static bool is_within(const std::string& path, const std::string& lost) {
        const std::string normal = std::filesystem::path(path).lexically_normal().string();
        return normal == lost || normal.starts_with(lost + "/");
    }

    std::string name_;
    std::vector<Block> blocks_;
    const Tools& tools_;
    Clone clone_;
    std::map<std::string, std::string> missing_;  ///< what was not written, and why
};

}  // namespace onda::test
