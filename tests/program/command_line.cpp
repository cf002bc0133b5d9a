// The command line: help begins with examples, versions are told, typos are answered with what was meant.
// Takes 11 s.
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "solver/commands/numbers.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

namespace {

/// Checks the help of `onda path…` and of every subcommand it lists.
void check_help(const std::vector<std::string>& path) {
    std::vector<std::string> arguments = path;
    arguments.emplace_back("--help");
    const Outcome help = run_onda(arguments);
    CAPTURE(help.out);
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    std::istringstream lines(help.out);
    std::string heading, line;
    std::getline(lines, heading);
    CHECK(heading == "Examples:");
    for (int example = 0; example < 2; ++example) {
        std::getline(lines, line);
        CHECK(contains(line, "onda "));
    }
    bool listing = false;
    while (std::getline(lines, line)) {
        if (line == "Subcommands:")
            listing = true;
        else if (listing && line.size() > 2 && line[2] != ' ') {
            auto below = path;
            below.push_back(line.substr(2, line.find(' ', 2) - 2));
            check_help(below);
        }
    }
}

/// Calls `see` with the command and the help of `onda path…` and of every subcommand that it lists.
void for_every_command(const std::vector<std::string>& path,
                       const std::function<void(const std::vector<std::string>&, const std::string&)>& see) {
    std::vector<std::string> arguments = path;
    arguments.emplace_back("--help");
    const std::string help = run_onda(arguments).out;
    see(path, help);
    const auto list = help.find("\nSubcommands:\n");
    if (list == std::string::npos) return;
    std::istringstream lines(help.substr(list));
    for (std::string line; std::getline(lines, line);) {
        if (line.size() < 3 || !line.starts_with("  ") || line[2] == ' ') continue;
        auto below = path;
        below.push_back(line.substr(2, line.find(' ', 2) - 2));
        for_every_command(below, see);
    }
}

/// The options in a help whose values are no texts, by what stands there for a value.
std::vector<std::string> numeric_options(const std::string& help) {
    static const std::set<std::string> texts{"TEXT", "FILE", "DIR", "NAME", "LETTERS", "UNIT", "TYPE", "ORDER",
                                             "KEY=VALUE", "FIELD=BYTE,...", "CONFIG", "HxD", "TXxTZ", "STAGE-ITERATION",
                                             // Flags, of which the help says this in its place.
                                             "Needs", "Excludes"};
    static const std::regex option(R"(^  (?:-\w,)?(--[a-z][a-z-]*) ([^ :]+)(:[^ ]*)?( .*)?$)");
    std::vector<std::string> names;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
        if (std::smatch parts; std::regex_match(line, parts, option)) {
            const std::string kind = parts[2];
            // What follows an equals sign is the default.
            if (!texts.contains(kind) && !texts.contains(kind.substr(0, kind.find('=')))) names.push_back(parts[1]);
        }
    return names;
}

/// What is said of a number, in the place of the first of as many values as the option wants.
Outcome give(const std::vector<std::string>& command, const std::string& option, const std::string& value) {
    std::vector<std::string> arguments = command;
    arguments.push_back(option + "=" + value);
    for (int more = 0;; ++more) {
        const Outcome outcome = run_onda(arguments);
        if (more == 3 || contains(outcome.err, "must be a ")) return outcome;
        arguments.emplace_back("1");
    }
}

}  // namespace

TEST_CASE("no option of any command takes for a number what is none") {
    std::set<std::string> seen;
    for_every_command({}, [&](const std::vector<std::string>& command, const std::string& help) {
        for (const std::string& option : numeric_options(help)) {
            seen.insert(option);
            // CLI11 itself reads both where it wants a number; the rule, which has a test of its own, neither.
            for (const char* value : {"nan", "0x10"}) {
                const Outcome outcome = give(command, option, value);
                CAPTURE(command);
                CAPTURE(option);
                CAPTURE(outcome.err);
                CHECK(outcome.code == 64);
                CHECK(contains(outcome.err, option + ": '" + value + "': must be a "));
                CHECK((contains(outcome.err, "a finite number in decimal notation") ||
                       contains(outcome.err, "a whole number in decimal notation")));
            }
        }
    });
    for (const char* option : {"--max-hours",
                               "--confidence",
                               "--clip",
                               "--clip-percentile",
                               "--agc",
                               "--gain",
                               "--fps",
                               "--time",
                               "--at",
                               "--seconds",
                               "--device-gpts",
                               "--spacing-m",
                               "--coefficients",
                               "--shape",
                               "--threads",
                               "--rounds",
                               "--shot",
                               "--seed",
                               "--reduce-velocity",
                               "--angles"}) {
        CAPTURE(option);
        CHECK(seen.contains(option));
    }
}

