// docs/architecture.md and docs/how_to_add.md describe the tree as it is. Every folder of sources stands in the one,
// every path, type and function that either names is there, and the include rules that they state hold. The pages can
// be read: what is a sentence stands in a paragraph, not in the cell of a table.
// Takes less than a second.
#include <algorithm>
#include <cctype>
#include <doctest/doctest.h>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>

#include "tests/includes.hpp"

using namespace onda::test;

namespace {

constexpr const char* kRooms[] = {"solver", "kernels", "io", "tests"};
constexpr const char* kArchitecture = "docs/architecture.md";
constexpr const char* kPages[] = {kArchitecture, "docs/how_to_add.md"};

/// A page in the pieces that a reader takes in at once: paragraphs, whose lines are joined, items of a list, rows of a
/// table, headings.
std::vector<std::string> pieces_of(const std::vector<std::string>& lines) {
    std::vector<std::string> pieces;
    bool goes_on = false;
    for (const std::string& line : lines) {
        const std::size_t text = line.find_first_not_of(' ');
        if (text == std::string::npos) {
            goes_on = false;
            continue;
        }
        const bool begins = line[text] == '|' || line[text] == '#' || line.compare(text, 2, "- ") == 0;
        if (goes_on && !begins)
            pieces.back() += ' ' + line.substr(text);
        else
            pieces.push_back(line);
        goes_on = true;
    }
    return pieces;
}

bool is_row(const std::string& piece) {
    return piece.starts_with('|');
}

/// The characters of a text in UTF-8.
std::ptrdiff_t characters(std::string_view text) {
    return std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
}

/// The characters of the longest cell in a row of a table, without the spaces beside its bars.
std::ptrdiff_t longest_cell(std::string_view row) {
    std::ptrdiff_t longest = 0;
    std::size_t begin = 1;
    for (std::size_t i = 1; i < row.size(); ++i)
        if (row[i] == '|' && row[i - 1] != '\\') {
            longest = std::max(longest, characters(row.substr(begin, i - begin)) - 2);
            begin = i + 1;
        }
    return longest;
}

/// What stands in backticks in a piece of a page.
std::vector<std::string> quoted_in(const std::string& line) {
    std::vector<std::string> words;
    for (std::size_t begin = line.find('`'); begin != std::string::npos; begin = line.find('`', begin)) {
        const std::size_t end = line.find('`', begin + 1);
        if (end == std::string::npos) break;
        words.push_back(line.substr(begin + 1, end - begin - 1));
        begin = end + 1;
    }
    return words;
}

/// Whether a word is meant as a file or folder of the tree: letters of a path alone, with a slash or as a source.
bool is_path(const std::string& word) {
    const bool letters = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("_-./").find(static_cast<char>(c)) != std::string_view::npos;
    });
    const fs::path extension = fs::path(word).extension();
    return letters && (word.find('/') != std::string::npos || extension == ".hpp" || extension == ".cpp" ||
                       extension == ".cu" || extension == ".md");
}

/// The name of a type, a function or a constant that a word stands for, without what it belongs to: "Config" of
/// "Config", "visit" of "Wavefield::visit()". Empty for anything else.
std::string symbol_of(std::string word) {
    const bool call = word.ends_with("()");
    if (call) word.resize(word.size() - 2);
    if (const std::size_t scope = word.rfind("::"); scope != std::string::npos) word = word.substr(scope + 2);
    const bool letters =
        !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    const auto upper = [&word](std::size_t i) {
        return i < word.size() && std::isupper(static_cast<unsigned char>(word[i])) != 0;
    };
    const bool type = upper(0) && std::ranges::any_of(word, [](unsigned char c) { return std::islower(c) != 0; });
    const bool constant = word.starts_with('k') && upper(1);
    return letters && (call || type || constant) ? word : std::string();
}

