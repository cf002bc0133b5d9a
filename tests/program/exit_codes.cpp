// Every exit code that can be produced is produced, and the table in the documents is that of the program.
// Takes 5 s.
#include "io/text/exit_codes.hpp"

#include <map>
#include <new>
#include <regex>
#include <unistd.h>

#include "kernels/cuda/cuda.hpp"
#include "solver/program/failure.hpp"
#include "solver/run/run_files.hpp"
#include "solver/shots/shot_table.hpp"
#include "tests/program/program.hpp"
#include "tests/sanitized.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

struct Row {
    int code = 0;
    std::string meaning;
    bool operator==(const Row&) const = default;
};
using Table = std::map<std::string, Row>;

Table table_in(const std::string& file, const std::regex& row, int code, int name, int meaning) {
    const std::string text = text_of(std::filesystem::path(ONDA_SOURCE_DIR) / file);
    Table table;
    for (std::sregex_iterator i(text.begin(), text.end(), row), end; i != end; ++i)
        table[(*i)[static_cast<std::size_t>(name)]] = {std::stoi((*i)[static_cast<std::size_t>(code)]),
                                                       (*i)[static_cast<std::size_t>(meaning)]};
    return table;
}

/// A folder with a configuration in it, and shorthands to run it.
struct Workplace {
    Workplace() { write("small.yaml", kSmall2d); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    void write(const std::string& name, const std::string& text) const { write_text(folder.path() / name, text); }
    [[nodiscard]] Outcome run(const std::vector<std::string>& more = {}, const std::string& before = "true",
                              const std::string& under = "") const {
        std::vector<std::string> arguments{"run",   path("small.yaml"),     "--output", path("out"),
                                           "--set", "output.pictures=false"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments, before, under);
    }
    /// That a run which ended early left its log and the shots that it had finished.
    void check_only_the_log() const { check_only_the_log_in(path("out")); }
    static void check_only_the_log_in(const std::filesystem::path& out) {
        std::error_code none;
        for (const auto& entry : std::filesystem::directory_iterator(out, none)) {
            if (entry.path().filename() == "unfinished") {
                CHECK(!ShotTable(entry.path() / kTableName).all_finished().empty());
            } else {
                CHECK(entry.path().filename() == "onda.log");
            }
        }
    }
    TemporaryFolder folder;
};

ExitCode code_of(const std::exception_ptr& exception) {
    return describe_failure(exception).code;
}

}  // namespace

TEST_CASE("the documented table is that of the program") {
    const Table documented =
        table_in("docs/exit_codes.md", std::regex(R"(\n\| (\d+) \| `(\w+)` \| ([^|]+) \|)"), 1, 2, 3);
    CHECK(documented.size() == kExitCodes.size());
    for (const ExitCodeRow& row : kExitCodes) {
        const std::string name(row.name);
        CAPTURE(name);
        REQUIRE(documented.contains(name));
        CHECK(documented.at(name).code == static_cast<int>(row.code));
        CHECK(documented.at(name).meaning == row.meaning);
    }
}

TEST_CASE("0: done") {
    CHECK(Workplace().run().code == 0);
}

TEST_CASE("64: wrong command line") {
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"rnu"},
                                               {"run"},
                                               {"run", "a.yaml", "--no-such"},
                                               {"run", "a.yaml", "--threads", "many"},
                                               {"run", "a.yaml", "--threads", "0"},
                                               {"run", "a.yaml", "--output", ""},
                                               {"bench", "cpu", "--order", "7"},
                                               {"bench", "cpu", "--kernel", "fastest"},
                                               {"bench", "cpu", "--shape", "20", "20", "20", "--operator", "compact27",
                                                "--order", "8", "--coefficients", "-6", "1", "0", "0"},
                                               {"verify", "--quick", "--backend", "gpu"},
                                               {"verify", "--list", "--group", "adjiont"},
                                               {"verify", "--quick", "--kernel", "direct"},
                                               {"verify", "--quick", "--kernel", "twin"},
                                               {"info", "--json", "surplus"}}) {
        const Outcome outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 64);
        CHECK(outcome.out.empty());
        CHECK(contains(outcome.err, "error: "));
    }
}

