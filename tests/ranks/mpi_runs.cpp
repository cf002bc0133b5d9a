// `mpirun onda run` gives the results of `onda run`, on any number of processes, whether they share grids or shots,
// also where each writes a part of the snapshots, and so does `onda gradient`; an error is told once; a process that
// dies ends all, what is finished is kept, and the next run goes on. Processes that a launcher starts without MPI share
// the shots. Takes 40 s.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <future>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "io/results/image_file.hpp"
#include "io/results/result_reader.hpp"
#include "solver/tasks/checkpoint_file.hpp"
#include "tests/program/process.hpp"
#include "tests/program/python.hpp"
#include "tests/ranks/mpi_environment.hpp"
#include "tests/sanitized.hpp"
#include "tests/surveys/result_bytes.hpp"

using Json = nlohmann::json;

namespace {

/// One shot, unless --set says otherwise; small, but cut into five.
const std::string kRun = R"(schema_version: 1
grid: {shape: [31, 25, 83], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 400, vp_m_s: 2200}], dip_deg: 10}
time: {duration_s: 0.08}
boundary: {cpml_width: 5}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {type: line, first_m: [153, 121, 411], last_m: [153, 121, 411], count: 1}
receivers:
  - {type: line, first_m: [70, 124, 65], last_m: [90, 116, 785], count: 13}
output: {snapshots: {every_steps: 20}, pictures: false, report: false}
backend: {name: cpu, threads: 1}
)";
const std::vector<std::string> kFiveShots{"--set", "sources[0].count=5", "--set", "sources[0].last_m=[253, 121, 411]"};

const std::vector<std::string> kTwoSmallShots{
    "--set", "grid.shape=[15, 13, 43]",
    "--set", "sources=[{type: line, first_m: [43, 61, 211], last_m: [93, 61, 211], count: 2}]",
    "--set", "receivers=[{type: line, first_m: [30, 64, 65], last_m: [50, 56, 385], count: 5}]",
    "--set", "output={pictures: false, report: false}"};

/// Skips the whole program where there is no launcher, or no module for it (ctest shows "Skipped").
void need_mpi() {
    if (std::string(ONDA_MPIEXEC).empty() || !std::filesystem::exists(ONDA_MPI_MODULE)) {
        std::puts("skipped: this build has no MPI (Debian, Ubuntu: libopenmpi-dev, openmpi-bin)");
        std::exit(77);
    }
}

std::string launched(int ranks) {
    return std::string(ONDA_MPIEXEC) + " -n " + std::to_string(ranks);
}

/// A folder with the configuration, and what is run in it.
class Runs {
public:
    Runs() { write_text(config(), kRun); }
    [[nodiscard]] std::filesystem::path out(const std::string& name) const { return folder_.path() / name; }
    [[nodiscard]] std::vector<std::string> arguments(const std::string& name, const std::vector<std::string>& more,
                                                     const std::string& command = "run") const {
        std::vector<std::string> all{command, config().string(), "-o", out(name).string()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    /// \param ranks 0 without a launcher.
    [[nodiscard]] Outcome run(const std::string& name, int ranks, const std::vector<std::string>& more = {},
                              const std::string& command = "run") const {
        return run_onda(arguments(name, more, command), kMpiEnvironment, ranks == 0 ? "" : launched(ranks));
    }
    [[nodiscard]] Json summary(const std::string& name) const {
        return Json::parse(text_of(out(name) / "summary.json"));
    }
    [[nodiscard]] Json hashes(const std::string& name, int ranks, const std::vector<std::string>& more = {}) const {
        const Outcome outcome = run(name, ranks, more);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        CHECK(contains(outcome.out, "summary.json"));
        return summary(name)["hashes"];
    }

private:
    [[nodiscard]] std::filesystem::path config() const { return folder_.path() / "run.yaml"; }
    TemporaryFolder folder_;
};

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

std::vector<std::string> operator+(std::vector<std::string> first, const std::vector<std::string>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::vector<std::string> cut(int slabs) {
    return {"--set", "backend.slabs=" + std::to_string(slabs)};
}

/// The process of a rank that writes to a folder; 0 if there is none.
pid_t process_of_rank(int rank, const std::filesystem::path& folder) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (!contains(text_of(entry.path() / "cmdline"), folder.string())) continue;
        const std::string variable = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + '\0';
        if (contains(text_of(entry.path() / "environ"), variable)) return static_cast<pid_t>(std::stoi(name));
    }
    return 0;
}

}  // namespace