bool has_word(const std::string& text, const std::string& word) {
    const auto part_of_name = [&text](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        if ((at == 0 || !part_of_name(at - 1)) && !part_of_name(at + word.size())) return true;
    return false;
}

/// What a piece of a page names and the tree does not have: paths, and symbols that stand in none of the sources named
/// beside them.
std::vector<std::string> wrong_names(const std::string& line) {
    std::vector<std::string> wrong, symbols;
    std::string sources;
    for (const std::string& word : quoted_in(line)) {
        if (is_path(word)) {
            if (!fs::exists(kRoot / word)) wrong.push_back(word);
            if (fs::is_regular_file(kRoot / word))
                for (const std::string& source_line : lines_of(kRoot / word)) sources += source_line + '\n';
        } else if (std::string symbol = symbol_of(word); !symbol.empty()) {
            symbols.push_back(std::move(symbol));
        }
    }
    if (!sources.empty())
        std::ranges::copy_if(symbols, std::back_inserter(wrong),
                             [&sources](const std::string& symbol) { return !has_word(sources, symbol); });
    return wrong;
}

bool is_source(const fs::path& file) {
    const fs::path extension = file.extension();
    return extension == ".hpp" || extension == ".cpp" || extension == ".cu" || extension == ".h";
}

/// What the headers and sources of a room include, by their path from the root.
using Graph = std::map<std::string, std::vector<std::string>>;

/// Where the file is that a header of `folder` calls `path`: from the root, beside it, or among what stands in for
/// CUDA.
std::optional<std::string> found_at(const std::string& path, const fs::path& folder) {
    for (const fs::path& place :
         {fs::path(), folder, fs::path("tests/cuda_on_host"), fs::path("tests/cuda_on_host/runtime")})
        if (fs::is_regular_file(kRoot / place / path)) return (place / path).generic_string();
    return std::nullopt;
}

Graph include_graph() {
    Graph graph;
    for (const char* room : kRooms)
        for (const fs::path& file : sources(room, is_source)) {
            std::vector<std::string>& paths = graph[file.generic_string()];
            for (const std::string& path : includes_of(file))
                if (auto found = found_at(path, file.parent_path())) paths.push_back(std::move(*found));
        }
    return graph;
}

/// The first file that includes itself through others; empty if there is none. `open` holds the files on the way from
/// `file`, `done` those that lead to no circle.
std::string circle_from(const std::string& file, const Graph& graph, std::set<std::string>& open,
                        std::set<std::string>& done) {
    if (done.contains(file) || !graph.contains(file)) return {};
    if (!open.insert(file).second) return file;
    for (const std::string& path : graph.at(file))
        if (std::string circle = circle_from(path, graph, open, done); !circle.empty()) return circle;
    open.erase(file);
    done.insert(file);
    return {};
}

std::string circle_in(const Graph& graph) {
    std::set<std::string> open, done;
    for (const auto& [file, paths] : graph)
        if (std::string circle = circle_from(file, graph, open, done); !circle.empty()) return circle;
    return {};
}

/// Whether a file may include a path that is written in quotes.
bool may_include(const std::string& file, const std::string& path) {
    const auto lies_in = [&path](std::initializer_list<const char*> rooms) {
        return std::ranges::any_of(rooms, [&path](const char* room) { return path.starts_with(room); });
    };
    if (file.starts_with("io/")) return lies_in({"io/"});
    if (file.starts_with("kernels/cuda/") && is_cuda_stand_in(path)) return true;
    if (file.starts_with("kernels/")) return lies_in({"kernels/"});
    // build_info.hpp is written by the build.
    // What is written depends on the experiment, and on no device: the whole plan stays out.
    if (file.starts_with("solver/outputs/") && path == "solver/plan/plan.hpp") return false;
    if (file.starts_with("solver/")) return lies_in({"solver/", "kernels/", "io/"}) || path == "build_info.hpp";
    return true;
}

/// The room of solver/ that a path lies in: "run" of "solver/run/summary.cpp". Empty for all else.
std::string room_of(const std::string& path) {
    constexpr std::string_view solver = "solver/";
    const std::size_t end = path.find('/', solver.size());
    if (!path.starts_with(solver) || end == std::string::npos) return {};
    return path.substr(solver.size(), end - solver.size());
}

/// The rooms of solver/ from the highest floor down: as a page has their rows in a table.
std::vector<std::string> floors_of(const std::vector<std::string>& page) {
    std::vector<std::string> floors;
    for (const std::string& line : page)
        if (line.starts_with("| `solver/")) floors.push_back(room_of(quoted_in(line).front()));
    return floors;
}

/// The includes of a file of solver/ that lead to a higher floor, or from or to a room that stands on none.
std::vector<std::string> wrong_arrows(const std::string& file, const std::vector<std::string>& lines,
                                      const std::vector<std::string>& floors) {
    const std::string from = room_of(file);
    std::vector<std::string> wrong;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::string path = included(lines[i]), to = room_of(path);
        if (to.empty() || to == from) continue;
        const auto above = std::ranges::find(floors, to), here = std::ranges::find(floors, from);
        if (above != floors.end() && here != floors.end() && above > here) continue;
        wrong.push_back(file + ':' + std::to_string(i + 1) + ": #include \"" + path + "\": from " + from + " up to " +
                        to);
    }
    return wrong;
}

