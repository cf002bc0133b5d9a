// Every command of the documents does what they say: it runs. What a machine lacks (Python's modules, MPI, Marmousi)
// lets the blocks that need it be skipped, and no others fail for want of what those write.
// Takes 50 s.
#include <cstdio>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/program/documents.hpp"

using namespace onda;
using namespace onda::test;

#ifndef ONDA_MPIEXEC  // no module of MPI, or sanitizers, which report what MPI leaves behind
#define ONDA_MPIEXEC ""
#endif

namespace {

std::vector<std::filesystem::path> documents() {
    std::vector<std::filesystem::path> list{"README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(ONDA_SOURCE_DIR) / "docs"))
        if (entry.path().extension() == ".md") list.push_back(std::filesystem::path("docs") / entry.path().filename());
    std::ranges::sort(list);
    return list;
}

std::string text_of_document(const std::filesystem::path& name) {
    return text_of(std::filesystem::path(ONDA_SOURCE_DIR) / name);
}

bool has_gpu() {
    const Outcome info = run_onda({"info", "--json"});
    REQUIRE(info.code == 0);
    const auto facts = nlohmann::json::parse(info.out);
    for (const auto& gpu : facts.at("cuda").at("gpus"))
        if (!gpu.contains("problem")) return true;
    return false;
}

bool has_mpi() {
    return !std::string(ONDA_MPIEXEC).empty() && exit_status("command -v mpirun >/dev/null 2>&1") == 0;
}

Tools tools_here() {
    Tools tools;
    tools.package = std::filesystem::exists(std::filesystem::path(ONDA_PROGRAM).parent_path() / "python" / "onda");
    tools.python = [known = std::map<std::string, std::string>()](const std::string& modules) mutable {
        const auto found = known.find(modules);
        return found != known.end() ? found->second : known[modules] = python_with("import " + modules);
    };
    const bool gpu = has_gpu(), mpi = has_mpi();
    const bool torch = gpu && !python_with("import torch, deepwave").empty();
    tools.has = [gpu, mpi, torch](const std::string& need) {
        return need == "a GPU" ? gpu : need == "MPI" ? mpi : torch;
    };
    return tools;
}

/// Checks what became of a document's blocks, and says what was skipped; the number of those that were run.
int blocks_run(const std::vector<Told>& told) {
    int run = 0;
    for (const Told& one : told) {
        CHECK_MESSAGE(one.kind != Told::Kind::fault, one.text);
        if (one.kind == Told::Kind::skipped) {
            // A GPU's are left to the test gpu_docs_commands.
            const bool left = contains(one.text, "needs a GPU") && std::getenv("ONDA_REQUIRE_GPU") == nullptr;
            std::printf("%s%s\n", left ? "on a GPU alone: " : "skipped: ", one.text.c_str());
        }
        run += one.kind == Told::Kind::run;
    }
    return run;
}

std::string texts_of(const std::vector<Told>& told, Told::Kind kind) {
    std::string texts;
    for (const Told& one : told)
        if (one.kind == kind) texts += one.text + "\n";
    return texts;
}

/// The names of the subcommands that the help of a command lists; empty if it has none.
std::set<std::string> subcommands_of(const std::string& help) {
    std::set<std::string> names;
    const std::size_t list = help.find("\nSubcommands:\n");
    if (list == std::string::npos) return names;
    std::istringstream lines(help.substr(list));
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 2 && line.starts_with("  ") && line[2] != ' ')
            names.insert(line.substr(2, line.find(' ', 2) - 2));
    return names;
}

/// What a document calls a command of `onda` that is none: every word behind `onda`, at the begin of what stands in
/// backticks or of a line of a block, that is no subcommand where one is wanted.
std::vector<std::string> unknown_commands(const std::string& document) {
    static const std::set<std::string> commands = subcommands_of(run_onda({"--help"}).out);
    static std::map<std::string, std::set<std::string>> below;
    static const std::regex pattern("(?:^|\n|`)onda ([a-z]+)(?: ([a-z]+)(?![a-z_.=:/0-9-]))?");
    std::vector<std::string> unknown;
    for (std::sregex_iterator match(document.begin(), document.end(), pattern), end; match != end; ++match) {
        const std::string command = (*match)[1], word = (*match)[2];
        if (commands.contains(command) && !below.contains(command))
            below[command] = subcommands_of(run_onda({command, "--help"}).out);
        const bool known =
            commands.contains(command) && (word.empty() || below[command].empty() || below[command].contains(word));
        if (!known) unknown.push_back("onda " + command + (word.empty() ? "" : " " + word));
    }
    return unknown;
}

}  // namespace

TEST_CASE("the documents name no command that `onda` does not have") {
    for (const std::filesystem::path& name : documents())
        for (const std::string& command : unknown_commands(text_of_document(name)))
            FAIL_CHECK(name << " names " << command);
    CHECK(unknown_commands("`onda bench cpu`, `onda run shot.yaml`, `onda bench`\nonda plot slice\n").empty());
    CHECK(unknown_commands("`onda bench guess`\nonda gues --x\n`onda info`") ==
          std::vector<std::string>{"onda bench guess", "onda gues"});
}