TEST_CASE("1, 2, 3 and 5 processes that share a grid give the results of one") {
    need_mpi();
    const Runs runs;
    const Json expected = runs.hashes("one", 0);
    CHECK(runs.hashes("alone", 1) == expected);
    for (const int ranks : {2, 3, 5}) {
        CAPTURE(ranks);
        const std::string name = "ranks" + std::to_string(ranks);
        CHECK(runs.hashes(name, ranks, {"--set", "backend.slabs=" + std::to_string(ranks)}) == expected);
        const Json slabs = runs.summary(name)["backend"]["slabs"];
        CHECK(slabs["count"] == ranks);
        CHECK(slabs["ranks"]["per_grid"] == ranks);
    }
    CHECK(runs.hashes("more", 2, {"--set", "backend.split=[20, 30, 20, 23]"}) == expected);
    const std::vector<std::string> wide{"--set", "scheme.precision=double"};
    CHECK(runs.hashes("measured", 3, wide + cut(3) + std::vector<std::string>{"--set", "backend.split=measured"}) ==
          runs.hashes("double", 0, wide));
    CHECK(
        contains(runs.summary("measured")["backend"]["slabs"]["chosen_by"].get<std::string>(), "split by measurement"));
}

TEST_CASE("processes that share the shots, and groups that share grids and shots, give the results of one") {
    need_mpi();
    const Runs runs;
    const Json expected = runs.hashes("one", 0, kFiveShots);
    CHECK(runs.hashes("shots", 3, kFiveShots) == expected);
    CHECK(runs.summary("shots")["backend"]["slabs"]["ranks"]["per_grid"] == 1);
    // Nothing is left to do for the second run, and --force does all of it again.
    const Outcome again = runs.run("shots", 2, kFiveShots);
    CHECK(again.code == 0);
    CHECK(contains(again.err, "nothing is left to do"));
    CHECK(runs.hashes("shots", 5, kFiveShots + cut(2) + std::vector<std::string>{"--force"}) == expected);
    CHECK(runs.summary("shots")["backend"]["slabs"]["ranks"]["per_grid"] == 2);
    const std::vector<std::string> aperture{"--set", "survey.limit_m=60", "--set", "backend.slabs=2"};
    CHECK(runs.hashes("aperture", 4, kFiveShots + aperture) ==
          runs.hashes("aperture one", 0, kFiveShots + std::vector<std::string>{"--set", "survey.limit_m=60"}));
}

TEST_CASE("a survey of gradients on shared grids, resumed by another number of processes, is that of one process") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> small =
        kTwoSmallShots +
        std::vector<std::string>{"--set", "model.rho=gardner", "--set", "time={duration_s: 0.02, stepping: single}"};
    static_cast<void>(runs.hashes("observed", 0, small + std::vector<std::string>{"--set", "model.dip_deg=20"}));
    const std::vector<std::string> compared =
        small + std::vector<std::string>{"--set", "imaging={parameters: vp_and_rho, observed: " +
                                                      (runs.out("observed") / "seismograms.h5").string() + "}"};
    const auto compute = [&](const std::string& name, int ranks, const std::vector<std::string>& more) {
        const Outcome outcome = runs.run(name, ranks, compared + more, "gradient");
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
    };
    const auto image = [&](const std::string& name, const onda::StoredImageKind& kind) {
        return onda::read_image(runs.out(name) / "gradient.h5", kind, {0, 0, 0}, {15, 13, 43});
    };
    compute("one", 0, {});
    compute("shared", 2, cut(2) + std::vector<std::string>{"--shots", "2", "--set", "imaging.storage=checkpoints"});
    CHECK_FALSE(std::filesystem::exists(runs.out("shared") / "gradient.h5"));
    compute("shared", 3, cut(2));  // one of them has nothing to do
    CHECK(std::ranges::any_of(image("one", onda::kRhoGradient), [](float value) { return value != 0.f; }));
    for (const onda::StoredImageKind* kind : {&onda::kVpGradient, &onda::kRhoGradient})
        CHECK(image("shared", *kind) == image("one", *kind));
}