/// Whether a header, included in angle brackets, is one of the CUDA toolkit.
bool is_cuda_header(const std::string& path) {
    const auto begins = [&path](const char* name) { return path.starts_with(name); };
    return std::ranges::any_of(std::initializer_list<const char*>{"cuda", "cub/", "thrust/", "cooperative_groups",
                                                                  "nvtx", "nccl", "device_launch"},
                               begins);
}

/// Whether a line holds a name of the CUDA run-time library, such as cudaMalloc, or a launch.
bool has_cuda_name(const std::string& line) {
    for (std::size_t at = line.find("cuda"); at != std::string::npos; at = line.find("cuda", at + 1)) {
        const auto is = [&line](std::size_t i, int (*kind)(int)) {
            return i < line.size() && kind(static_cast<unsigned char>(line[i])) != 0;
        };
        if (is(at + 4, std::isupper) && !(at > 0 && (is(at - 1, std::isalnum) || line[at - 1] == '_'))) return true;
    }
    return line.find("<<<") != std::string::npos;
}

}  // namespace

TEST_CASE("every folder of sources stands in docs/architecture.md") {
    std::set<std::string> named;
    for (const std::string& line : lines_of(kRoot / kArchitecture))
        for (const std::string& word : quoted_in(line)) named.insert(word);
    std::set<std::string> folders;
    for (const char* room : kRooms)
        for (const fs::path& file : sources(room, is_source)) folders.insert(file.parent_path().generic_string() + "/");
    CHECK(folders.size() > 30);
    for (const std::string& folder : folders) {
        CAPTURE(folder);
        CHECK(named.contains(folder));
    }
}

TEST_CASE("what docs/architecture.md and docs/how_to_add.md name is in the tree") {
    for (const char* page : kPages) {
        std::ptrdiff_t paths = 0;
        for (const std::string& piece : pieces_of(lines_of(kRoot / page))) {
            for (const std::string& name : wrong_names(piece))
                FAIL_CHECK(std::string(page) << " names " << name << ": " << piece);
            paths += std::ranges::count_if(quoted_in(piece), is_path);
        }
        CAPTURE(page);
        CHECK(paths > 40);
    }
}

TEST_CASE("README.md and docs/how_to_add.md lead to docs/architecture.md") {
    const auto leads_there = [](const char* page, const std::string& link) {
        return std::ranges::any_of(lines_of(kRoot / page), [&link](const std::string& line) {
            return line.find("](" + link + ")") != std::string::npos;
        });
    };
    CHECK(leads_there("README.md", "docs/architecture.md"));
    CHECK(leads_there("docs/README.md", "architecture.md"));
    CHECK(leads_there("docs/how_to_add.md", "architecture.md"));
}

