// A shot that is stopped or killed between two of its steps goes on from there, on whatever computes it then, and
// leaves what a run without a stop leaves. Takes 30 s.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "tests/sanitized.hpp"
#include "tests/surveys/kept_steps.hpp"

using namespace onda;

namespace {

/// Two shots with density, layers, snapshots, pictures and a report that take a second or two together.
const std::string kLongShots = R"(schema_version: 1
grid: {shape: [121, 91], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 500, vp_m_s: 2200, rho_kg_m3: 2100}]}
time: {duration_s: 16}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [303, 55], last_m: [905, 55], count: 2}]
receivers: [{type: line, first_m: [20, 20], last_m: [1180, 20], count: 30}]
output: {snapshots: {every_s: 0.1}, seismograms: {particle_motion: [velocity_z, acceleration_x]}}
backend: {threads: 1, batch: 2}
)";

const LeftOfRun& without_a_stop() {
    static const LeftOfRun left = [] {
        const SurveyPlace place(kLongShots);
        REQUIRE(place.run().code == 0);
        return left_in(place.out(), 2);
    }();
    return left;
}

/// Checkpoints that were being written when a run was killed.
std::int64_t partial_checkpoints(const SurveyPlace& place) {
    return std::ranges::count_if(partial_files(place.out()),
                                 [](const std::string& name) { return contains(name, ".checkpoint.partial-"); });
}

}  // namespace

TEST_CASE("shots that signals stop go on with other threads, batches and kernels, to the same bits") {
    const SurveyPlace place(kLongShots);
    CHECK(stop_on_the_way(place, {}, SIGTERM));
    CHECK(!steps_kept(place, 2).empty());
    CHECK(partial_files(place.out()).empty());
    const auto continued = [&](const std::vector<std::string>& more) {
        const std::int64_t before = last_step_kept(place);
        CHECK(stop_on_the_way(place, more, SIGINT));
        CHECK(last_step_kept(place) > before);
    };
    continued({"--set", "backend.batch=1", "--set", "backend.kernel=reference"});
    continued({"--set", "backend.threads=2", "--set", "backend.isa=generic"});
    const Outcome last = place.run({"--set", "backend.batch=1"});
    CHECK(last.code == 0);
    CHECK(contains(last.err, "going on  shot 1 from the checkpoint after step "));
    CHECK(left_in(place.out(), 2) == without_a_stop());
    CHECK(!std::filesystem::exists(place.unfinished()));
}

TEST_CASE("a shot on one grid goes on in slabs, and in other ones") {
    const SurveyPlace place(R"(schema_version: 1
grid: {shape: [41, 37, 45], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 0.5}
time: {duration_s: 6}
boundary: {cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [203, 188, 55]}]
receivers: [{type: line, first_m: [20, 150, 20], last_m: [380, 150, 400], count: 30}]
output: {pictures: false, report: false}
backend: {threads: 1}
)");
    const auto hashes = [&](const std::string& name) {
        return nlohmann::json::parse(text_of(place.out(name) / "summary.json"))["hashes"];
    };
    REQUIRE(place.run({}, "whole").code == 0);
    CHECK(stop_on_the_way(place, {}, SIGTERM));
    CHECK(stop_on_the_way(place, {"--set", "backend.slabs=2"}, SIGTERM));
    CHECK(stop_on_the_way(place, {"--set", "backend.slabs=3", "--set", "backend.threads=2"}, SIGTERM));
    CHECK(contains(place.run().err, "going on  shot 1 from"));
    CHECK(hashes("out") == hashes("whole"));
}

TEST_CASE("a shot in a medium that absorbs goes on with the memory of its nodes") {
    std::string survey = kLongShots;
    survey.replace(survey.find("type: layered,"), 14, "type: layered, q: 30,");
    const SurveyPlace place(survey);
    REQUIRE(place.run({}, "whole").code == 0);
    CHECK(stop_on_the_way(place, {}, SIGTERM));
    CHECK(stop_on_the_way(place, {"--set", "backend.batch=1", "--set", "backend.kernel=reference"}, SIGTERM));
    CHECK(contains(place.run().err, "going on  shot"));
    CHECK(left_in(place.out(), 2) == left_in(place.out("whole"), 2));
}