TEST_CASE("the demo runs the lines of the README") {
    const std::vector<Block> blocks = blocks_of(text_of_document("README.md"));
    const auto lines =
        std::ranges::find_if(blocks, [](const Block& block) { return block.mark("file") == "first.yaml"; });
    REQUIRE(lines != blocks.end());
    CHECK(std::ranges::count(lines->text, '\n') == 9);
    const std::string shipped = text_of_document("configs/first.yaml");
    CHECK(shipped.ends_with("\n" + lines->text));
    for (const char* place : {"first.yaml --output", "quickstart.yaml --output"})
        CHECK(contains(text_of_document("bootstrap.sh"), std::string("build/default/onda run configs/") + place));
}

TEST_CASE("the commands of the documents run") {
    const Tools tools = tools_here();
    int run = 0;
    for (const std::filesystem::path& name : documents())
        run += blocks_run(Document(name.string(), text_of_document(name), tools).run());
    CHECK(run >= 20);
}

TEST_CASE("the commands of the documents that need a GPU run on one" * doctest::skip()) {
    const Tools tools = tools_here();
    if (!tools.has("a GPU")) {
        const bool required = std::getenv("ONDA_REQUIRE_GPU") != nullptr;
        std::puts(required ? "ONDA_REQUIRE_GPU is set, and there is no GPU" : "skipped: there is no GPU");
        std::exit(required ? 1 : kSkipped);
    }
    for (const std::filesystem::path& name : documents())
        if (const std::string text = text_of_document(name); contains(text, "<!-- needs: a GPU"))
            blocks_run(Document(name.string(), text, tools).run());
}

TEST_CASE("without Python, MPI and a GPU the commands of every document run or are skipped") {
    if (std::getenv("ONDA_RUN_SKIPPED") != nullptr) return;  // by .ci/readme, after a run with as few tools
    const Tools none;
    const bool without_gpu = !has_gpu();
    for (const std::filesystem::path& name : documents()) {
        const std::string text = text_of_document(name);
        // The commands of the others are run above, where there is no GPU either also those that need nothing else.
        if (!contains(text, "```python") && !contains(text, without_gpu ? "<!-- needs: MPI" : "<!-- needs: ")) continue;
        const std::vector<Told> told = Document(name.string(), text, none).run();
        CHECK_MESSAGE(texts_of(told, Told::Kind::fault).empty(), texts_of(told, Told::Kind::fault));
        CHECK_MESSAGE(!texts_of(told, Told::Kind::skipped).empty(), name);
    }
}

TEST_CASE("what reads files that a skipped block would have written is skipped, too, and says why") {
    const std::string page = R"(
```python
import h5py
h5py.File("model.h5", "w")
```
```sh
echo 'model: {type: file, file: model.h5}' >by_hand.yaml
```
<!-- file: small.yaml -->
```yaml
model: {type: file, file: ./model.h5}
```
```sh
onda init --like model.h5 -o shot.yaml
```
```sh
onda run shot.yaml
```
```sh
test -e results/shot/summary.json
```
```sh
onda run small.yaml
```
<!-- needs: MPI -->
```sh
touch parts.csv
```
```sh
test -e parts.csv
```
```sh
onda info >other.txt
```
```sh
test -s other.txt
```
```text
no command
```
)";
    const Tools none;
    const std::vector<Told> told = Document("page.md", page, none).run();
    CHECK(texts_of(told, Told::Kind::fault).empty());
    CHECK(texts_of(told, Told::Kind::skipped) ==
          "page.md:2: no Python here has h5py\n"
          "page.md:6: model.h5 was not made: no Python here has h5py\n"
          "page.md:13: model.h5 was not made: no Python here has h5py\n"
          "page.md:16: shot.yaml was not made: model.h5 was not made: no Python here has h5py\n"
          "page.md:19: results/shot was not made: model.h5 was not made: no Python here has h5py\n"
          "page.md:22: model.h5 was not made: no Python here has h5py\n"
          "page.md:26: needs MPI\n"
          "page.md:29: parts.csv was not made: needs MPI\n");
    CHECK(texts_of(told, Told::Kind::run) == "page.md:32: \npage.md:35: \n");
}

TEST_CASE("no block is left out but by comments that say who runs it") {
    const auto fault_of = [](const std::string& page) {
        const Tools none;
        return texts_of(Document("README.md", page, none).run(), Told::Kind::fault);
    };
    CHECK(contains(fault_of("<!-- not run: a measurement -->\n```sh\nfalse\n```\n"), "unknown comment <!-- not run"));
    CHECK(contains(fault_of("<!-- needs: time -->\n```sh\nfalse\n```\n"), "kNeeds"));
    CHECK(contains(fault_of("<!-- run by: nobody -->\n```sh\nfalse\n```\n"), "kRunners"));
    CHECK(contains(fault_of("<!-- run by: tests/program/find_package.sh -->\n```sh\nfalse\n```\n"),
                   "does not name README.md"));
    CHECK(contains(fault_of("<!-- smaller: 512 -> 16 -->\n```sh\nfalse\n```\n"), "the block has no 512"));
    CHECK(contains(fault_of("```\nfalse\n```\n"), "what language"));
    CHECK(contains(fault_of("```sh\nfalse\n```\n"), "said:"));
    CHECK(contains(fault_of("<!-- run by: .ci/readme -->\n\n```sh\nfalse\n```\n"), "said:"));
    CHECK(fault_of("<!-- smaller: false -> true -->\n```sh\nfalse\n```\n").empty());
}