TEST_CASE("iterations that processes share are those of one, also when their time was over") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> survey =
        kTwoSmallShots + std::vector<std::string>{"--set", "time={duration_s: 0.05}"};
    static_cast<void>(runs.hashes("observed", 0, survey + std::vector<std::string>{"--set", "model.dip_deg=20"}));
    const std::vector<std::string> fitted =
        survey + std::vector<std::string>{"--set", "imaging={lsrtm: {iterations: 2}, observed: " +
                                                       (runs.out("observed") / "seismograms.h5").string() + "}"};
    const auto change = [&](const std::string& name) {
        return onda::read_image(runs.out(name) / "image.h5", onda::kVelocityChange, {}, {15, 13, 43});
    };
    CHECK(runs.run("one", 0, fitted, "lsrtm").code == 0);
    const Outcome over = runs.run("shared", 2, fitted + std::vector<std::string>{"--max-hours", "1e-9"}, "lsrtm");
    CHECK(over.code == static_cast<int>(onda::ExitCode::time_limit));
    CHECK(runs.run("shared", 2, fitted, "lsrtm").code == 0);
    CHECK(std::ranges::any_of(change("one"), [](float value) { return value != 0.f; }));
    CHECK(change("shared") == change("one"));
    const Outcome on_slabs = runs.run("slabs", 2, fitted + cut(2), "lsrtm");
    CHECK(on_slabs.code == static_cast<int>(onda::ExitCode::config));
    CHECK(contains(on_slabs.err, "no scattered field is computed on slabs of several processes"));
}

TEST_CASE("an inversion by processes that share grids or shots is that of one") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> survey =
        kTwoSmallShots + std::vector<std::string>{"--set", "time={duration_s: 0.05}"};
    static_cast<void>(runs.hashes("observed", 0, survey + std::vector<std::string>{"--set", "model.dip_deg=20"}));
    const std::vector<std::string> inverted =
        survey + std::vector<std::string>{
                     "--set", "imaging={observed: " + (runs.out("observed") / "seismograms.h5").string() + "}", "--set",
                     "inversion={stages: [{iterations: 1}, {iterations: 1}]}"};
    const auto table = [&](const std::string& name) { return text_of(runs.out(name) / "iterations.csv"); };
    CHECK(runs.run("one", 0, inverted, "fwi").code == 0);
    const Outcome over = runs.run("shared", 3, inverted + std::vector<std::string>{"--max-hours", "1e-9"}, "fwi");
    CHECK(over.code == static_cast<int>(onda::ExitCode::time_limit));
    CHECK(runs.run("shared", 3, inverted, "fwi").code == 0);
    CHECK(table("shared") == table("one"));
    CHECK(runs.run("slabs", 2, inverted + cut(2), "fwi").code == 0);
    CHECK(table("slabs") == table("one"));
    CHECK(std::ranges::count(table("one"), '\n') == 5);
}

TEST_CASE("SEG-Y and SU are written once, as by one process") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> traces{"--set", "output.seismograms={segy: ibm, su: true, dt_s: 0.001}"};
    static_cast<void>(runs.hashes("one", 0, kFiveShots + traces));
    static_cast<void>(runs.hashes("groups", 4, kFiveShots + traces + cut(2)));
    for (const char* file : {"seismograms.segy", "seismograms.su"}) {
        const std::string expected = text_of(runs.out("one") / file);
        CHECK(expected.size() > 5 * 240);
        CHECK(text_of(runs.out("groups") / file) == expected);
    }
}