TEST_CASE("docs/architecture.md is one page, of short cells and paragraphs") {
    std::ptrdiff_t all = 0;
    for (const std::string& piece : pieces_of(lines_of(kRoot / kArchitecture))) {
        CAPTURE(piece);
        if (is_row(piece))
            CHECK(longest_cell(piece) <= 160);
        else
            CHECK(characters(piece) <= 700);
        all += characters(piece);
    }
    CHECK(all <= 20'000);
}

TEST_CASE("no page has a cell of a table that is longer than three lines of text") {
    std::vector<fs::path> pages = sources("docs", [](const fs::path& file) { return file.extension() == ".md"; });
    pages.emplace_back("README.md");
    CHECK(pages.size() > 15);
    std::ptrdiff_t rows = 0;
    for (const fs::path& page : pages)
        for (const std::string& line : lines_of(kRoot / page))
            if (is_row(line)) {
                CAPTURE(page);
                CAPTURE(line);
                CHECK(longest_cell(line) <= 300);
                ++rows;
            }
    CHECK(rows > 500);
}

TEST_CASE("solver includes kernels and io; kernels and io include nothing outside their own folder") {
    std::size_t checked = 0;
    for (const char* room : {"solver", "kernels", "io"})
        for (const fs::path& file : sources(room, is_source))
            for (const std::string& path : includes_of(file)) {
                CAPTURE(file);
                CAPTURE(path);
                CHECK(may_include(file.generic_string(), path));
                ++checked;
            }
    CHECK(checked > 500);
}

TEST_CASE("a room of solver includes lower floors alone, in the order of docs/architecture.md") {
    const std::vector<std::string> floors = floors_of(lines_of(kRoot / kArchitecture));
    CHECK(floors.size() > 10);
    CHECK(std::set<std::string>(floors.begin(), floors.end()).size() == floors.size());
    for (const fs::path& file : sources("solver", is_source)) {
        CAPTURE(file);
        CHECK(std::ranges::find(floors, room_of(file.generic_string())) != floors.end());
        for (const std::string& arrow : wrong_arrows(file.generic_string(), lines_of(kRoot / file), floors))
            FAIL_CHECK(arrow);
    }
}

TEST_CASE("the headers and names of CUDA stand under kernels/cuda alone") {
    bool under_cuda = false;
    for (const char* room : {"solver", "kernels", "io"})
        for (const fs::path& file : sources(room, is_source)) {
            CAPTURE(file);
            const bool uses = std::ranges::any_of(includes_of(file, "<>"), is_cuda_header) ||
                              std::ranges::any_of(lines_of(kRoot / file), has_cuda_name);
            if (file.generic_string().starts_with("kernels/cuda/"))
                under_cuda = under_cuda || uses;
            else
                CHECK_FALSE(uses);
        }
    CHECK(under_cuda);
}

TEST_CASE("no file includes itself through others") {
    const Graph graph = include_graph();
    CHECK(graph.size() > 300);
    CHECK(circle_in(graph).empty());
}

TEST_CASE("no folder is a heap of more than 40 files") {
    std::map<std::string, int> files;
    for (const char* room : kRooms)
        for (const fs::path& file : sources(room, [](const fs::path&) { return true; }))
            ++files[file.parent_path().generic_string()];
    for (const auto& folder : files) {
        CAPTURE(folder.first);
        CHECK(folder.second <= 40);
    }
}

TEST_CASE("the pieces of a page and the cells of a row are told apart") {
    CHECK(pieces_of({"# A", "", "one", "  two", "- three", "  four", "", "| a |", "| b |"}) ==
          std::vector<std::string>{"# A", "one two", "- three four", "| a |", "| b |"});
    CHECK(longest_cell("| a | four | b \\| c\u2026 |") == 7);
    CHECK(longest_cell("|---|---|") == 1);
}

TEST_CASE("a wrong name, a forbidden include, an arrow that runs up and a circle are noticed") {
    CHECK(wrong_names("`kernels/wavefield.hpp`, `kernels/no_such.hpp` and `solver/none/`") ==
          std::vector<std::string>{"kernels/no_such.hpp", "solver/none/"});
    CHECK(wrong_names("`ShotState::visit()`, `Backend` and `kNone` of `kernels/shot_state.hpp`") ==
          std::vector<std::string>{"Backend", "kNone"});
    CHECK(wrong_names("`backend.kernel`, `--force`, `.cu`, `a / b` and `cmake --preset x/y`").empty());
    CHECK_FALSE(may_include("io/text/error.hpp", "kernels/setup.hpp"));
    CHECK_FALSE(may_include("kernels/setup.hpp", "io/text/error.hpp"));
    CHECK_FALSE(may_include("kernels/setup.hpp", "cuda_on_host.hpp"));
    CHECK_FALSE(may_include("solver/run/summary.hpp", "tests/sanitized.hpp"));
    CHECK_FALSE(may_include("solver/outputs/gather.cpp", "solver/plan/plan.hpp"));
    CHECK(floors_of({"| `solver/run/` | one run |", "| `solver/plan/`, `solver/plan/x/` | `solver/run/` |",
                     "| `io/text/` | errors |"}) == std::vector<std::string>{"run", "plan"});
    const std::vector<std::string> lines{"#pragma once", "#include \"solver/run/summary.hpp\"",
                                         "#include \"solver/plan/x/y.hpp\"", "#include \"io/text/error.hpp\""};
    CHECK(wrong_arrows("solver/plan/plan.hpp", lines, {"run", "plan"}) ==
          std::vector<std::string>{"solver/plan/plan.hpp:2: #include \"solver/run/summary.hpp\": from plan up to run"});
    CHECK(wrong_arrows("solver/run/run.cpp", lines, {"run", "plan"}).empty());
    CHECK(wrong_arrows("solver/run/run.cpp", lines, {"run"}).size() == 1);
    CHECK(wrong_arrows("solver/attic/a.cpp", lines, {"run", "plan"}).size() == 2);
    CHECK(is_cuda_header(included("#include <cuda_runtime_api.h>", "<>")));
    CHECK_FALSE(is_cuda_header("cstddef"));
    CHECK(has_cuda_name("    cudaStream_t stream;"));
    CHECK_FALSE(has_cuda_name("    cuda::Error, kCudaHostBytes, kcudaX"));
    CHECK(circle_in({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}).empty());
    CHECK(circle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}) == "b");
}
