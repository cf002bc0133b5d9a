// A run leaves its files, each complete; they agree with the library, and a run of the resolved configuration repeats
// it.
// Takes 12 s.
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "io/config/config.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/results/seismograms.hpp"
#include "kernels/cpu/cpu.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/propagation/propagator.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
}

/// Runs `text` with the program; the results are in folder/out.
struct ProgramRun {
    explicit ProgramRun(const std::string& text, std::vector<std::string> more = {}) {
        write_text(folder.path() / "small.yaml", text);
        std::vector<std::string> arguments{"run", (folder.path() / "small.yaml").string(), "--output", out().string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        summary = Json::parse(text_of(out() / "summary.json"));
    }
    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }

    TemporaryFolder folder;
    Outcome outcome;
    Json summary;
};

/// Runs `text` with the library: gathers of all shots, and the frames of the snapshots.
struct LibraryRun {
    explicit LibraryRun(const std::string& text) : config(read_config_text(text, "small.yaml", vocabulary())) {
        plan = make_plan(config);
        const Model model = make_model(config.model, plan.setup.scheme.equation, plan.domain.grid, config.origin);
        plan = refine(std::move(plan), model);
        const RowReader vp_of_row = [&model](std::int64_t y, std::int64_t z, std::span<float> vp) {
            for (std::size_t x = 0; x < vp.size(); ++x)
                vp[x] = model.vp().values[model.grid.at(static_cast<std::int64_t>(x), y, z)];
        };
        const auto wavefield = make_wavefield(*plan.placement.device, plan.setup, {vp_of_row}, plan.time.dt_s);
        for (const Shot& shot : plan.survey.shots) {
            const Sources sources = make_sources(shot, plan.survey, plan.domain.grid, plan.boundary.halos, plan.time);
            const auto receivers =
                point_weights(shot.receivers.list(), plan.domain.grid, plan.boundary.halos, PointKind::receiver);
            Propagator propagator(*wavefield, sources, receivers, plan.time);
            for (std::int64_t step = 0; step <= plan.time.steps; ++step) {
                if (step > 0) propagator.advance(1);
                if (!plan.snapshots.steps.contains(step)) continue;
                std::vector<float> frame(plan.snapshots.window.points());
                wavefield->download(plan.snapshots.window, std::span<float>(frame));
                frames.push_back(frame);
            }
            gathers.push_back(recorded_gather(shot, plan.survey, plan.time, plan.domain, *wavefield));
        }
        bring_to_output_sampling(plan.time, gathers);
    }
    Config config;
    Plan plan;
    std::vector<ShotGather> gathers;
    std::vector<std::vector<float>> frames;
};

void check_seismograms(const std::filesystem::path& folder, const LibraryRun& library) {
    const auto shots = list_shots(folder / "seismograms.h5");
    REQUIRE(shots.size() == library.gathers.size());
    for (std::size_t i = 0; i < shots.size(); ++i) {
        const ShotGather read = read_gather(folder / "seismograms.h5", shots[i]);
        const ShotGather& made = library.gathers[i];
        CHECK(read.pressure == made.pressure);
        CHECK(read.receivers_m == made.receivers_m);
        CHECK(read.sources_m == made.sources_m);
        CHECK(read.dt_s == made.dt_s);
        CHECK(read.wavelets == made.wavelets);
        CHECK(read.source_amplitude == made.source_amplitude);
        CHECK(*std::ranges::max_element(read.pressure) > 0.f);
    }
}

void check_snapshots(const std::filesystem::path& folder, const LibraryRun& library) {
    const auto file = hdf5::File::open(folder / "snapshots.h5");
    const auto per_shot = static_cast<std::size_t>(library.plan.snapshots.steps.size());
    for (std::size_t shot = 0; shot < library.gathers.size(); ++shot) {
        const auto values = file.open_group("shots/" + std::to_string(library.gathers[shot].shot))
                                .open_dataset("pressure")
                                .read_all<float>();
        std::vector<float> expected;
        for (std::size_t frame = shot * per_shot; frame < (shot + 1) * per_shot; ++frame)
            expected.insert(expected.end(), library.frames[frame].begin(), library.frames[frame].end());
        CHECK(values == expected);
    }
}

}  // namespace