namespace {

/// A window with every third node along z, from 20 m down: across the cuts.
const std::vector<std::string> kWindow{"--set", "output.snapshots.decimation=[2, 1, 3]", "--set",
                                       "output.snapshots.window_min_m=[0, 30, 20]"};

std::vector<std::string> part_files(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (contains(entry.path().filename(), ".part_")) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

/// The snapshots of a shot as pictures and reports read them.
std::vector<float> snapshots_in(const std::filesystem::path& folder, std::int64_t shot = 1) {
    const onda::ShotSnapshots snapshots = onda::SnapshotReader(folder / "snapshots.h5").open(shot);
    std::vector<float> values;
    for (std::size_t frame = 0; frame < snapshots.times_s().size(); ++frame)
        for (const float value : snapshots.read(frame, {0, 0, 0}, snapshots.geometry().shape)) values.push_back(value);
    return values;
}

/// Whether h5py finds the same values and attributes in two folders; true where no Python has it.
bool same_for_h5py(const std::filesystem::path& one, const std::filesystem::path& other) {
    const std::string python = python_with("import h5py, numpy");
    if (python.empty()) return true;
    return exit_status(shell_quoted(python) + " " +
                       shell_quoted(std::string(ONDA_SOURCE_DIR) + "/tests/ranks/same_snapshots.py") + " " +
                       shell_quoted(one.string()) + " " + shell_quoted(other.string())) == 0;
}

}  // namespace

TEST_CASE("each process writes the snapshots of its slabs; all readers find what one process writes") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> vtkhdf = kWindow + std::vector<std::string>{"--set", "output.snapshots.vtkhdf=true"};
    static_cast<void>(runs.hashes("one", 0, vtkhdf));
    CHECK(part_files(runs.out("one")).empty());
    const std::vector<float> expected = snapshots_in(runs.out("one"));
    constexpr int ranks = 5;
    static_cast<void>(runs.hashes("parts", ranks, vtkhdf + cut(ranks)));
    // Wherever the folder is.
    const auto folder = runs.out("moved");
    std::filesystem::rename(runs.out("parts"), folder);
    CHECK(part_files(folder).size() == static_cast<std::size_t>(ranks));
    CHECK(snapshots_in(folder) == expected);
    CHECK(text_of(folder / "snapshots.xdmf") == text_of(runs.out("one") / "snapshots.xdmf"));
    CHECK(same_for_h5py(runs.out("one"), folder));
    const Json files = runs.summary("moved")["files"];
    CHECK(std::ranges::count_if(files, [](const Json& file) {
              return contains(file["name"], "snapshots.part_") && file["bytes"] > 0 && file.contains("hash");
          }) == ranks);
    const std::vector<std::string> plot{"plot",    "slice", (folder / "snapshots.h5").string(),
                                        "--force", "-o",    (folder / "slice.png").string()};
    CHECK(run_onda(plot).code == 0);
    std::filesystem::remove(folder / "snapshots.part_2.h5");
    const Outcome missing = run_onda(plot);
    CHECK(missing.code == 66);
    CHECK(contains(missing.err, "snapshots.part_2.h5: no such file; it has a part of the snapshots of"));
}

TEST_CASE("parts are files of the run: the same command proves them, --force replaces them, none is left over") {
    need_mpi();
    const Runs runs;
    static_cast<void>(runs.hashes("run", 3, kWindow + cut(3)));
    CHECK(contains(runs.run("run", 0, kWindow).err, "nothing is left to do"));
    const std::vector<float> expected = snapshots_in(runs.out("run"));
    std::filesystem::remove(runs.out("run") / "snapshots.part_1.h5");
    CHECK(runs.run("run", 2, kWindow + cut(2)).code == 73);
    const std::vector<std::string> force{"--force"};
    static_cast<void>(runs.hashes("run", 2, kWindow + cut(2) + force));
    CHECK(part_files(runs.out("run")) == std::vector<std::string>{"snapshots.part_1.h5", "snapshots.part_2.h5"});
    CHECK(snapshots_in(runs.out("run")) == expected);
    write_text(runs.out("run") / "snapshots.part_2.h5", "another's");
    const Outcome foreign = runs.run("run", 0, kWindow + force);
    CHECK(foreign.code == 73);
    CHECK(contains(foreign.err, "snapshots.part_2.h5"));
    std::filesystem::remove(runs.out("run") / "snapshots.part_2.h5");
    static_cast<void>(runs.hashes("run", 0, kWindow + force));
    CHECK(part_files(runs.out("run")).empty());
    CHECK(snapshots_in(runs.out("run")) == expected);
}

