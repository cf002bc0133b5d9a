// What `onda check` predicts is what a run takes: memory without the program's files within 3 % (of runs below 83 MB,
// within 2.5 MB), disk within 2 % and what the host, the command line and HDF5's own blocks make of small files: 1 kB,
// and 400 bytes a shot. That of memory is the sum of the rows that the owners of buffers add: none is left out, none is
// counted twice. Takes 28 s.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "io/text/saturating.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/planning/memory_of_run.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/tasks/shot_in_progress.hpp"
#include "tests/program/program.hpp"

using Json = nlohmann::json;

namespace {

Json check_of(const std::filesystem::path& config) {
    // Without the trial run: check_limits holds that the rest does not depend on it.
    const Outcome outcome = run_onda({"check", config.string(), "--json", "--no-trial", "--set", "backend.name=cpu"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out);
}

std::int64_t size_of(const std::filesystem::path& folder) {
    std::int64_t bytes = 0;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "shots", none))
        bytes += static_cast<std::int64_t>(entry.file_size());
    for (const char* name : {"seismograms.h5", "seismograms.segy", "seismograms.su", "snapshots.h5", "snapshots.xdmf"})
        if (std::filesystem::exists(folder / name))
            bytes += static_cast<std::int64_t>(std::filesystem::file_size(folder / name));
    return bytes;
}

/// A run with all of the program's files in memory from the start, and how many bytes of them there are. What of them
/// is there otherwise is the system's affair (kMappedFilesBytes).
std::pair<Outcome, std::optional<double>> run_with_all_files(const std::filesystem::path& config,
                                                             const std::filesystem::path& out) {
    const TemporaryFolder folder;
    const auto resident = folder.path() / "resident";
    const Outcome run =
        run_onda({"run", config.string(), "--output", out.string(), "--set", "backend.name=cpu"}, "true",
                 "env LD_PRELOAD=" + quoted(ONDA_RESIDENT_FILES) + " ONDA_RESIDENT_FILES=" + quoted(resident.string()));
    if (!std::filesystem::exists(resident)) return {run, std::nullopt};
    return {run, std::stod(text_of(resident))};
}

void compare(const std::string& text) {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    write_text(config, text);
    const Json check = check_of(config);
    const auto [run, files] = run_with_all_files(config, out);
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    const Json summary = Json::parse(text_of(out / "summary.json"));
    if (files) {
        const double predicted = check["memory"]["peak_bytes"].get<double>() - double{onda::kMappedFilesBytes};
        const double allocated = summary["memory"]["peak_bytes"].get<double>() - *files;
        MESSAGE("memory: predicted ", predicted * 1e-6, " MB, allocated ", allocated * 1e-6, " MB, ratio ",
                predicted / allocated);
        CHECK(std::abs(predicted - allocated) <= std::max(0.03 * allocated, 3e6));
    } else {
        MESSAGE("skipped: memory, as this system does not map files at once (Linux 5.14 does)");
    }
    const double disk = check["output_bytes"], written = static_cast<double>(size_of(out));
    MESSAGE("disk: predicted ", disk * 1e-6, " MB, written ", written * 1e-6, " MB, ratio ", disk / written);
    const double shots = check["shots"];
    // HDF5 takes space for metadata in blocks of 2 KiB: by a few bytes of a configuration more or less, the file of a
    // shot grows or shrinks by half a block, and the forecast is of the larger one.
    CHECK(std::abs(disk - written) <= 0.02 * written + 1000. + 1500. * shots);
    CHECK(check["time"]["steps"] == summary["time"]["steps"]);
    CHECK(check["backend"]["kernel"] == summary["backend"]["kernel"]);
    CHECK(check["notes"] == summary["notes"]);
}

}  // namespace

TEST_CASE("a 3-D grid with a window of snapshots") {
    compare(R"(schema_version: 1
grid: {shape: [240, 230, 220], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 0.5}
time: {duration_s: 0.008}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [1205, 1105, 1005]}]
receivers: [{type: grid, first_m: [500, 500, 500], last_m: [1500, 1500, 500], count: [20, 20, 1]}]
output: {pictures: false, report: false, snapshots: {times_s: [0.008], window_max_m: [1000, 1000, 1000]}}
)");
}

TEST_CASE("a 2-D grid whose peak is the seismograms") {
    compare(R"(schema_version: 1
grid: {shape: [600, 350], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.5}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [3001, 1502]}]
receivers: [{type: line, first_m: [1001, 502], last_m: [5001, 502], count: 30000}]
output: {seismograms: {dt_s: 0.001}}
)");
}