TEST_CASE("a 2-D run of two shots leaves every file, with the library's values") {
    const ProgramRun run(kSmall2d);
    const LibraryRun library(kSmall2d);
    const std::set<std::string> expected{"seismograms.h5", "snapshots.h5", "snapshots.xdmf",
                                         "config.yaml",    "summary.json", "onda.log",
                                         "model_xz.png",   "gather.png",   "report.html"};
    const auto names = names_in(run.out());
    for (const std::string& name : expected) CHECK_MESSAGE(names.contains(name), name);
    std::set<std::string> listed;
    for (const Json& file : run.summary["files"]) listed.insert(file["name"]);
    CHECK(names == listed);
    CHECK(names.size() == expected.size() + 2);  // two snapshots over the model
    check_seismograms(run.out(), library);
    check_snapshots(run.out(), library);
    const ShotGather gather = read_gather(run.out() / "seismograms.h5", 1);
    CHECK(gather.dt_s == 0.002);
    CHECK(gather.samples == 151);
    // The window of 200 to 800 m by 0 to 400 m, every second and third node of a grid that begins at (100, -16).
    CHECK(library.plan.snapshots.geometry.shape == std::array<std::int64_t, 3>{31, 1, 17});
    CHECK(library.plan.snapshots.geometry.origin_m == std::array<double, 3>{200., 0., 0.});
}

TEST_CASE("seismograms come with the signals that they answer to, until these are over") {
    const ProgramRun run(kSmall2d);
    const ShotGather gather = read_gather(run.out() / "seismograms.h5", 2);
    CHECK(gather.wavelets.type == std::vector<std::string>{"ricker"});
    CHECK(gather.wavelets.t0_s == std::vector<double>{0.1});
    CHECK(gather.wavelets.peak_frequency_hz == std::vector<double>{15.});
    CHECK(gather.source_amplitude == std::vector<double>{2.});
    CHECK(gather.source_wavelet == std::vector<std::int64_t>{0});
    const double dt_s = run.summary["time"]["dt_s"];
    CHECK(gather.wavelets.dt_s == dt_s);
    CHECK(gather.wavelets.signal.size() < 0.25 / dt_s);
    for (std::size_t n = 0; n < gather.wavelets.signal.size(); ++n) {
        const double x = std::numbers::pi * 15. * (double(n) * dt_s - 0.1);
        CHECK(std::abs(gather.wavelets.signal[n] - (1. - 2. * x * x) * std::exp(-x * x)) <= 1e-14);
    }
}

TEST_CASE("a snapshot of the start is taken like any other") {
    std::string text = kSmall2d;
    const std::string times = "times_s: [0.1, 0.2]";
    text.replace(text.find(times), times.size(), "times_s: [0, 0.2]");
    const ProgramRun run(text);
    const LibraryRun library(text);
    CHECK(library.plan.snapshots.steps.contains(0));
    CHECK(std::ranges::count(library.frames.at(0), 0.f) == std::ssize(library.frames.at(0)));
    check_snapshots(run.out(), library);
}

TEST_CASE("a 3-D run leaves sections of every plane and all snapshots") {
    const ProgramRun run(kSmall3d);
    const LibraryRun library(kSmall3d);
    const auto names = names_in(run.out());
    for (const char* name : {"model_xz.png", "model_yz.png", "model_xy.png"}) CHECK_MESSAGE(names.contains(name), name);
    check_seismograms(run.out(), library);
    check_snapshots(run.out(), library);
    CHECK(library.plan.snapshots.steps.after(-1) == 40);
    CHECK(library.gathers[0].dt_s == 0.004);  // by the wavelet, of 15 Hz, whatever the step
    CHECK(library.gathers[0].samples == 51);
    CHECK(library.plan.time.steps - library.plan.time.extra_steps == 89);
}