TEST_CASE("shots that keep their files keep their parts; shots whose parts have gone are computed again") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> many{
        "--set", "grid.shape=[15, 13, 43]",
        "--set", "sources=[{type: line, first_m: [43, 61, 211], last_m: [93, 61, 211], count: 101}]",
        "--set", "receivers=[{type: line, first_m: [30, 64, 65], last_m: [50, 56, 385], count: 13}]",
        "--set", "time.duration_s=0.02",
        "--set", "output.snapshots.every_steps=5"};
    const Json expected = runs.hashes("one", 0, many);
    const Outcome some = runs.run("kept", 2, many + cut(2) + std::vector<std::string>{"--shots", "1-12"});
    CHECK(some.code == 0);
    const auto unfinished = runs.out("kept") / "unfinished";
    CHECK(part_files(unfinished).size() == 24);
    std::filesystem::remove(unfinished / "00007.snapshots.part_2.h5");
    std::filesystem::remove(unfinished / "00008.snapshots.part_1.h5");
    // One of them by another number of processes, the others on one.
    const Outcome seventh = runs.run("kept", 3, many + cut(3) + std::vector<std::string>{"--shots", "7"});
    CHECK(seventh.code == 0);
    CHECK(contains(seventh.err, "00007.snapshots.part_2.h5 is no longer there: shot 7 is to be computed again"));
    CHECK(contains(seventh.err, "00008.snapshots.part_1.h5 is no longer there: shot 8 is to be computed again"));
    CHECK(runs.hashes("kept", 0, many) == expected);
    const auto shots = runs.out("kept") / "shots";
    CHECK(part_files(shots).size() == 10 * 2 + 3);
    for (const std::int64_t shot : {1, 7, 8, 12, 13, 101}) {
        CAPTURE(shot);
        CHECK(snapshots_in(runs.out("kept"), shot) == snapshots_in(runs.out("one"), shot));
    }
    CHECK(same_for_h5py(runs.out("one"), runs.out("kept")));
    const Outcome replaced =
        runs.run("kept", 0, many + std::vector<std::string>{"--force", "--set", "sources[0].count=2"});
    CHECK(replaced.code == 0);
    CHECK_FALSE(std::filesystem::exists(shots));
    CHECK(part_files(runs.out("kept")).empty());
}

TEST_CASE(
    "a disk that is full for one process ends the run with the code of a single process, and names file and rank") {
    need_mpi();
    const Runs runs;
    const std::string second_has_no_room =
        launched(2) + " sh -c 'if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then ulimit -f 60; fi; exec \"$@\"' sh";
    const Outcome outcome = run_onda(runs.arguments("full", cut(2)), kMpiEnvironment, second_has_no_room);
    CHECK(outcome.code == 74);
    CHECK(count(outcome.err, "error:") == 1);
    CHECK(contains(outcome.err, "rank 1 of this grid: "));
    CHECK(contains(outcome.err, "00001.snapshots.part_2.h5"));
    CHECK_FALSE(std::filesystem::exists(runs.out("full") / "snapshots.h5"));
    CHECK(runs.hashes("full", 3, cut(3)) == runs.hashes("one", 0));
    CHECK(part_files(runs.out("full")).size() == 3);
    CHECK(snapshots_in(runs.out("full")) == snapshots_in(runs.out("one")));
}

TEST_CASE("errors are told once, with the exit code of a single process, and nothing is created") {
    need_mpi();
    const Runs runs;
    const Outcome unknown = runs.run("bad", 3, {"--set", "grid.spacng_m=3"});
    CHECK(unknown.code == 78);
    CHECK(count(unknown.err, "error:") == 1);
    CHECK(contains(unknown.err, "did you mean 'spacing_m'?"));
    const Outcome many = runs.run("bad", 2, {"--set", "backend.slabs=70"});
    CHECK(many.code == 78);
    CHECK(count(many.err, "error:") == 1);
    CHECK(contains(many.err, "equal slabs at most"));
    CHECK_FALSE(std::filesystem::exists(runs.out("bad")));
    const Outcome shots = runs.run("bad", 2, {"--shots", "5-3"});
    CHECK(shots.code == 64);
    CHECK(count(shots.err, "error:") == 1);
    const Outcome late = runs.run("late", 2, kFiveShots + std::vector<std::string>{"--max-hours", "1e-9"});
    CHECK(late.code == 75);
    CHECK(count(late.err, "error:") == 1);
    CHECK(contains(late.err, "0 of 5 shots are done"));
}