TEST_CASE("65: damaged input") {
    const Workplace place;
    place.write("model.h5", "this is not HDF5");
    const Outcome outcome = place.run({"--set", "model={type: file, file: " + place.path("model.h5") + "}"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 65);
    CHECK(contains(outcome.err, "model.h5"));
    CHECK(!std::filesystem::exists(place.path("out")));
}

TEST_CASE("0: a finished run in a folder that cannot be written is left as it is") {
    const Workplace place;
    REQUIRE(place.run().code == 0);
    const std::string out = quoted(place.path("out"));
    if (std::system(("mount --bind " + out + " " + out + " 2> /dev/null && mount -o remount,ro,bind " + out).c_str()) !=
        0) {
        MESSAGE("skipped: folders cannot be mounted here");
        return;
    }
    const Outcome again = place.run();
    const Outcome other = place.run({"--set", "sources[0].amplitude=3"});
    const Outcome forced = place.run({"--force"});
    CHECK(std::system(("umount " + out).c_str()) == 0);
    CAPTURE(again.err);
    CHECK(again.code == 0);
    CHECK(contains(again.err, "nothing is left to do"));
    CHECK(other.code == 73);
    CHECK(forced.code == 73);
}

TEST_CASE("66: missing input") {
    CHECK(run_onda({"run", "/no/such/file.yaml"}).code == 66);
    CHECK(run_onda({"check", "/no/such/file.yaml"}).code == 66);
    // A file that the configuration names, whatever else is wrong beside it.
    const Workplace place;
    for (const std::string duration : {"0.3", "-1"}) {
        const Outcome outcome =
            place.run({"--set", "model={type: file, file: absent.h5}", "--set", "time.duration_s=" + duration});
        CAPTURE(outcome.err);
        CHECK(outcome.code == 66);
        CHECK(contains(outcome.err, "no such file"));
        CHECK(contains(outcome.err, "2 errors") == (duration == "-1"));
    }
    CHECK(place.run({"--set", "time.duration_s=-1"}).code == 78);
}

TEST_CASE("69: a GPU is asked for where there is none") {
    if (cuda::gpu_state().problem.empty()) return;  // tests/gpu/gpu_runs.cpp asks for what this GPU cannot do
    const Workplace place;
    const std::string why = cuda::gpu_state().problem.substr(0, cuda::gpu_state().problem.find('\n'));
    for (const Outcome& outcome : {place.run({"--set", "backend.name=cuda"}),
                                   run_onda({"check", place.path("small.yaml"), "--set", "backend.name=cuda"}),
                                   run_onda({"verify", "--quick", "--backend", "cuda"}), run_onda({"bench", "gpu"})}) {
        CAPTURE(outcome.err);
        CHECK(outcome.code == 69);
        CHECK(contains(outcome.err, "backend 'cuda' cannot be used here: " + why));
        CHECK(contains(outcome.err, "there is cpu"));
    }
    CHECK(!std::filesystem::exists(place.path("out")));
}

TEST_CASE("69: a GPU that failed is named, and Onda is not blamed") {
    const Failure failure =
        describe_failure(std::make_exception_ptr(cuda::Error("cudaMemcpy: unspecified launch failure")));
    CHECK(failure.code == ExitCode::no_device);
    CHECK(contains(failure.message, "cudaMemcpy: unspecified launch failure"));
    CHECK(contains(failure.message, "backend.name: cpu"));
    CHECK(!contains(failure.message, "report"));
}

TEST_CASE("71: memory is short, and the message says what would fit") {
    const Workplace place;
    const Outcome outcome = place.run({"--set", "grid.shape=[100001, 100001]", "--set", "boundary.cpml_width=10"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 71);
    CHECK(contains(outcome.err, " nodes would fit (this grid has 100001 x 100001)"));
    CHECK(!std::filesystem::exists(place.path("out")));
    CHECK(code_of(std::make_exception_ptr(std::bad_alloc())) == ExitCode::out_of_memory);
}

TEST_CASE("73: results exist, or the folder cannot be made") {
    const Workplace place;
    REQUIRE(place.run().code == 0);
    const Outcome other = place.run({"--set", "sources[0].amplitude=3"});
    CHECK(other.code == 73);
    CHECK(contains(other.err, "--force"));
    const Outcome again = place.run();
    CHECK(again.code == 0);
    CHECK(contains(again.err, "holds the complete results of this run: nothing is left to do"));
    CHECK(place.run({"--force"}).code == 0);
    CHECK(run_onda({"run", place.path("small.yaml"), "--output", place.path("small.yaml") + "/below"}).code == 73);
}

TEST_CASE("73: places where nothing can be created, also by root") {
    const Workplace place;
    const auto run_in = [&place](const std::string& folder) {
        const Outcome outcome = run_onda({"run", place.path("small.yaml"), "--output", folder, "--force"});
        CAPTURE(folder);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 73);
        CHECK(contains(outcome.err, "cannot write results to "));
    };
    run_in("/proc/x");
    run_in("/sys/x");
    run_in(place.path(std::string(300, 'x')));
    run_in(place.path("a/" + std::string(5000, 'y')));
    std::filesystem::create_symlink(place.path("loop"), place.path("loop"));
    run_in(place.path("loop"));
    run_in(place.path("loop/below"));
    std::filesystem::create_symlink(place.path("nowhere"), place.path("link"));
    run_in(place.path("link"));
    std::filesystem::create_directories(place.path("out/summary.json"));
    run_in(place.path("out"));
}

TEST_CASE("73: no permission, in the folder, above it and to list it") {
    const Workplace place;
    std::filesystem::permissions(place.path("."), std::filesystem::perms(0755));
    const std::string below = place.path("locked/below"),
                      user = geteuid() == 0 ? "setpriv --reuid=65534 --clear-groups" : "";
    std::filesystem::create_directories(below);
    if (std::system((user + " test -x " + quoted(ONDA_PROGRAM)).c_str()) != 0) {
        MESSAGE("skipped: there is no other user who can run the program");
        return;
    }
    for (const int mode : {0, 0100, 0300, 0400, 0444, 0500, 0555}) {
        CAPTURE(mode);
        if (geteuid() == 0) REQUIRE(chown(place.path("locked").c_str(), 65534, 65534) == 0);
        std::filesystem::permissions(place.path("locked"), std::filesystem::perms(mode));
        for (const std::string& folder : {place.path("locked"), place.path("locked/new"), place.path("locked/new/new")})
            for (const bool force : {false, true}) {
                std::vector<std::string> arguments{"run", place.path("small.yaml"), "--output", folder};
                if (force) arguments.push_back("--force");
                if (mode == 0300 && folder != place.path("locked")) continue;  // can be written, only not listed
                const Outcome outcome = run_onda(arguments, "true", user);
                CAPTURE(outcome.err);
                CHECK(outcome.code == 73);
                CHECK(contains(outcome.err, "cannot write results to "));
            }
    }
    std::filesystem::permissions(place.path("locked"), std::filesystem::perms(0755));
}

TEST_CASE("74: too few files may be open") {
    if (onda::test::kSanitized) return;  // the sanitizer opens pipes to look at objects
    const Workplace place;
    for (const int files : {6, 8, 10, 12}) {
        CAPTURE(files);
        const Outcome outcome = place.run({}, "ulimit -n " + std::to_string(files));
        CAPTURE(outcome.err);
        CHECK(outcome.code == 74);
        CHECK(contains(outcome.err, "Too many open files"));
        place.check_only_the_log();
    }
}

TEST_CASE("74: a full table of inodes") {
    const TemporaryFolder folder;
    const Workplace place;
    for (const int inodes : {1, 2, 3, 4, 5, 6, 8}) {
        CAPTURE(inodes);
        const std::string mount = "mount -t tmpfs -o nr_inodes=" + std::to_string(inodes) + " tmpfs " +
                                  quoted(folder.path().string()) + " 2> /dev/null";
        if (std::system(mount.c_str()) != 0) {
            MESSAGE("skipped: file systems cannot be mounted here");
            return;
        }
        const Outcome outcome =
            run_onda({"run", place.path("small.yaml"), "--output", (folder.path() / "out").string()});
        CAPTURE(outcome.err);
        CHECK(outcome.code == 74);
        CHECK(contains(outcome.err, "No space left on device"));
        Workplace::check_only_the_log_in(folder.path() / "out");
        CHECK(std::system(("umount " + quoted(folder.path().string())).c_str()) == 0);
    }
}

TEST_CASE("74: a write fails, and nothing looks complete") {
    const Workplace place;
    // 8 blocks of 512 or 1024 bytes: the log fits, the seismograms do not.
    const Outcome outcome = place.run({}, "ulimit -f 8");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 74);
    place.check_only_the_log();
    CHECK(place.run().code == 0);  // what is left does not stand in the way
}