TEST_CASE("pictures of a run of microseconds have names of their own") {
    const ProgramRun run(
        "grid: {shape: [81, 61], spacing_m: 1e-3}\n"
        "model: {type: constant, vp_m_s: 1500}\n"
        "time: {duration_s: 4e-5}\n"
        "wavelet: {type: ricker, peak_frequency_hz: 1e5}\n"
        "sources: [{position_m: [0.04, 0.03]}]\n"
        "receivers: [{position_m: [0.06, 0.03]}]\n"
        "output: {pictures: true}\n");
    std::set<std::string> pictures;
    for (const Json& file : run.summary["files"])
        if (file["name"].get<std::string>().starts_with("snapshot_"))
            CHECK(pictures.insert(file["name"].get<std::string>()).second);
    CHECK(pictures.size() == 3u);
}

TEST_CASE("the summary tells what was run, and the files carry their provenance") {
    const ProgramRun run(kSmall2d);
    const Json& s = run.summary;
    CHECK(s["time"]["steps"].get<int>() > 0);
    CHECK(s["time"]["cfl_fraction"].get<double>() == doctest::Approx(0.9));
    CHECK(s["performance"]["gpt_per_s"].get<double>() > 0.);
    CHECK(s["performance"]["phase_s"].contains("time steps"));
    CHECK(s["memory"]["peak_bytes"].get<std::int64_t>() > 1'000'000);
    CHECK(s["hashes"]["shots"].size() == 2);
    CHECK(contains(s["command_line"].get<std::string>(), "small.yaml --output"));
    CHECK(s["format"] == "onda-summary");
    CHECK(s["format_version"] == 1);
    CHECK(s["state"] == "complete");
    CHECK(s["run_id"].get<std::string>().size() == 32);
    CHECK(s["run_id"] != ProgramRun(kSmall2d).summary["run_id"]);
    for (const Json& file : s["files"]) {
        const std::string name = file["name"];
        if (name == "onda.log" || name == "summary.json") continue;
        CHECK(file["bytes"].get<std::uintmax_t>() == std::filesystem::file_size(run.out() / name));
        CHECK(file["hash"].get<std::string>().size() == 16);
    }
    CHECK(s["finished_utc"].get<std::string>() >= s["started_utc"].get<std::string>());
    for (const char* name : {"seismograms.h5", "snapshots.h5"}) {
        const auto file = hdf5::File::open(run.out() / name);
        CHECK(file.text("config_yaml") == kSmall2d);
        CHECK(file.text("run_id") == s["run_id"].get<std::string>());
        for (const char* key : {"onda_version", "git_commit", "host", "cpu", "backend", "kernel", "created_utc",
                                "units", "axis_order", "config_resolved_yaml", "command_line", "flags"})
            CHECK_MESSAGE(!file.text(key).value_or("").empty(), key);
    }
}

TEST_CASE("the seismograms of a run hardly depend on dt, unless the correction is refused") {
    const auto pressure = [](const std::string& time, bool corrected) {
        std::string text = kSmall2d;
        const std::string duration = "duration_s: 0.3";
        text.replace(text.find(duration), duration.size(),
                     "duration_s: 0.6, " + time + ", dispersion_correction: " + (corrected ? "true" : "false"));
        return LibraryRun(text).gathers.at(0).pressure;
    };
    const auto difference = [](const std::vector<float>& a, const std::vector<float>& b) {
        double squares = 0., norm = 0.;
        for (std::size_t i = 0; i < a.size(); ++i) {
            squares += std::pow(double(a[i]) - double(b[i]), 2);
            norm += std::pow(double(b[i]), 2);
        }
        return std::sqrt(squares / norm);
    };
    const auto fine = pressure("cfl_fraction: 0.05", false);
    const double kept = difference(pressure("cfl_fraction: 0.9", false), fine);
    const double removed = difference(pressure("cfl_fraction: 0.9", true), fine);
    MESSAGE("difference from a run of 18 times as many steps: ", kept, ", corrected: ", removed);
    CHECK(kept >= 0.01);
    CHECK(removed <= 0.05 * kept);
}