TEST_CASE("a process that is killed ends all; what is finished is kept, and another number of processes goes on") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> longer = kFiveShots + std::vector<std::string>{"--set", "time.duration_s=0.7"};
    const Json expected = runs.hashes("one", 0, longer);
    std::future<Outcome> broken = std::async(std::launch::async, [&] {
        return runs.run("broken", 2, longer + std::vector<std::string>{"--set", "backend.slabs=2"});
    });
    const auto first_shot = runs.out("broken") / "unfinished" / "00001.seismograms.h5";
    REQUIRE(wait_until([&] { return std::filesystem::exists(first_shot); }));
    pid_t second = 0;
    REQUIRE(wait_until([&] { return (second = process_of_rank(1, runs.out("broken"))) > 0; }));
    kill(second, SIGKILL);
    const Outcome outcome = broken.get();
    CHECK(outcome.code == 128 + SIGKILL);
    CHECK(std::filesystem::exists(first_shot));
    CHECK_FALSE(std::filesystem::exists(runs.out("broken") / "summary.json"));
    const Outcome rest = runs.run("broken", 3, longer);
    CHECK(rest.code == 0);
    CHECK(contains(rest.err, "resuming"));
    CHECK(runs.summary("broken")["hashes"] == expected);
}

TEST_CASE("a process that stands still, the first one too, ends all in the end; what is finished is kept") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> longer = kFiveShots + std::vector<std::string>{"--set", "time.duration_s=0.7"};
    const Json expected = runs.hashes("one", 0, longer);
    const auto first_shot = runs.out("broken") / "unfinished" / "00001.seismograms.h5";
    for (const int stopped : {1, 0}) {
        CAPTURE(stopped);
        std::future<Outcome> broken = std::async(std::launch::async, [&] {
            return runs.run("broken", 2,
                            longer + cut(2) + std::vector<std::string>{"--set", "backend.rank_timeout_s=2"});
        });
        pid_t process = 0;
        REQUIRE(wait_until([&] {
            return std::filesystem::exists(first_shot) &&
                   std::filesystem::exists(runs.out("broken") / "unfinished" /
                                           ("rank_" + std::to_string(stopped) + ".alive")) &&
                   (process = process_of_rank(stopped, runs.out("broken"))) > 0;
        }));
        kill(process, SIGSTOP);
        const Outcome outcome = broken.get();
        CAPTURE(outcome.err);
        CHECK(outcome.code == 69);
        CHECK(contains(outcome.err, "rank " + std::to_string(stopped) + " has given no sign of life for 2 s"));
        CHECK(process_of_rank(stopped, runs.out("broken")) == 0);
        CHECK(std::filesystem::exists(first_shot));
    }
    const Outcome rest = runs.run("broken", 3, longer);
    CHECK(rest.code == 0);
    CHECK(contains(rest.err, "resuming"));
    CHECK(runs.summary("broken")["hashes"] == expected);
    CHECK_FALSE(std::filesystem::exists(runs.out("broken") / "unfinished"));
}

