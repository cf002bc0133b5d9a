// Whatever allocation fails, the program ends with an exit code and a message of its own, and what lies under a final
// name is complete.
// Takes 10 s.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "io/results/result_file.hpp"
#include "tests/program/program.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

const std::string kTiny = R"(schema_version: 1
grid: {shape: [24, 20], spacing_m: 10}
model: {type: constant, vp_m_s: 3000}
time: {duration_s: 0.05}
boundary: {cpml_width: 4}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [100, 100]}]
receivers: [{position_m: [50, 50]}]
output: {snapshots: {times_s: [0.02]}}
backend: {name: cpu, kernel: vectorised, threads: 1}
)";

/// Where a failed allocation may end the process by a signal: code that runs before anything of ours. ld-linux is the
/// program loader; the TLS libraries come with HDF5's package and fail in their constructors. Where all allocations
/// fail from one on, other constructors do, too, and Cairo 1.16 can jump to where no setjmp() has been, with a mask of
/// signals that lets no handler run.
bool may_crash(const std::string& library, bool all) {
    for (const char* name : {"ld-linux", "libgnutls", "libp11-kit", "libtasn1", "libcrypto", "libcurl"})
        if (contains(library, name)) return true;
    for (const char* name : {"libc.so", "libX11", "libpixman", "libcairo"})
        if (all && contains(library, name)) return true;
    return false;
}
/// libgomp ends the program in its constructor by itself.
bool may_end(const std::string& library, int code, bool all) {
    return all && code == 1 && contains(library, "libgomp");
}

/// A folder that a command works in, made afresh for each failure.
struct Work {
    TemporaryFolder folder;
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    Work() {
        write_text(folder.path() / "tiny.yaml", kTiny);
        std::vector<float> vp(24 * 20, 2000.f);
        write_text(folder.path() / "vp.f32",
                   std::string(reinterpret_cast<const char*>(vp.data()), vp.size() * sizeof(float)));
    }
};

struct Command {
    std::string name;
    std::vector<std::string> arguments;  ///< '@' stands for the folder
    std::set<int> codes;                 ///< that may come instead of 0 and 71
    long tried = 16;                     ///< of its allocations
};

/// 66, 73, 74: a file could not be opened, made or written, as the library that did it has no other word for want of
/// memory; 65: HDF5 has none either. 78: a device or kernel could not be listed.
const std::vector<Command> kCommands{
    {"info", {"info"}, {}},
    {"init", {"init", "-o", "@first.yaml"}, {73, 74}},
    {"convert",
     {"convert", "@vp.f32", "@vp.h5", "--shape", "24", "20", "--axes", "xz", "--spacing-m", "10"},
     {65, 66, 73, 74}},
    {"check", {"check", "@tiny.yaml"}, {66, 74}, 8},  // a second each; its trial is a part of a run
    {"run", {"run", "@tiny.yaml", "--output", "@out"}, {65, 66, 73, 74}},
};

struct Failed {
    Outcome outcome;
    std::string library;  ///< whose allocation it was
};

Failed run_failing(const Command& command, const Work& work, long n, bool all) {
    std::vector<std::string> arguments = command.arguments;
    for (std::string& argument : arguments)
        if (argument.starts_with('@')) argument = work.path(argument.substr(1));
    // Through env, so that the shell does not fail itself. One that waits for ever is killed, and a failure.
    const std::string under = "timeout -s KILL 300 env LD_PRELOAD=" + quoted(ONDA_FAIL_ALLOCATION) +
                              " ONDA_FAIL_AT=" + std::to_string(n) + (all ? " ONDA_FAIL_ALL=1" : "") +
                              " ONDA_FAIL_COUNT=" + quoted(work.path("count")) +
                              " ONDA_FAIL_WHERE=" + quoted(work.path("where"));
    Failed failed;
    failed.outcome = run_onda(arguments, "true", under);
    failed.library = text_of(work.folder.path() / "where");
    return failed;
}

/// Results under their final names are whole, and nothing partial is left by a program that ended by itself.
void check_files(const Work& work, const Outcome& outcome) {
    const bool by_itself = outcome.code < 128;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(work.folder.path())) {
        const std::string name = entry.path().filename().string();
        if (contains(name, ".partial-")) CHECK_MESSAGE(!by_itself, name);
        if (name == "seismograms.h5") CHECK_NOTHROW(static_cast<void>(open_result(entry.path(), "onda-seismograms")));
        if (name == "snapshots.h5") CHECK_NOTHROW(static_cast<void>(open_result(entry.path(), "onda-snapshots")));
        if (name == "vp.h5") CHECK(hdf5::File::open(entry.path()).open_dataset("vp").read_all<float>().size() == 480);
        if (name == "first.yaml" || name == "config.yaml") CHECK(text_of(entry.path()).ends_with('\n'));
        if (name != "summary.json") continue;
        const auto summary = nlohmann::json::parse(text_of(entry.path()));
        for (const auto& file : summary.at("files"))
            CHECK(std::filesystem::exists(entry.path().parent_path() / file.at("name").get<std::string>()));
    }
}

/// \returns the exit code.
int check_failure(const Command& command, long n, bool all) {
    const Work work;
    const Failed failed = run_failing(command, work, n, all);
    const int code = failed.outcome.code;
    INFO(command.name << std::string(all ? ", all from allocation " : ", allocation ") << n << " on behalf of "
                      << failed.library << ": exit code " << code << "\n"
                      << failed.outcome.err);
    if (code >= 126) {
        CHECK(may_crash(failed.library, all));
    } else if (!may_end(failed.library, code, all)) {
        CHECK((code == 0 || code == 71 || command.codes.contains(code)));
        if (code != 0) CHECK(contains(failed.outcome.err, "error: "));
        check_files(work, failed.outcome);
    }
    return code;
}

std::string environment(const char* name, const std::string& otherwise) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

}  // namespace

TEST_CASE("a failing allocation ends the program with its exit code, and what is written is whole") {
    if (onda::test::kSanitized) return;  // the sanitizers' own malloc takes the place of the library's
    // Some of the thousands, another residue for each command. ONDA_EVERY_ALLOCATION=run takes all of that command,
    // run:one or run:all either way alone, from ONDA_FIRST_ALLOCATION to ONDA_LAST_ALLOCATION: parts can run side by
    // side.
    const std::string wanted = environment("ONDA_EVERY_ALLOCATION", "");
    const bool every = !wanted.empty();
    long offset = 1;
    for (const Command& command : kCommands) {
        if (every && wanted.substr(0, wanted.find(':')) != command.name) continue;
        const Work work;
        REQUIRE(run_failing(command, work, 0, false).outcome.code == 0);
        const long count = std::stol(text_of(work.folder.path() / "count"));
        REQUIRE(count > 1000);
        const long first = std::stol(environment("ONDA_FIRST_ALLOCATION", "1")),
                   last = std::min(count, std::stol(environment("ONDA_LAST_ALLOCATION", std::to_string(count))));
        std::map<int, int> codes;
        for (const bool all : {false, true}) {
            if (wanted.ends_with(all ? ":one" : ":all")) continue;
            if (every)
                for (long n = first; n <= last; ++n) ++codes[check_failure(command, n, all)];
            else
                for (long n = ++offset; n <= count; n += count / command.tried + 1)
                    ++codes[check_failure(command, n, all)];
        }
        if (!every) continue;
        std::string text;
        for (const auto& [code, times] : codes) text += " " + std::to_string(times) + " x " + std::to_string(code);
        MESSAGE(command.name, ", ", count, " allocations, by exit code:", text);
    }
}