TEST_CASE("numbers are read as they are written") {
    const auto read = [](std::string text, bool whole) {
        const std::string fault = onda::number_fault(text, whole);
        return fault.empty() ? text : "refused";
    };
    for (const char* text : {"0", "-3", "2.5", ".5", "5.", "+1e3", "1E-3", "-2e+10"})
        CHECK(read(text, false) != "refused");
    for (const char* text :
         {"",         "+",   "-",    "+-1",   "--1",  "1e",    "e1", "1e400", "1e-400", "nan",   "-nan(1)",
          "infinity", "inf", "-inf", "12abc", "0x10", "0x1p3", "1 ", " 1",    "1,5",    "1_000", "2;3"}) {
        CAPTURE(text);
        CHECK(read(text, false) == "refused");
    }
    CHECK(read("010", true) == "10");
    CHECK(read("+7", true) == "7");
    CHECK(read("-007", true) == "-7");
    CHECK(read("000", true) == "0");
    CHECK(read("18446744073709551615", true) == "18446744073709551615");
    for (const char* text : {"", "+", "-", "+-1", "2.5", "1e3", "0x10", "18446744073709551616", "-9223372036854775809",
                             "nan", "inf", "1e400", "12abc", "1 ", "ten"}) {
        CAPTURE(text);
        CHECK(read(text, true) == "refused");
    }
}

TEST_CASE("every --help begins with two examples") {
    check_help({});
    const Outcome help = run_onda({"--help"});
    for (const char* command : {"run", "check", "init", "schema", "convert", "verify", "dispersion", "bench", "info"})
        CHECK(contains(help.out, "\n  " + std::string(command) + " "));
}

TEST_CASE("--help tells what --threads takes where it is absent, as the reference does") {
    for (const char* command : {"run", "check", "model"})
        CHECK(
            contains(run_onda({command, "--help"}).out, "Threads of the processor (default: as many as are fastest)"));
    CHECK(contains(text_of(ONDA_SOURCE_DIR "/docs/config.md"), "CPU threads; 0 takes as many as are fastest"));
}

TEST_CASE("--version is one line") {
    const Outcome version = run_onda({"--version"});
    CHECK(version.code == 0);
    CHECK(version.out.rfind("onda ", 0) == 0);
    CHECK(std::count(version.out.begin(), version.out.end(), '\n') == 1);
}

TEST_CASE("what was probably meant is said") {
    CHECK(contains(run_onda({"rnu", "a.yaml"}).err, "unknown command 'rnu'; did you mean 'run'?"));
    CHECK(contains(run_onda({"run", "a.yaml", "--ouptut", "b"}).err,
                   "unknown option '--ouptut'; did you mean '--output'?"));
    CHECK(contains(run_onda({"check", "--jsn"}).err, "unknown option '--jsn'; did you mean '--json'?"));
    CHECK(!contains(run_onda({"entirely-else"}).err, "did you mean"));
    CHECK(contains(run_onda({"info", "surplus"}).err, "unexpected argument 'surplus'"));
    CHECK(contains(run_onda({"run"}).err, "CONFIG"));
}

TEST_CASE("options of other programs are answered with those of this one, beginnings with the whole name") {
    for (const auto& [given, meant] :
         std::vector<std::pair<std::vector<std::string>, std::string>>{{{"--out", "b"}, "--output"},
                                                                       {{"--gpu"}, "--set backend.name=cuda"},
                                                                       {{"--cpu"}, "--set backend.name=cpu"},
                                                                       {{"-j", "4"}, "--threads"},
                                                                       {{"-j4"}, "--threads"},
                                                                       {{"--jobs=4"}, "--threads"}}) {
        std::vector<std::string> arguments{"run", "a.yaml"};
        arguments.insert(arguments.end(), given.begin(), given.end());
        CHECK(contains(run_onda(arguments).err,
                       "unknown option '" + given.front() + "'; did you mean '" + meant + "'?\n"));
    }
    // Of what a command does not have nothing is said, nor where a beginning is that of several names.
    CHECK(!contains(run_onda({"schema", "--gpu"}).err, "did you mean"));
}

