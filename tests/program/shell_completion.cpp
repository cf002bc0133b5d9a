// `onda completion` and `onda man`: what shells are offered, and a manual page that roff takes without a word.
// Takes 1 s.
#include <cstdlib>
#include <doctest/doctest.h>

#include "io/text/exit_codes.hpp"
#include "tests/program/program.hpp"

using namespace onda;

namespace {

/// Whether a program is here; says so where it is not.
bool found(const std::string& name) {
    const bool here = std::system(("command -v " + name + " >/dev/null").c_str()) == 0;
    if (!here) MESSAGE("skipped: there is no ", name, " here");
    return here;
}

/// What a command line prints.
std::string printed(const std::string& command) {
    const TemporaryFolder folder;
    const auto out = folder.path() / "out";
    CHECK(std::system(("( " + command + " ) >" + quoted(out.string()) + " 2>&1").c_str()) == 0);
    return text_of(out);
}

struct Script {
    explicit Script(const std::string& shell) {
        const Outcome made = run_onda({"completion", shell});
        CHECK(made.code == 0);
        write_text(file, made.out);
    }
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "script";
};

/// What bash offers for the last of the words typed.
std::string offered_by_bash(const Script& script, const std::string& words, int last) {
    return printed("bash -ec " + quoted("source " + script.file.string() + "; COMP_WORDS=(" + words +
                                        "); COMP_CWORD=" + std::to_string(last) + "; _onda; echo \"${COMPREPLY[@]}\""));
}

}  // namespace

TEST_CASE("bash completes commands, options and nested commands") {
    const Script script("bash");
    CHECK(offered_by_bash(script, "onda ru", 1) == "run\n");
    CHECK(contains(offered_by_bash(script, "onda ''", 1), "verify"));
    CHECK(offered_by_bash(script, "onda run --max", 2) == "--max-hours\n");
    CHECK(offered_by_bash(script, "onda run --forc", 2) == "--force\n");
    CHECK(offered_by_bash(script, "onda bench surv", 2) == "survey\n");
    CHECK(offered_by_bash(script, "onda bench survey --bat", 3) == "--batch\n");
    CHECK(offered_by_bash(script, "onda check --max", 2) == "\n");
    CHECK(offered_by_bash(script, "onda run x.ya", 2) == "\n");  // bash then offers files
}

TEST_CASE("bash completes the values of options and arguments") {
    const Script script("bash");
    CHECK(offered_by_bash(script, "onda completion ''", 2) == "bash zsh fish\n");
    CHECK(offered_by_bash(script, "onda init --template cr", 3) == "crosswell\n");
    CHECK(offered_by_bash(script, "onda init --template = cr", 4) == "crosswell\n");
    CHECK(contains(offered_by_bash(script, "onda init --template =", 3), "layers"));
    CHECK(offered_by_bash(script, "onda plot slice --plane ''", 4) == "xz yz xy\n");
    CHECK(offered_by_bash(script, "onda plot model --map vi", 4) == "viridis vik\n");
    CHECK(offered_by_bash(script, "onda plot gather --map vi", 4) == "vik\n");
    CHECK(offered_by_bash(script, "onda plot inversion --what ''", 4) == "misfit model wells shots gathers spectra\n");
    CHECK(offered_by_bash(script, "onda dispersion --coefficients o", 3) == "optimised\n");
    CHECK(offered_by_bash(script, "onda run --template cr", 3) == "\n");  // of another command
}

TEST_CASE("fish completes commands and options") {
    if (!found("fish")) return;
    const Script script("fish");
    const auto offered = [&](const std::string& typed) {
        return printed("fish --no-config -c " +
                       quoted("source " + script.file.string() + "; complete -C " + quoted(typed)));
    };
    CHECK(offered("onda ru").starts_with("run\t"));
    CHECK(contains(offered("onda run --max"), "--max-hours\t"));
    CHECK(contains(offered("onda bench "), "survey\t"));
    CHECK(!contains(offered("onda check --max"), "--max-hours"));
    CHECK(contains(offered("onda completion "), "zsh"));
    CHECK(contains(offered("onda init --template cr"), "crosswell"));
    CHECK(contains(offered("onda plot slice --plane "), "yz"));
}

TEST_CASE("zsh takes its script") {
    if (!found("zsh")) return;
    const Script script("zsh");
    CHECK(printed("zsh -f -n " + script.file.string()).empty());
    const std::string begin = "autoload -Uz compinit; compinit -u -D; source " + script.file.string();
    CHECK(printed("zsh -f -c " + quoted(begin + "; print ${_comps[onda]}")) == "_onda\n");
}

TEST_CASE("every shell has a script, and no other word has one") {
    const Outcome unknown = run_onda({"completion", "csh"});
    CHECK(unknown.code == static_cast<int>(ExitCode::usage));
    CHECK(contains(unknown.err, "bash, zsh or fish"));
}

TEST_CASE("the manual page has every command and exit code, and roff has nothing to say about it") {
    const Outcome page = run_onda({"man"});
    CHECK(page.code == 0);
    for (const char* command : {"onda run", "onda check", "onda init", "onda bench survey", "onda completion"})
        CHECK(contains(page.out, std::string(".SS \"") + command + "\""));
    for (const ExitCodeRow& row : kExitCodes)
        CHECK(contains(page.out, ".B " + std::to_string(static_cast<int>(row.code)) + "\n"));
    if (!found("groff")) return;
    const TemporaryFolder folder;
    write_text(folder.path() / "onda.1", page.out);
    CHECK(printed("groff -Kutf8 -man -Tutf8 -ww " + (folder.path() / "onda.1").string() + " 2>&1 >/dev/null").empty());
}
