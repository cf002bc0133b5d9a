// Whatever ends a program, its temporary files go: at once where it can still do something, by the next run where it
// cannot. A folder of results is all old or all new.
// Takes 12 s.
#include <map>
#include <random>

#include "tests/program/process.hpp"
#include "tests/sanitized.hpp"
#include "tests/solver/small_run.hpp"

namespace {

using Contents = std::map<std::string, std::string>;

/// The files of a folder, but for the log and the shots that wait for the next run.
Contents contents_of(const std::filesystem::path& folder) {
    Contents contents;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().filename() != "onda.log" && entry.path().filename() != "unfinished")
            contents[entry.path().filename()] = text_of(entry.path());
    return contents;
}

struct SignalledRun {
    SignalledRun() { write_text(config(), kSmall2d); }
    [[nodiscard]] std::filesystem::path config() const { return folder.path() / "small.yaml"; }
    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }
    [[nodiscard]] std::vector<std::string> run(const std::vector<std::string>& more = {}) const {
        // tests/surveys/checkpoints.cpp tells what signals do where shots are kept between two of their steps.
        std::vector<std::string> arguments{"run", config(), "--output", out(), "--set", "checkpoint.every_minutes=0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] std::vector<std::string> long_run() const { return run({"--set", "time.duration_s=3000"}); }
    /// What a run says before its last line: as much in every place, whose names are of one length.
    [[nodiscard]] std::size_t bytes_said_before_the_end() const {
        static const std::size_t bytes =
            run_onda({"run", config(), "--output", folder.path() / "said"}).err.find("done ");
        REQUIRE(bytes != std::string::npos);
        return bytes;
    }
    [[nodiscard]] bool writing() const { return !partial_files(out()).empty(); }
    [[nodiscard]] bool all_written() const { return !partial_files(out(), "snapshots.xdmf").empty(); }

    TemporaryFolder folder;
};

/// A run that stands still between the last file it wrote and the first that gets its name: it cannot say its last
/// line.
struct HeldRun {
    explicit HeldRun(const SignalledRun& place, const std::vector<std::string>& more = {})
        : pipe(place.bytes_said_before_the_end() + 5), process(place.run(more), pipe.writer()) {
        REQUIRE(wait_until([&] { return place.all_written(); }));
    }
    NarrowPipe pipe;
    Process process;
};

}  // namespace

TEST_CASE("every signal that ends a program ends a run by that signal and leaves the log") {
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
                             SIGPOLL, SIGPWR, SIGSTKFLT, SIGRTMIN + 1, SIGRTMAX}) {
        CAPTURE(signal);
        const SignalledRun place;
        Process process(place.long_run());
        REQUIRE(wait_until([&] { return place.writing(); }));
        process.send(signal);
        CHECK(process.wait() == signal);
        CHECK(contents_of(place.out()).empty());
        CHECK(contains(text_of(place.out() / "onda.log"), "interrupted"));
    }
}

TEST_CASE("a signal ends a run while snapshots are being written") {
    const SignalledRun place;
    Process process(
        place.run({"--set", "time.duration_s=100", "--set", "output={pictures: false, snapshots: {every_steps: 1}}"}));
    const auto bytes = [&] {
        const auto files = partial_files(place.out(), "snapshots.h5");
        std::error_code gone;
        return files.empty() ? 0 : std::filesystem::file_size(place.out() / files.front(), gone);
    };
    REQUIRE(wait_until([&] { return bytes() > 3'000'000; }));
    process.send(SIGTERM);
    CHECK(process.wait() == SIGTERM);
    CHECK(contents_of(place.out()).empty());
}

TEST_CASE("a limit on processor time ends a run like a signal") {
    const SignalledRun place;
    Process process(place.long_run(), -1, [] {
        const rlimit seconds{1, RLIM_INFINITY};
        setrlimit(RLIMIT_CPU, &seconds);
    });
    CHECK(process.wait() == SIGXCPU);
    CHECK(contents_of(place.out()).empty());
}

TEST_CASE("a signal that is ignored stays ignored") {
    const SignalledRun place;
    Process process(place.long_run(), -1, [] { std::signal(SIGHUP, SIG_IGN); });
    REQUIRE(wait_until([&] { return place.writing(); }));
    process.send(SIGHUP);
    process.send(SIGTERM);
    CHECK(process.wait() == SIGTERM);
}

TEST_CASE("a reader of the messages that goes away ends the run, and no temporary file stays") {
    const SignalledRun place;
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    close(ends[0]);
    Process process(place.long_run(), ends[1]);
    close(ends[1]);
    CHECK(process.wait() == SIGPIPE);
    if (std::filesystem::exists(place.out())) CHECK(contents_of(place.out()).empty());
}

TEST_CASE("a signal while the files are being finished is honoured: all of the earlier run stays") {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        CAPTURE(signal);
        const SignalledRun place;
        REQUIRE(run_onda(place.run()).code == 0);
        const Contents before = contents_of(place.out());
        HeldRun held(place, {"--force", "--set", "sources[0].amplitude=3"});
        CHECK(contents_of(place.out()).size() > before.size());
        held.process.send(signal);
        held.pipe.drain();
        CHECK(held.process.wait() == signal);
        CHECK(contents_of(place.out()) == before);
    }
}