TEST_CASE("onda check tells how large a checkpoint is, and how long it takes") {
    const SurveyPlace place(kLongShots);
    const std::vector<std::string> alone{"--set", "backend.batch=1"};
    const Outcome check = run_onda({"check", place.folder.path() / "survey.yaml", "--no-trial", "--set",
                                    "backend.name=cpu", "--set", "backend.batch=1"});
    double megabytes = 0., seconds = 0.;
    const std::size_t at = check.out.find("          of ");
    REQUIRE(at != std::string::npos);
    REQUIRE(std::sscanf(check.out.c_str() + at, " of %lf MB each time, %lf s on a disk that takes 1 GB/s", &megabytes,
                        &seconds) == 2);
    CHECK(seconds == doctest::Approx(megabytes / 1000.).epsilon(0.01));
    REQUIRE(stop_on_the_way(place, alone, SIGTERM));
    const auto bytes = static_cast<double>(std::filesystem::file_size(place.unfinished() / checkpoint_name(1)));
    CHECK(bytes < 1.02e6 * megabytes);  // of traces it has the samples so far
    CHECK(bytes > 0.05e6 * megabytes);
}

TEST_CASE("a run that becomes unstable has kept nothing of that, and goes on to the same end") {
    const SurveyPlace place(kLongShots);
    const auto run = [&](const std::string& name, const std::string& every_minutes) {
        const Outcome outcome =
            place.run({"--set", "wavelet.peak_frequency_hz=3", "--set",
                       "sources=[{position_m: [303, 55], amplitude: 1e39}]", "--set", "output.pictures=false", "--set",
                       "output.report=false", "--set", "checkpoint.every_minutes=" + every_minutes},
                      name);
        CHECK(outcome.code == 77);
        return outcome.err;
    };
    const auto told_of = [](const std::string& err) { return err.substr(std::min(err.find("error: "), err.size())); };
    const std::string end = told_of(run("whole", "0"));
    REQUIRE(contains(end, "p is not finite at node"));
    const std::int64_t unstable = std::stoll(end.substr(end.find("at step ") + 8));
    for (int attempt = 0; attempt < 3; ++attempt) {
        const std::string err = run("out", "0.00001");
        CHECK(told_of(err) == end);
        CHECK(contains(err, "going on") == (attempt > 0));
        const std::vector<std::int64_t> steps = steps_kept(place, 1);
        REQUIRE(!steps.empty());
        CHECK(steps.back() < unstable);
        const CheckpointReader last(place.unfinished() / checkpoint_name(1));
        CHECK_NOTHROW(last.verify());
        CHECK(std::isfinite(last.record().largest_observed_pressure));
        CHECK(std::ranges::all_of(last.record().traces, [](double value) { return std::isfinite(value); }));
    }
}

TEST_CASE("SIGUSR1 asks for a checkpoint, and the run goes on") {
    const SurveyPlace place(kLongShots);
    Process process(place.command());
    REQUIRE(wait_until([&] { return !partial_files(place.out(), ".snapshots.h5").empty() || !process.running(); }));
    process.send(SIGUSR1);
    CHECK(wait_until([&] { return last_step_kept(place) > 0 || !process.running(); }));
    CHECK(process.wait() == 0);
    CHECK(process.code() == 0);
    CHECK(contains(text_of(place.out() / "onda.log"), "checkpoint after step "));
    CHECK(left_in(place.out(), 2) == without_a_stop());
}