TEST_CASE("help and forecasts speak as the field does") {
    const TemporaryFolder folder;
    write_text(folder.path() / "run.yaml", kSmall2d);
    const Outcome check = run_onda({"check", folder.path() / "run.yaml"});
    CAPTURE(check.err);
    CHECK(contains(check.out, "hashes of the results, and syncing to disk\n"));
    CHECK(contains(run_onda({"plot", "slice", "--help"}).out, "Without the model, with zero white"));
    CHECK(contains(run_onda({"schema", "--docs"}).out, "x = pi f0 (t - t0); default: t0 = 1.5 / f0 |"));
    CHECK(!contains(run_onda({"schema", "--docs"}).out, "where absent"));
}

TEST_CASE("a model in the place of a configuration is answered with the command that makes one for it") {
    const TemporaryFolder folder;
    write_text(folder.path() / "salt.h5", std::string("\x89HDF\r\n\x1a\n and the rest"));
    const std::string file = (folder.path() / "salt.h5").string();
    const Outcome outcome = run_onda({"run", file});
    CHECK(outcome.code == 78);
    CHECK(
        contains(outcome.err, "salt.h5: is an HDF5 file, not a configuration; if it holds a model, `onda init --like " +
                                  file + " -o salt.yaml` writes one for it\n"));
}

TEST_CASE("help and verdicts have the words of the field") {
    CHECK(contains(run_onda({"completion", "--help"}).out, "\nPrint the completion script of a shell\n"));
    CHECK(contains(run_onda({"predict", "--help"}).out, "\nPredict the time per step of a device\n"));
    const Outcome verdict = run_onda({"verify", "--quick", "--filter", "R1 "});
    CHECK(std::regex_search(verdict.out, std::regex(R"(\n(\d+) of \1 tests passed\n$)")));
}

TEST_CASE("info tells version, compiler, libraries, processor and kernels, as text and as JSON") {
    const Outcome text = run_onda({"info"});
    const auto json = nlohmann::json::parse(run_onda({"info", "--json"}).out);
    for (const char* key : {"version", "git_commit", "compiler", "flags"}) {
        CHECK(!json.at(key).get<std::string>().empty());
        CHECK(contains(text.out, json.at(key).get<std::string>()));
    }
    for (const char* library :
         {"HDF5", "yaml-cpp", "Cairo", "spdlog", "fmt", "CLI11", "nlohmann-json", "dygraphs", "fontconfig"}) {
        CAPTURE(library);
        const auto version = json.at("libraries").at(library).get<std::string>();
        CHECK(!version.empty());
        CHECK(std::isdigit(static_cast<unsigned char>(version.front())) != 0);
    }
    CHECK(!json.at("libraries").at("libseccomp").get<std::string>().empty());  // "none" where it was built without
    CHECK(!json.at("libraries").at("kissfft").get<std::string>().empty());     // "unknown" where no package tells
    CHECK(!json.at("host").at("cpu").get<std::string>().empty());
    CHECK(json.at("host").at("threads").get<int>() >= 1);
    CHECK(json.at("kernels").at("cpu").contains("reference"));
    CHECK(json.at("kernels").at("cpu").contains("inplane-full"));
    CHECK(json.at("kernels").at("cuda").contains("inplane-full"));
    CHECK(json.at("kernels").at("cuda").contains("direct"));
    CHECK(json.at("backends").contains("cpu"));
    const auto& sets = json.at("cpu_instruction_sets");
    CHECK(sets.at("usable").back() == sets.at("chosen"));
}

TEST_CASE("info tells which GPUs can compute, or why none can") {
    const auto cuda = nlohmann::json::parse(run_onda({"info", "--json"}).out).at("cuda");
    CHECK(cuda.at("compiled_in").is_boolean());
    const bool usable = !cuda.contains("problem");
    if (usable) CHECK(!cuda.at("gpus").empty());
    if (!usable) CHECK(cuda.at("problem").get<std::string>().size() > 20);
    for (const auto& gpu : cuda.at("gpus")) {
        CHECK(contains(gpu.at("architecture").get<std::string>(), "sm_"));
        CHECK(gpu.at("memory_bytes").get<std::int64_t>() >= gpu.at("free_bytes").get<std::int64_t>());
        CHECK(contains(run_onda({"info"}).out, gpu.at("name").get<std::string>()));
    }
}