TEST_CASE("without a signal the same run replaces everything") {
    const SignalledRun place;
    REQUIRE(run_onda(place.run()).code == 0);
    const Contents before = contents_of(place.out());
    HeldRun held(place, {"--force", "--set", "sources[0].amplitude=3"});
    held.pipe.drain();
    CHECK(held.process.wait() == 0);
    CHECK(held.process.code() == 0);
    const Contents after = contents_of(place.out());
    CHECK(after.size() == before.size());
    CHECK(after.at("summary.json") != before.at("summary.json"));
    CHECK(after.at("seismograms.h5") != before.at("seismograms.h5"));
}

// ThreadSanitizer hands a signal on when the program next calls the system itself, not while it hangs in a library.
TEST_CASE("a signal a second after the first ends a run at once, wherever it hangs" *
          doctest::skip(onda::test::kSanitized)) {
    const SignalledRun place;
    HeldRun held(place);
    held.process.send(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    CHECK(held.process.running());
    held.process.send(SIGTERM);
    CHECK(held.process.wait() == SIGTERM);
    CHECK(contents_of(place.out()).empty());
}

TEST_CASE("the third signal ends a run at once, wherever it hangs, and no temporary file stays" *
          doctest::skip(onda::test::kSanitized)) {
    const SignalledRun place;
    HeldRun held(place);
    held.process.send(SIGTERM);
    held.process.send(SIGINT);
    CHECK(held.process.running());
    held.process.send(SIGTERM);
    CHECK(held.process.wait() == SIGTERM);
    CHECK(contents_of(place.out()).empty());
}

TEST_CASE("signals that the system repeats by itself are not counted") {
    const SignalledRun place;
    HeldRun held(place);
    for (const int signal : {SIGXCPU, SIGXCPU, SIGPIPE, SIGALRM, SIGXCPU, SIGPROF}) held.process.send(signal);
    CHECK(held.process.running());
    held.pipe.drain();
    CHECK(held.process.wait() == SIGXCPU);
    CHECK(contents_of(place.out()).empty());
}

TEST_CASE("what kill -9 leaves does not stand in the way, and goes with the next run") {
    const SignalledRun place;
    {
        HeldRun held(place);
        held.process.send(SIGKILL);
        CHECK(held.process.wait() == SIGKILL);
    }
    CHECK(partial_files(place.out()).size() >= 6);
    REQUIRE(run_onda(place.run()).code == 0);
    CHECK(partial_files(place.out()).empty());
}

TEST_CASE("temporary files of a living run are nobody else's to remove") {
    const SignalledRun place;
    HeldRun held(place);
    const auto before = partial_files(place.out()).size();
    const auto same = run_onda(place.run());
    CHECK(same.code == 0);
    CHECK(contains(same.err, "another process ends the survey"));
    const auto other = run_onda(place.run({"--set", "sources[0].amplitude=3"}));
    CHECK(other.code == 73);
    CHECK(contains(other.err, "another run is writing there"));
    CHECK(run_onda({"init", "--force", "--output", place.out() / "config.yaml"}).code == 0);  // the same name beside it
    CHECK(partial_files(place.out()).size() == before);
}

TEST_CASE("kill -9 at any time leaves results that are all old or all new, and that --force can prove") {
    const SignalledRun place;
    REQUIRE(run_onda(place.run()).code == 0);
    std::mt19937 random(1);
    for (int kill = 0; kill < 25; ++kill) {
        const std::string setting = "sources[0].amplitude=" + std::to_string(kill + 2);
        Process process(place.run({"--force", "--set", setting}));
        const auto files = 1 + random() % 8;
        wait_until([&] { return partial_files(place.out()).size() >= files || !process.running(); });
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        process.send(SIGKILL);
        process.wait();
    }
    const auto last = run_onda(place.run({"--force"}));
    CAPTURE(last.err);
    CHECK(last.code == 0);
    CHECK(partial_files(place.out()).empty());
    CHECK(contains(text_of(place.out() / "summary.json"), "\"state\": \"complete\""));
}

TEST_CASE("a signal ends other commands by that signal, too, and what they were writing goes") {
    const SignalledRun place;
    const auto raw = place.folder.path() / "large.f32", model = place.folder.path() / "model.h5";
    const std::vector<float> vp(1500 * 1500 * 10, 2000.f);
    write_text(raw, std::string(reinterpret_cast<const char*>(vp.data()), vp.size() * sizeof(float)));
    for (const int signal : {SIGTERM, SIGHUP, SIGXCPU}) {
        CAPTURE(signal);
        Process process({"convert", raw, model, "--shape", "1500", "1500", "10", "--axes", "zyx", "--spacing-m", "1"});
        wait_until([&] { return !partial_files(place.folder.path()).empty() || !process.running(); });
        process.send(signal);
        const int died_of = process.wait();
        CHECK(partial_files(place.folder.path()).empty());
        // On a very busy machine the signal may come too late.
        CHECK((died_of == signal) != std::filesystem::exists(model));
        std::filesystem::remove(model);
    }
}