namespace {

/// A shot that is told by signals to keep what it has.
class ToldRun {
public:
    static constexpr const char* kName = "told";
    ToldRun(const Runs& runs, std::vector<std::string> settings, std::string command = "run")
        : runs_(runs), settings_(std::move(settings)), command_(std::move(command)) {}
    /// That of the last checkpoint.
    [[nodiscard]] std::int64_t step() const {
        try {
            return onda::CheckpointReader(kept()).record().step;
        } catch (const onda::Error&) {
            return 0;  // not there, or between its two names
        }
    }
    /// Sends a signal to one process once the shot is under way, and its first checkpoint asked for, or there because
    /// it was time for it.
    void tell(int ranks, int rank, int signal, const std::vector<std::string>& more) const {
        const std::int64_t before = step();
        std::future<Outcome> told = std::async(
            std::launch::async, [&] { return runs_.run(kName, ranks, settings_ + cut(ranks) + more, command_); });
        const auto when = [&](const auto& condition) {
            REQUIRE(wait_until(
                [&] { return condition() || told.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
        };
        pid_t process = 0;
        when([&] {
            return std::filesystem::exists(runs_.out(kName) / "unfinished") &&
                   (process = process_of_rank(rank, runs_.out(kName))) > 0;
        });
        if (more.empty()) kill(process, SIGUSR1);
        when([&] { return step() > before; });
        kill(process, signal);
        const Outcome outcome = told.get();
        CAPTURE(outcome.err);
        CHECK(outcome.code == 75);
        CHECK(contains(outcome.err, "checkpoint after step "));
        CHECK(contains(outcome.err, "run the same command again to go on"));
        CHECK(count(outcome.err, "error:") == 1);
        CHECK(step() > before);
        CHECK_NOTHROW(onda::CheckpointReader(kept()).verify());
    }

private:
    [[nodiscard]] std::filesystem::path kept() const {
        return runs_.out(kName) / "unfinished" / onda::checkpoint_name(1);
    }
    const Runs& runs_;
    std::vector<std::string> settings_;
    std::string command_;
};

const std::vector<std::string> kEveryMoment{"--set", "checkpoint.every_minutes=0.0005"};

std::vector<std::string> of_seconds(const std::string& duration_s) {
    return {"--set", "time.duration_s=" + duration_s, "--set", "output={pictures: false, report: false}"};
}

}  // namespace

TEST_CASE("a signal that one process of a grid is sent makes all keep shot and snapshots after the same step") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> long_shot =
        of_seconds("2") + std::vector<std::string>{"--set", "output.snapshots.every_steps=100"} + kWindow;
    const Json expected = runs.hashes("one", 0, long_shot);
    const std::vector<float> snapshots = snapshots_in(runs.out("one"));
    const ToldRun told(runs, long_shot);
    told.tell(2, 1, SIGTERM, {});
    told.tell(3, 0, SIGINT, kEveryMoment);
    const Outcome rest = runs.run(ToldRun::kName, 2, long_shot + cut(2));
    CAPTURE(rest.err);
    CHECK(rest.code == 0);
    CHECK(contains(rest.err, "going on  shot 1 from the checkpoint after step "));
    CHECK(runs.summary(ToldRun::kName)["hashes"] == expected);
    CHECK(snapshots_in(runs.out(ToldRun::kName)) == snapshots);
}

// ONDA_SIGNALS tells how many.
TEST_CASE("signals at any moment to any process leave checkpoints that are whole, from which other numbers go on") {
    need_mpi();
    const Runs runs;
    const int wanted = times_wanted("ONDA_SIGNALS", 2);
    const std::vector<std::string> settings =
        of_seconds("1") + kEveryMoment + std::vector<std::string>{"--set", "output.snapshots.every_steps=100"};
    const Json expected = runs.hashes("one", 0, settings);
    const std::vector<float> snapshots = snapshots_in(runs.out("one"));
    std::mt19937 random(4);
    int signals = 0, too_late = 0;
    while (signals < wanted) {
        while (signals < wanted && !std::filesystem::exists(runs.out("told") / "summary.json")) {
            const int ranks = 2 + static_cast<int>(random() % 3), rank = static_cast<int>(random()) & 1;
            std::future<Outcome> run =
                std::async(std::launch::async, [&] { return runs.run("told", ranks, settings + cut(ranks)); });
            const auto is_over = [&run] { return run.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
            pid_t process = 0;
            wait_until([&] {
                return is_over() || (std::filesystem::exists(runs.out("told") / "unfinished") &&
                                     (process = process_of_rank(rank, runs.out("told"))) > 0);
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1000));
            if (process > 0) kill(process, signals % 2 == 0 ? SIGTERM : SIGINT);
            const Outcome outcome = run.get();
            CAPTURE(outcome.err);
            ++signals;
            too_late += outcome.code == 0;
            CHECK((outcome.code == 0 || outcome.code == 75 || outcome.code == 128 + SIGTERM ||
                   outcome.code == 128 + SIGINT));
            for (const std::string& name : {onda::earlier_checkpoint_name(1), onda::checkpoint_name(1)})
                if (const auto file = runs.out("told") / "unfinished" / name; std::filesystem::exists(file))
                    CHECK_NOTHROW(onda::CheckpointReader(file).verify());
        }
        CHECK(runs.run("told", 2, settings + cut(2)).code == 0);
        CHECK(runs.summary("told")["hashes"] == expected);
        CHECK(snapshots_in(runs.out("told")) == snapshots);
        std::filesystem::remove_all(runs.out("told"));
    }
    MESSAGE(signals, " signals, of which ", too_late, " came when the run had ended");
}

TEST_CASE("a gradient on a grid that processes share goes on from its adjoint field, on these and in one process") {
    need_mpi();
    const Runs runs;
    const std::vector<std::string> one_shot =
        kTwoSmallShots + std::vector<std::string>{"--set", "sources[0].count=1",
                                                  "--set", "model.rho=gardner",
                                                  "--set", "time={duration_s: 0.4, stepping: single}"};
    static_cast<void>(runs.hashes("observed", 0, one_shot + std::vector<std::string>{"--set", "model.dip_deg=20"}));
    const std::vector<std::string> compared =
        one_shot + std::vector<std::string>{"--set", "imaging={parameters: vp_and_rho, illumination: true, observed: " +
                                                         (runs.out("observed") / "seismograms.h5").string() + "}"};
    const auto images = [&](const std::string& name) {
        std::vector<std::vector<float>> all;
        for (const onda::StoredImageKind* kind :
             {&onda::kVpGradient, &onda::kRhoGradient, &onda::kSourceIllumination, &onda::kReceiverIllumination})
            all.push_back(onda::read_image(runs.out(name) / "gradient.h5", *kind, {0, 0, 0}, {15, 13, 43}));
        return all;
    };
    REQUIRE(runs.run("one", 0, compared, "gradient").code == 0);
    const ToldRun told(runs, compared, "gradient");
    for (const int ranks : {0, 2}) {
        told.tell(2, 1 - ranks / 2, SIGTERM, kEveryMoment);
        const Outcome rest = runs.run(ToldRun::kName, ranks, compared + cut(2), "gradient");
        CAPTURE(rest.err);
        CHECK(rest.code == 0);
        CHECK(contains(rest.err, "of the adjoint field; computed again: the forward field"));
        CHECK(images(ToldRun::kName) == images("one"));
        std::filesystem::remove_all(runs.out(ToldRun::kName));
    }
}

TEST_CASE("what some processes have kept of a grid goes on with a longer record on others, byte for byte") {
    need_mpi();
    const Runs runs;
    const ToldRun told(runs, of_seconds("2"));
    const auto check = [&](int ranks_before, int ranks, const std::vector<std::string>& longer) {
        CAPTURE(ranks);
        REQUIRE(runs.run(ToldRun::kName, ranks, longer).code == 0);
        const Contents whole = results_in(runs.out(ToldRun::kName));
        std::filesystem::remove_all(runs.out(ToldRun::kName));
        told.tell(ranks_before, ranks_before - 1, SIGTERM, kEveryMoment);
        const Outcome rest = runs.run(ToldRun::kName, ranks, longer);
        CAPTURE(rest.err);
        CHECK(rest.code == 0);
        CHECK(contains(rest.err, "the record is longer than that of the run before"));
        CHECK(contains(rest.err, "going on  shot 1 from the checkpoint after step "));
        CHECK(results_in(runs.out(ToldRun::kName)) == whole);
        std::filesystem::remove_all(runs.out(ToldRun::kName));
    };
    check(2, 3, of_seconds("3") + cut(3));
    check(3, 2, of_seconds("3") + cut(2));
    check(2, 0, of_seconds("3"));
}

TEST_CASE("processes that a launcher starts without MPI share the shots") {
    const Runs runs;
    const Json expected = runs.hashes("one", 0, kFiveShots);
    const auto rank = [&](int number) {
        return std::async(std::launch::async, [&runs, number] {
            return run_onda(runs.arguments("step", kFiveShots),
                            "export SLURM_PROCID=" + std::to_string(number) + " SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=" +
                                std::to_string(number) + " 'SLURM_STEP_TASKS_PER_NODE=2'");
        });
    };
    auto first = rank(0), second = rank(1);
    const Outcome of_first = first.get(), of_second = second.get();
    CAPTURE(of_first.err);
    CAPTURE(of_second.err);
    CHECK(of_first.code == 0);
    CHECK(of_second.code == 0);
    CHECK(contains(of_first.err, "2 processes of Slurm that are not connected"));
    CHECK(of_second.err.empty());
    CHECK(of_second.out.empty());
    CHECK(runs.summary("step")["hashes"] == expected);
    // Started once more, the step finds nothing to do, on all ranks.
    auto once_more = rank(0), and_more = rank(1);
    CHECK(contains(once_more.get().err, "nothing is left to do"));
    CHECK(and_more.get().code == 0);
}