TEST_CASE("a run says whether the dispersion in time was removed") {
    const ProgramRun corrected(kSmall2d), raw(kSmall2d, {"--set", "time.dispersion_correction=false"});
    const auto told = [](const ProgramRun& run) {
        return hdf5::File::open(run.out() / "seismograms.h5").text("time_dispersion").value_or("");
    };
    CHECK(corrected.summary["time"]["dispersion_corrected"] == true);
    CHECK(corrected.summary["time"]["dispersion_corrected_to_hz"].get<double>() == doctest::Approx(62.1).epsilon(0.01));
    CHECK(corrected.summary["time"]["extra_steps"].get<int>() > 0);
    CHECK(contains(told(corrected), "removed from the seismograms, up to 62"));
    CHECK(contains(text_of(corrected.out() / "onda.log"), "removed from the seismograms, up to 62"));
    CHECK(raw.summary["time"]["dispersion_corrected"] == false);
    CHECK(told(raw) == "not removed");
    CHECK(contains(text_of(raw.out() / "onda.log"), "numerical time dispersion not removed"));
}

TEST_CASE("the resolved configuration repeats the run bit for bit, for any kernel and number of threads") {
    const ProgramRun first(kSmall2d);
    const ProgramRun second(text_of(first.out() / "config.yaml"), {"--set", "output.pictures=false"});
    CHECK(first.summary["hashes"] == second.summary["hashes"]);
    CHECK(first.summary["largest_observed_pressure_pa"] == second.summary["largest_observed_pressure_pa"]);
    const ProgramRun third(kSmall2d,
                           {"--threads", "1", "--set", "backend.kernel=reference", "--set", "output.pictures=false"});
    CHECK(first.summary["hashes"] == third.summary["hashes"]);
    CHECK(third.summary["backend"]["kernel"] == "reference");
    CHECK(third.summary["backend"]["threads"] == 1);
    const ProgramRun other(kSmall2d, {"--set", "sources[0].amplitude=1.5", "--set", "output.pictures=false"});
    CHECK(first.summary["hashes"] != other.summary["hashes"]);
}

TEST_CASE("--force replaces a run and removes what the new one does not have") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "small.yaml", out = folder.path() / "out";
    write_text(config, kSmall2d);
    REQUIRE(run_onda({"run", config, "--output", out}).code == 0);
    const auto before = text_of(out / "seismograms.h5");
    write_text(out / "notes.txt", "mine");

    // Refused, or failing on the way: nothing of the earlier run changes.
    const Outcome refused = run_onda({"run", config, "--output", out, "--set", "time.duration_s=0.25"});
    CHECK(refused.code == 73);
    CHECK(contains(refused.err, "it holds the results of another configuration:\n  time.duration_s: "));
    CHECK(
        contains(refused.err, " there, 0.25 now\n  choose another folder with --output, or replace them with --force"));
    CHECK(run_onda({"run", config, "--output", out, "--force", "--set", "sources[0].amplitude=1e39"}).code == 77);
    CHECK(run_onda({"run", config, "--output", out, "--force"}, "ulimit -f 8").code == 74);
    CHECK(text_of(out / "seismograms.h5") == before);
    CHECK(std::filesystem::exists(out / "summary.json"));

    REQUIRE(run_onda({"run", config, "--output", out, "--force", "--set", "output={pictures: false, report: false}",
                      "--set", "sources[0].amplitude=3"})
                .code == 0);
    CHECK(names_in(out) ==
          std::set<std::string>{"seismograms.h5", "config.yaml", "summary.json", "onda.log", "notes.txt"});
    CHECK(text_of(out / "seismograms.h5") != before);
}

TEST_CASE("results/<name of the configuration> in the working directory is the default") {
    const TemporaryFolder folder;
    write_text(folder.path() / "tiny.yaml", kSmall2d);
    const Outcome outcome = run_onda({"run", "tiny.yaml"}, "cd " + quoted(folder.path().string()));
    CHECK(outcome.code == 0);
    CHECK(std::filesystem::exists(folder.path() / "results/tiny/summary.json"));
}