TEST_CASE("74: snapshots that cannot be written stop the run, and nothing looks complete") {
    const Workplace place;
    const std::size_t receivers = kSmall2d.find("receivers:");
    place.write("small.yaml", kSmall2d.substr(0, receivers) + "output: {snapshots: {every_steps: 1}}\n");
    const Outcome outcome = place.run({"--set", "time.duration_s=10"}, "ulimit -f 100", "timeout 60");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 74);
    CHECK(contains(outcome.err, "snapshots.h5: /shots/1/pressure: cannot write its values"));
    CHECK(!contains(outcome.err, "HDF5-DIAG"));  // HDF5 itself stays silent in the writing thread, too
    place.check_only_the_log();
}

TEST_CASE("74: results that cannot be printed") {
    for (const std::string command : {"info", "schema", "verify --list"}) {
        CAPTURE(command);
        CHECK(std::system((quoted(ONDA_PROGRAM) + " " + command + " > /dev/full 2> /dev/null").c_str()) == 74 << 8);
    }
}

TEST_CASE("77: a run that overflows is stopped, with place, time and cause, and leaves its log") {
    const Workplace place;
    const Outcome outcome = place.run({"--set", "sources[0].amplitude=1e39"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 77);
    CHECK(contains(outcome.err, "likely cause: the source amplitudes may exceed what single precision holds"));
    CHECK(contains(outcome.err, "node (x "));
    CHECK(contains(outcome.err, "t = "));
    CHECK(contains(text_of(place.path("out") + "/onda.log"), "the run is unstable"));
    place.check_only_the_log();
}

TEST_CASE("78: faults of the configuration, all at once") {
    const Workplace place;
    const Outcome outcome = place.run({"--set", "time.dt_s=0.1", "--set", "wavelet.peak_frequency_hz=500"});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 78);
    CHECK(contains(outcome.err, "stability limit"));
    CHECK(contains(outcome.err, "grid.spacing_m"));
    CHECK(run_onda({"check", place.path("small.yaml"), "--set", "time.dt_s=0.1"}).code == 78);
    CHECK(code_of(std::make_exception_ptr(std::invalid_argument("kernel"))) == ExitCode::config);
    CHECK(!std::filesystem::exists(place.path("out")));
}