TEST_CASE("shots that are killed at any moment go on from the last moment that was kept whole") {
    const int wanted = times_wanted("ONDA_KILLS", test::kSanitized ? 4 : 16);
    std::mt19937 random(11);
    int kills = 0, within_a_file = 0, ends = 0;
    for (; kills < wanted || ends == 0; ++ends) {
        const SurveyPlace place(kLongShots);
        while (kills < wanted && !std::filesystem::exists(place.out() / "summary.json")) {
            const std::int64_t before = last_step_kept(place);
            const std::string batch = kills % 2 == 0 ? "backend.batch=2" : "backend.batch=1";
            Process process(place.command({"--set", "checkpoint.every_minutes=0.00002", "--set", batch}));
            wait_until([&] { return last_step_kept(place) > before || !process.running(); });
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
            process.send(SIGKILL);
            process.wait();
            ++kills;
            within_a_file += partial_checkpoints(place) > 0;
            CHECK((last_step_kept(place) >= before || shot_is_finished(place)));
        }
        CHECK(place.run().code == 0);
        CHECK(left_in(place.out(), 2) == without_a_stop());
        CHECK(partial_files(place.out()).empty());
    }
    MESSAGE("killed ", kills, " times, ", within_a_file, " of them while a checkpoint was written; ", ends, " runs");
}

TEST_CASE("signals at any moment leave checkpoints that are whole") {
    const int wanted = times_wanted("ONDA_SIGNALS", test::kSanitized ? 2 : 6);
    std::mt19937 random(12);
    int signals = 0, too_late = 0;
    while (signals < wanted) {
        const SurveyPlace place(kLongShots);
        while (signals < wanted && !std::filesystem::exists(place.out() / "summary.json")) {
            const std::int64_t before = last_step_kept(place);
            Process process(place.command());
            wait_until([&] { return !partial_files(place.out(), ".snapshots.h5").empty() || !process.running(); });
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 200'000));
            process.send(signals % 3 == 0 ? SIGINT : SIGTERM);
            CHECK(process.wait() == 0);
            ++signals;
            too_late += process.code() == 0;
            if (process.code() == 0) continue;
            CHECK(process.code() == 75);
            CHECK((last_step_kept(place) >= before || shot_is_finished(place)));
            for (const std::int64_t shot : {1, 2})
                for (const std::string& name : {earlier_checkpoint_name(shot), checkpoint_name(shot)})
                    if (std::filesystem::exists(place.unfinished() / name))
                        CHECK_NOTHROW(CheckpointReader(place.unfinished() / name).verify());
        }
        CHECK(place.run().code == 0);
        CHECK(left_in(place.out(), 2) == without_a_stop());
    }
    MESSAGE(signals, " signals, of which ", too_late, " came when the run had ended");
}

TEST_CASE("a damaged checkpoint is told and not used: the one before is, or none") {
    const SurveyPlace place(kLongShots);
    const auto last = place.unfinished() / checkpoint_name(2), before = place.unfinished() / earlier_checkpoint_name(2);
    const auto has_snapshots = [&] {
        return std::filesystem::exists(before) && CheckpointReader(before).record().frames > 0;
    };
    while (!has_snapshots()) REQUIRE(stop_on_the_way(place, {}, SIGTERM));
    const std::vector<std::int64_t> steps = steps_kept(place, 2);
    REQUIRE(steps.size() == 2);
    flip_byte(last, static_cast<std::streamoff>(std::filesystem::file_size(last)) - 5000);
    SUBCASE("the last one") {
        const Outcome run = place.run();
        CHECK(contains(run.err, "is damaged: its hash is another than was written"));
        CHECK(contains(run.err, "going on  shots 1 to 2 from the checkpoint after step " + std::to_string(steps[0])));
    }
    SUBCASE("both") {
        std::filesystem::resize_file(before, std::filesystem::file_size(before) / 2);
        const Outcome run = place.run();
        CHECK(contains(run.err, "it says"));
        CHECK(!contains(run.err, "going on"));
    }
    SUBCASE("snapshots") {
        flip_byte(place.unfinished() / frames_name(1), 4);
        const Outcome run = place.run();
        CHECK(contains(run.err, "its snapshots are not there"));
        CHECK(!contains(run.err, "going on"));
    }
    CHECK(left_in(place.out(), 2) == without_a_stop());
}