TEST_CASE("a double-precision grid with large snapshots") {
    compare(R"(schema_version: 1
grid: {shape: [160, 170, 180], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.01}
scheme: {precision: double}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [800, 800, 800]}]
receivers: [{type: point, position_m: [500, 500, 500]}]
output: {pictures: false, report: false, snapshots: {every_steps: 1}}
)");
}

TEST_CASE("a grid with a density") {
    compare(R"(schema_version: 1
grid: {shape: [220, 210, 150], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 0.5, rho: gardner}
time: {duration_s: 0.008}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [1205, 1105, 705]}]
receivers: [{type: grid, first_m: [500, 500, 500], last_m: [1500, 1500, 500], count: [20, 20, 1]}]
output: {pictures: false, report: false}
)");
}

TEST_CASE("records so long that they are corrected in chunks") {
    for (const char* dt_s : {"0.003", "0.009"}) {
        CAPTURE(dt_s);
        compare(R"(schema_version: 1
grid: {shape: [60, 50], spacing_m: 10}
model: {type: constant, vp_m_s: 1500}
time: {duration_s: 80}
boundary: {cpml_width: 4}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources: [{position_m: [301, 202]}]
receivers: [{type: line, first_m: [201, 202], last_m: [401, 302], count: 100}]
backend: {threads: 1}
output: {pictures: false, report: false, seismograms: {dt_s: )" +
                std::string(dt_s) + "}}\n");
    }
}

namespace {

void check_largest_grid(const std::string& placement) {
    CAPTURE(placement);
    using namespace onda;
    const Config config = read_config_text(R"(schema_version: 1
grid: {shape: [300, 200, 100], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.1}
boundary: {cpml_width: 30}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [500, 500, 20]}]
output: {snapshots: {every_steps: 5}}
backend: {name: cpu}
)",
                                           "run.yaml", vocabulary(), {"boundary.placement=" + placement});
    const Plan plan = make_plan(config);
    for (const double room : {1e8, 3e9, 2e12}) {
        const auto available = static_cast<std::int64_t>(room);
        const auto grid = largest_grid(plan, Memory::host, available);
        REQUIRE(grid.has_value());
        const auto [nx, ny, nz] = grid->n;
        // Axes are rounded to whole nodes.
        CHECK(std::abs(nx - 3 * nz) <= 1);
        CHECK(std::abs(ny - 2 * nz) <= 1);
        const auto needed_by = [&plan](const Grid& of) {
            Plan there = plan;
            there.domain.grid = of;
            there.domain.computed = plan.domain.computed.around(of);
            there.setup.grid = there.domain.computed.grid();
            there.snapshots.window = Window::whole(of);
            return static_cast<double>(forecast_memory(there).peak_bytes());
        };
        CHECK(needed_by(*grid) <= 1.001 * room);
        // Rows are padded to whole cache lines: of a small grid the next may take a tenth more.
        Grid next = *grid;
        next.n = {nx + 1, std::llround(static_cast<double>(nx + 1) / 1.5),
                  std::llround(static_cast<double>(nx + 1) / 3.)};
        CHECK(needed_by(next) >= 0.999 * room);
    }
    CHECK(!largest_grid(plan, Memory::host, 1000).has_value());
}

}  // namespace

TEST_CASE("the grid that is said to fit fits, and hardly a larger one would") {
    for (const char* placement : {"inside", "outside"}) check_largest_grid(placement);
}

TEST_CASE("a billion nodes are checked") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml";
    write_text(config, R"(schema_version: 1
grid: {shape: [1000, 1000, 1000], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 3}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [5000, 5000, 20]}]
receivers: [{type: grid, first_m: [500, 500, 20], last_m: [9500, 9500, 20], count: [100, 100, 1]}]
)");
    const Outcome outcome = run_onda({"check", config.string(), "--no-trial", "--set", "backend.name=cpu"});
    // On a small machine the run is refused for want of memory, which is an answer, too.
    CHECK((outcome.code == 0 || outcome.code == 71));
    CHECK(contains(outcome.out, "1000 x 1000 x 1000 nodes"));
}

TEST_CASE("check tells what a run leaves beside its results, as the configuration has it") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml";
    std::ofstream(config) << R"(grid: {shape: [21, 21], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.05}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources: [{position_m: [100, 100]}]
receivers: [{position_m: [50, 50]}]
)";
    const std::string no_pictures = "output.pictures=false", no_report = "output.report=false";
    for (const auto& [overrides, expected] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{}, ", and a few MB of pictures, report and notes\n"},
             {{no_report}, ", and a few MB of pictures and notes\n"},
             {{no_pictures}, ", and a few MB of report and notes\n"},
             {{no_pictures, no_report}, ", and a few kB of notes\n"}}) {
        std::vector<std::string> arguments{"check", config.string(), "--no-trial", "--set", "backend.name=cpu"};
        for (const std::string& one : overrides) arguments.insert(arguments.end(), {"--set", one});
        CHECK(contains(run_onda(arguments).out, expected));
    }
}