TEST_CASE("info shows a text of several lines in the column of values") {
    const std::string text = run_onda({"info"}).out;
    CHECK(!contains(text, "\\n"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        const auto indent = line.find_first_not_of(' ');
        CHECK((indent == 0 || indent == 2 || indent == 4 || indent == 24));
    }
    const auto cuda = nlohmann::json::parse(run_onda({"info", "--json"}).out).at("cuda");
    if (!cuda.contains("problem")) return;
    const auto problem = cuda.at("problem").get<std::string>();
    CHECK(contains(text, "\n  problem               " + problem.substr(0, problem.find('\n')) + "\n"));
    if (const auto end = problem.find('\n'); end != std::string::npos)
        CHECK(contains(text, "\n" + std::string(24, ' ') + problem.substr(problem.find_first_not_of(' ', end + 1))));
}

TEST_CASE("run -o is short for run --output") {
    const TemporaryFolder folder;
    write_text(folder.path() / "small.yaml", kSmall2d);
    const auto out = folder.path() / "out";
    CHECK(run_onda({"run", (folder.path() / "small.yaml").string(), "-o", out.string()}).code == 0);
    CHECK(std::filesystem::exists(out / "seismograms.h5"));
}

TEST_CASE("a configuration from standard input: files from the current folder, results in results/stdin") {
    const TemporaryFolder folder;
    write_text(folder.path() / "small.yaml", kSmall2d);
    write_text(folder.path() / "sources.csv", "x,z\n400,24\n603,30\n");
    const auto from_stdin = [&](std::vector<std::string> arguments, const std::string& file) {
        arguments.insert(arguments.end(), {"--set", "sources=[{type: file, file: sources.csv}]"});
        return run_onda(arguments, "cd " + quoted(folder.path().string()) + "; exec <" + quoted(file));
    };
    const Outcome check = from_stdin({"check", "-"}, "small.yaml");
    CAPTURE(check.err);
    CHECK(check.code == 0);
    CHECK(contains(check.out, "survey    2 shots"));
    const Outcome run = from_stdin({"run", "-"}, "small.yaml");
    CAPTURE(run.err);
    CHECK(run.code == 0);
    CHECK(std::filesystem::exists(folder.path() / "results" / "stdin" / "seismograms.h5"));
    CHECK(from_stdin({"run", "-", "-o", "named"}, "small.yaml").code == 0);
    CHECK(std::filesystem::exists(folder.path() / "named" / "seismograms.h5"));
    const Outcome empty = from_stdin({"check", "-"}, "/dev/null");
    CHECK(empty.code == 78);
    CHECK(contains(empty.err, "stdin:1:1: missing key 'grid'"));
    write_text(folder.path() / "faulty.yaml", "schema_version: 1\ntitel: x\n");
    CHECK(contains(from_stdin({"check", "-"}, "faulty.yaml").err,
                   "stdin:2:1: unknown key 'titel'; did you mean 'title'?"));
}

TEST_CASE("messages go to stderr without colour or motion when it is no terminal") {
    const TemporaryFolder folder;
    write_text(folder.path() / "small.yaml", kSmall2d);
    const Outcome outcome =
        run_onda({"run", (folder.path() / "small.yaml").string(), "--output", (folder.path() / "out").string()});
    CHECK(outcome.code == 0);
    CHECK(!contains(outcome.err, "\033"));
    CHECK(!contains(outcome.err, "\r"));
    CHECK(contains(outcome.err, "kernel "));
    CHECK(contains(outcome.err, "Gpt/s"));
    CHECK(contains(outcome.out, "seismograms.h5"));
    CHECK(!contains(outcome.out, "Gpt/s"));
}

TEST_CASE("one group of tests is chosen by its id or by a word of its title") {
    const Outcome by_title = run_onda({"verify", "--list", "--group", "adjoint"});
    CHECK(by_title.code == 0);
    CHECK(by_title.out.starts_with("A1  Adjoint and gradient\n"));
    CHECK(!contains(by_title.out, "\nR3 "));
    CHECK(run_onda({"verify", "--list", "--group", "a1"}).out == by_title.out);
    const Outcome some = run_onda({"verify", "--list", "--group", "adjoint", "--filter", "Born"});
    CHECK(some.code == 0);
    CHECK(some.out.size() < by_title.out.size());
}