TEST_CASE("78: kernels, tiles and instruction sets of another backend are refused with what there is") {
    const Workplace place;
    const auto message = [&place](const std::string& setting, const std::string& value) {
        const Outcome outcome = place.run(
            {"--set", "backend.name=cpu", "--set", "backend." + setting + "=" + value, "--set", "time.dt_s=0.1"});
        CHECK(outcome.code == 78);
        CHECK(contains(outcome.err, "stability limit"));  // together with the errors of other stages
        CHECK(contains(outcome.err, "--set backend." + setting + "=" + value + ": backend." + setting + ": "));
        return outcome.err;
    };
    const std::string kernel = message("kernel", "direct");
    CHECK(contains(kernel, "'direct' is not among the CPU kernels: use auto, reference, vectorised, inplane-classic"));
    CHECK(contains(kernel, "it is a kernel of backend.name: cuda"));
    CHECK(contains(message("tile", "128x32"), "the cpu backend has no tile; leave it out or take backend.name: cuda"));
    CHECK(contains(message("copy", "tma"), "the cpu backend has no copy; leave it out or take backend.name: cuda"));
    CHECK(contains(place.run({"--set", "backend.kernel=vectorized"}).err, "did you mean 'vectorised'?"));
    CHECK(!std::filesystem::exists(place.path("out")));
}

TEST_CASE("70: anything unforeseen asks for a report") {
    const Failure failure = describe_failure(std::make_exception_ptr(std::logic_error("odd")));
    CHECK(failure.code == ExitCode::internal);
    CHECK(contains(failure.message, "onda info"));
    CHECK(code_of(std::make_exception_ptr(42)) == ExitCode::internal);
}