TEST_CASE("many shots, and many snapshots") {
    const std::string small = R"(schema_version: 1
grid: {shape: [21, 21], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
wavelet: {type: ricker, peak_frequency_hz: 10}
boundary: {cpml_width: 4}
backend: {threads: 1}
)";
    compare(small + R"(time: {duration_s: 0.05}
sources: [{type: line, first_m: [50, 100], last_m: [150, 100], count: 200}]
receivers: [{type: line, first_m: [50, 50], last_m: [150, 50], count: 5}]
output: {pictures: false}
)");
    compare(small + R"(time: {duration_s: 16, dt_s: 0.002, dispersion_correction: false}
sources: [{position_m: [100, 100]}]
output: {pictures: false, snapshots: {every_steps: 1}}
)");
}

TEST_CASE("shots on parts of a large grid") {
    compare(R"(schema_version: 1
grid: {shape: [6001, 1001], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 0.5}
time: {duration_s: 0.1}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [1000, 20], last_m: [59000, 20], count: 3}]
receivers: [{type: line, relative_to: source, first_m: [-1000, 20], last_m: [1000, 20], count: 101}]
survey: {limit_m: 500}
output: {pictures: false, snapshots: {times_s: [0.05, 0.1]}}
)");
}

namespace {

/// A small grid, for many shots.
const std::string kSmallGrid = R"(schema_version: 1
grid: {shape: [201, 61], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.1}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 20}
)";

}  // namespace

TEST_CASE("a streamer behind many shots") {
    compare(kSmallGrid + R"(sources: [{type: line, first_m: [1103, 203], last_m: [1903, 203], count: 60}]
receivers: [{type: line, relative_to: source, first_m: [-1000, 1], last_m: [-1, 1], count: 2000}]
output: {pictures: false}
)");
}

TEST_CASE("SEG-Y and SU beside the seismograms of one shot, of several and of many") {
    for (const char* count : {"1", "12", "104"}) {
        CAPTURE(count);
        compare(kSmallGrid + R"(sources: [{type: line, first_m: [1003, 203], last_m: [1803, 203], count: )" +
                std::string(count) + R"(}]
receivers: [{type: line, first_m: [100, 1], last_m: [1900, 1], count: 600}]
output: {pictures: false, seismograms: {segy: ibm, su: true}}
)");
    }
}

namespace {

/// As the template `crosswell`: several shots with snapshots, pictures and a report, in batches.
void compare_batches(const char* batch, const std::string& output) {
    CAPTURE(batch);
    CAPTURE(output);
    compare(R"(schema_version: 1
grid: {shape: [201, 301], spacing_m: 1}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 2400}, {top_m: 100, vp_m_s: 2700}], dip_deg: 5}
time: {duration_s: 0.075}
wavelet: {type: ricker, peak_frequency_hz: 200}
sources: [{type: line, first_m: [20, 50], last_m: [20, 250], count: 5}]
receivers: [{type: line, first_m: [180, 20], last_m: [180, 280], count: 261}]
backend: {threads: 2, batch: )" +
            std::string(batch) + "}\noutput: " + output + "\n");
}

}  // namespace

TEST_CASE("shots computed together") {
    for (const char* batch : {"1", "2", "5"}) {
        // Pictures of a batch that holds the whole survey are drawn when most of its gathers have gone: 2.7 MB less
        // than forecast.
        if (batch != std::string("5")) compare_batches(batch, "{snapshots: {times_s: [0.025, 0.05]}}");
        compare_batches(batch, "{pictures: false, report: false, snapshots: {times_s: [0.025, 0.05]}}");
        compare_batches(batch, "{pictures: false}");
    }
}

TEST_CASE("a first shot with its pictures and report") {
    const std::string text = R"(schema_version: 1
grid: {shape: [301, 201], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 600, vp_m_s: 2000}, {top_m: 1200, vp_m_s: 3000}]}
time: {duration_s: 1.2}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [1500, 20]}]
receivers: [{type: line, first_m: [100, 20], last_m: [2900, 20], count: 57}]
output: {snapshots: {times_s: [0.4, 0.8]}}
)";
    compare(text);
    // What users see, with what the system shows of the program's files.
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml", out = folder.path() / "out";
    write_text(config, text);
    REQUIRE(run_onda({"run", config.string(), "--output", out.string(), "--set", "backend.name=cpu"}).code == 0);
    const Json memory = Json::parse(text_of(out / "summary.json"))["memory"];
    const double predicted = memory["predicted_bytes"], peak = memory["peak_bytes"];
    MESSAGE("memory: predicted ", predicted * 1e-6, " MB, peak ", peak * 1e-6, " MB");
    CHECK(std::abs(predicted - peak) <= 15e6);
}