TEST_CASE("bytes that are no checkpoint are refused, wherever they differ") {
    const SurveyPlace place(kLongShots);
    REQUIRE(stop_on_the_way(place, {}, SIGTERM));
    const std::string whole = text_of(place.unfinished() / checkpoint_name(1));
    const auto path = place.folder.path() / "other";
    write_text(path, whole);
    CHECK_NOTHROW(CheckpointReader(path).verify());
    std::mt19937 random(5);
    for (int attempt = 0; attempt < 400; ++attempt) {
        std::string other = whole;
        if (attempt % 4 == 0)
            other.resize(random() % whole.size());
        else
            other[attempt % 4 == 1 ? random() % whole.size() : random() % 900] ^= static_cast<char>(1 + random() % 255);
        write_text(path, other);
        CAPTURE(attempt);
        CHECK_THROWS_AS(CheckpointReader(path).verify(), Error);
    }
}

TEST_CASE("a shot that another process has advanced in the meantime goes on from where that one stopped") {
    std::string four = kLongShots;
    const auto put = [&four](const std::string& old, const std::string& other) {
        four.replace(four.find(old), old.size(), other);
    };
    put("count: 2}", "count: 4}");
    put("duration_s: 16", "duration_s: 24");
    const SurveyPlace place(four);
    REQUIRE(stop_on_the_way(place, {"--set", "backend.batch=4"}, SIGTERM));
    const std::vector<std::int64_t> before = steps_kept(place, 4);
    REQUIRE(!before.empty());
    const auto log = open(place.out("err").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
    const std::vector<std::string> alone{"--set", "backend.batch=1", "--set", kEveryMoment};
    Process first(place.command(alone), log);
    REQUIRE(wait_until([&] { return contains(text_of(place.out("err")), "going on  shot 1") || !first.running(); }));
    std::vector<std::string> last = alone;
    last.insert(last.end(), {"--shots", "4"});
    Process second(place.command(last));
    const auto others = [&] {
        const std::vector<std::int64_t> now = steps_kept(place, 4);
        return now.size() == 2 && now.front() > before.back();
    };
    REQUIRE(wait_until([&] { return others() || !first.running() || !second.running(); }));
    second.send(SIGTERM);
    second.wait();
    const std::int64_t step = steps_kept(place, 4).empty() ? 0 : steps_kept(place, 4).back();
    CHECK(first.wait() == 0);
    close(log);
    const std::string err = text_of(place.out("err"));
    CAPTURE(err);
    CHECK(first.code() == 0);
    if (second.code() == 75)  // or the first was faster
        CHECK(contains(err, "going on  shot 4 from the checkpoint after step " + std::to_string(step) + " of"));
    CHECK(!contains(err, "not used"));
}

TEST_CASE("the checkpoint of another configuration is not lost by mistake") {
    const SurveyPlace place(kLongShots);
    REQUIRE(stop_on_the_way(place, {}, SIGTERM));
    const std::int64_t step = last_step_kept(place);
    const Outcome other = place.run({"--set", "wavelet.peak_frequency_hz=11"});
    CHECK(other.code == 73);
    CHECK(contains(other.err, "wavelet.peak_frequency_hz: 12 there, 11 now"));
    CHECK(last_step_kept(place) == step);
    CHECK(place.run({"--set", "wavelet.peak_frequency_hz=11", "--set", "time.duration_s=0.5", "--force"}).code == 0);
}

TEST_CASE("a run keeps its shots when its time is over") {
    const SurveyPlace place(kLongShots);
    const Outcome first = place.run({"--max-hours", "0.0003"});  // a second, which writing has
    CHECK(first.code == 75);
    CHECK(contains(first.err, "checkpoint after step "));
    CHECK(last_step_kept(place) > 0);
    const Outcome last = place.run();
    CHECK(contains(last.err, "going on"));
    CHECK(left_in(place.out(), 2) == without_a_stop());
}

TEST_CASE("a shot that was computed is finished, whatever signal comes") {
    for (int attempt = 0; attempt < 3; ++attempt) {
        const SurveyPlace place(kLongShots);
        const std::vector<std::string> short_shots{"--set", "backend.batch=1", "--set", "time.duration_s=2"};
        Process process(place.command(short_shots));
        // Pictures are drawn when the steps of the first shot are over.
        REQUIRE(wait_until([&] {
            return !partial_files(place.out(), "model_xz.png").empty() || place.finished() > 0 || !process.running();
        }));
        process.send(SIGTERM);
        process.wait();
        if (process.code() == 75 && std::filesystem::exists(place.unfinished())) CHECK(place.finished() > 0);
        CHECK(place.run(short_shots).code == 0);
    }
}

TEST_CASE("a Slurm job queues itself again until its run is complete") {
    const SurveyPlace place(kLongShots);
    const auto bin = place.folder.path() / "bin";
    std::filesystem::create_directory(bin);
    const auto program = [&](const std::string& name, const std::string& text) {
        write_text(bin / name, "#!/bin/sh\n" + text);
        std::filesystem::permissions(bin / name, std::filesystem::perms::owner_all);
    };
    // What Slurm does at the limit of time, and what it is asked for.
    program("srun", "exec timeout --preserve-status --signal=TERM 1 \"$@\"\n");
    program("scontrol", "echo \"$*\" >>" + quoted((bin / "asked").string()) + "\n");
    program("onda", "exec " + quoted(ONDA_PROGRAM) + " \"$@\"\n");
    std::string command = "PATH=" + quoted(bin.string()) + ":$PATH SLURM_JOB_ID=42 sh " +
                          quoted(std::string(ONDA_SOURCE_DIR) + "/examples/slurm_requeue.sh");
    const std::vector<std::string> arguments = place.command();
    for (std::size_t i = 1; i < arguments.size(); ++i) command += " " + quoted(arguments[i]);
    command += " >/dev/null 2>&1";
    int jobs = 0;
    for (; !std::filesystem::exists(place.out() / "summary.json") && jobs < 200; ++jobs)
        CHECK(std::system(command.c_str()) == 0);
    const std::string asked = std::filesystem::exists(bin / "asked") ? text_of(bin / "asked") : "";
    CHECK(std::ranges::count(asked, '\n') == jobs - 1);
    CHECK((asked.empty() || asked.starts_with("requeue 42\n")));
    CHECK(left_in(place.out(), 2) == without_a_stop());
}

TEST_CASE("a disk without room for a checkpoint ends no run") {
    const SurveyPlace place(kLongShots);
    const std::vector<std::string> arguments =
        place.command({"--set", kEveryMoment, "--set", "time.duration_s=4", "--set", "scheme.precision=double", "--set",
                       "output={pictures: false, report: false, seismograms: {dt_s: 0.02}}"});
    const Outcome run = run_onda(arguments, "ulimit -f 300");  // blocks of 512 bytes
    CAPTURE(run.err);
    CHECK(run.code == 0);
    CHECK(contains(run.err, "no checkpoint: "));
    CHECK(partial_files(place.out()).empty());
}

TEST_CASE("without checkpoints a signal ends a run by that signal, and nothing stays") {
    const SurveyPlace place(kLongShots);
    Process process(place.command({"--set", "checkpoint.every_minutes=0"}));
    REQUIRE(wait_until([&] { return !partial_files(place.out(), ".snapshots.h5").empty() || !process.running(); }));
    process.send(SIGTERM);
    CHECK(process.wait() == SIGTERM);
    CHECK(!std::filesystem::exists(place.unfinished()));
}