namespace {

onda::Plan plan_of(const std::vector<std::string>& overrides) {
    using namespace onda;
    return make_plan(read_config_text(R"(schema_version: 1
grid: {shape: [201, 101], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.4}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [503, 522], last_m: [1503, 522], count: 5}]
receivers: [{type: line, first_m: [103, 303], last_m: [1903, 303], count: 91}]
output: {snapshots: {every_steps: 20}}
backend: {name: cpu, threads: 4, tuning: 'off'}
)",
                                      "run.yaml", vocabulary(), overrides));
}

const std::vector<std::vector<std::string>> kVariants{
    {},
    {"backend.batch=5"},
    {"model.rho=gardner", "output.seismograms.dt_s=0.004"},
    {"survey.limit_m=300"},
    {"output={pictures: false, report: false}"},
    {"time.dispersion_correction=false", "backend.batch=2"},
    {"grid.shape=[2001, 2001]", "model={type: geology}", "sources[0].count=1", "receivers[0].count=1"},
    {"receivers=[{type: grid, first_m: [100, 20], last_m: [1900, 900], count: [1000000, 1000000]}]"}};

bool contains_item(const onda::MemoryForecast& forecast, const std::string& what) {
    return std::ranges::count(forecast.items, what, &onda::MemoryForecast::Item::what) > 0;
}

std::int64_t vectors_of(const onda::NodeWeights& points) {
    return static_cast<std::int64_t>(sizeof(std::int64_t) * (points.first.size() + points.node.size()) +
                                     sizeof(double) * points.weight.size());
}

/// \param loading whether it takes most to make the model.
void check_sums(const onda::Plan& plan, bool loading) {
    using namespace onda;
    const Allocations list = memory_of_run(plan);
    const std::array stretches{held::whole_run, held::model,      held::survey,  held::outputs, held::set_up,
                               held::frame,     held::resampling, held::gathers, held::writing, held::drawing};
    for (const Allocation& row : list.rows()) {
        CAPTURE(row.name);
        CHECK(row.where == Memory::host);
        CHECK(std::ranges::count(stretches, row.owner) == 1);
    }
    const auto of = [&list](Owner stretch) { return list.bytes(Memory::host, stretch); };
    const auto sum = [](std::int64_t one, std::int64_t other) { return saturating_sum(one, other); };
    const std::int64_t gathers =
        sum(of(held::gathers), std::max({of(held::resampling), of(held::writing), of(held::drawing)}));
    const std::int64_t files =
        is_pipelined(plan.placement, plan.survey) ? sum(of(held::frame), gathers) : std::max(of(held::frame), gathers);
    const std::int64_t running = sum(of(held::survey), std::max(of(held::set_up), files));
    const MemoryForecast forecast = forecast_memory(plan);
    CHECK(forecast.peak_bytes() ==
          sum(sum(of(held::whole_run), of(held::outputs)), std::max(of(held::model), running)));
    CHECK(forecast.device_peak_bytes() == 0);
    CHECK((of(held::model) > running) == loading);
    CHECK(contains_item(forecast, "temporary, to build the model") == loading);
}

}  // namespace

TEST_CASE("the forecast of memory is the sum of the rows, each in the stretch that it names") {
    for (const std::vector<std::string>& overrides : kVariants) {
        CAPTURE(overrides);
        onda::Plan plan = plan_of(overrides);
        check_sums(plan, false);
        const std::int64_t peak = onda::forecast_memory(plan).peak_bytes();
        if (peak == onda::kTooMany) continue;
        plan.model.extra_bytes = peak;
        check_sums(plan, true);
    }
}

TEST_CASE("sources and receivers take what their row says") {
    using namespace onda;
    const Plan plan = plan_of({});
    const Shot shot = plan.survey.shots.front();
    const FaceHalos& halos = plan.boundary.halos;
    const Sources sources = make_sources(shot, plan.survey, plan.setup.grid, halos, plan.time);
    const NodeWeights receivers = point_weights(shot.receivers.list(), plan.setup.grid, halos, PointKind::receiver);
    std::int64_t bytes = vectors_of(sources.nodes) + vectors_of(receivers);
    for (const std::vector<double>& signal : sources.signal)
        bytes += static_cast<std::int64_t>(sizeof(double) * signal.size());
    const std::int64_t planned = bytes_of_points(largest_shot(plan.experiment(), plan.computation()));
    CAPTURE(bytes);
    CAPTURE(planned);
    // The end of the last row of each, and where sources are and which density they act in.
    CHECK(std::abs(planned - bytes) <= 64);
}
