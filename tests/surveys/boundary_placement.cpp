// A grid with its absorbing strips beyond it gives, bit for bit, what the same grid extended by hand gives with the
// strips inside; all of it may hold sources and receivers, and results are given on it alone.
// Takes 9 s.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "io/hdf5/hdf5.hpp"
#include "io/models/model_file.hpp"
#include "io/results/seismograms.hpp"
#include "kernels/cpu/cpu.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/hash.hpp"
#include "solver/propagation/stability_watch.hpp"
#include "tests/program/program.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

/// Nodes beyond the faces 2 * axis + (0 low, 1 high).
using Beyond = std::array<std::int64_t, 6>;

struct Case {
    std::string title, text;
    Beyond beyond;
    std::string model_by_hand =
        "";  ///< a model that the extended grid can have, where that of the case does not cover it
};

Config config_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return read_config_text(text, "run.yaml", vocabulary(), overrides);
}

/// "[22, 19, 17]", without y in 2-D.
template <typename T>
std::string list_of(const Grid& grid, const std::array<T, 3>& values) {
    return grid.dimensions == 2 ? fmt::format("[{}, {}]", values[0], values[2])
                                : fmt::format("[{}, {}, {}]", values[0], values[1], values[2]);
}

/// What makes of the configuration of a grid that of the grid extended by hand.
std::vector<std::string> overrides_by_hand(const Grid& grid, const Beyond& beyond) {
    std::array<std::int64_t, 3> shape = grid.n;
    std::array<double, 3> origin_m = grid.origin_m;
    for (std::size_t a = 0; a < 3; ++a) {
        shape[a] += beyond[2 * a] + beyond[2 * a + 1];
        origin_m[a] -= double(beyond[2 * a]) * grid.spacing_m[a];
    }
    return {"boundary.placement=inside", "grid.shape=" + list_of(grid, shape),
            "grid.origin_m=" + list_of(grid, origin_m)};
}

/// The value of the nearest node of a grid, at the nodes of the grid extended by hand.
UnsetVector<float> extended(std::span<const float> values, const Grid& grid, const Beyond& beyond) {
    UnsetVector<float> all;
    const auto nearest = [&](std::size_t axis, std::int64_t i) {
        return std::min(std::max<std::int64_t>(i, 0), grid.n[axis] - 1);
    };
    for (std::int64_t z = -beyond[4]; z < grid.n[2] + beyond[5]; ++z)
        for (std::int64_t y = -beyond[2]; y < grid.n[1] + beyond[3]; ++y)
            for (std::int64_t x = -beyond[0]; x < grid.n[0] + beyond[1]; ++x)
                all.push_back(values[std::size_t(grid.at(nearest(0, x), nearest(1, y), nearest(2, z)))]);
    return all;
}

Model model_of(const Plan& plan) {
    return make_model(plan.config.model, plan.setup.scheme.equation, plan.domain.grid, plan.config.origin);
}

Model extended(const Model& model, const Grid& by_hand, const Beyond& beyond) {
    Model larger = model;
    larger.grid = by_hand;
    for (ParameterValues& parameter : larger.parameters)
        parameter.values = extended(parameter.values, model.grid, beyond);
    return larger;
}

/// The traces of all shots, the last wavefield of each in a window, and its hash.
struct Left {
    std::vector<double> traces, last;
    std::vector<std::string> hashes;
};

Left run_shots(const Plan& draft, const Model& model, const Window& window) {
    const Plan plan = refine(draft, model);
    const auto wavefield =
        make_wavefield(*plan.placement.device, plan.setup, medium_readers(model, plan.domain.computed), plan.time.dt_s);
    Left left;
    for (const Shot& shot : plan.survey.shots) {
        const Grid& grid = plan.setup.grid;
        const Sources sources = make_sources(shot, plan.survey, grid, plan.boundary.halos, plan.time);
        Propagator propagator(*wavefield, sources,
                              point_weights(shot.receivers.list(), grid, plan.boundary.halos, PointKind::receiver),
                              plan.time);
        propagator.advance(plan.time.steps);
        std::vector<double> traces(shot.receivers.size() * std::size_t(plan.time.steps + 1));
        std::vector<double> last(static_cast<std::size_t>(window.points()));
        wavefield->download_traces(std::span<double>(traces));
        wavefield->download(window, std::span<double>(last));
        left.traces.insert(left.traces.end(), traces.begin(), traces.end());
        left.last.insert(left.last.end(), last.begin(), last.end());
        left.hashes.push_back(fingerprint_wavefield(*wavefield, window));
    }
    return left;
}

double largest(const std::vector<double>& values) {
    double most = 0.;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
}

const std::string kPlane = R"(schema_version: 1
grid: {shape: [45, 37], spacing_m: [10, 8], origin_m: [100, -16]}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 130, vp_m_s: 2200}], dip_deg: 20}
time: {duration_s: 0.5}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [100, -8]}, {position_m: [537.3, 265.1], shot: 2}]
receivers: [{type: line, first_m: [100, 272], last_m: [540, -13], count: 9}]
)";

const std::string kVolume = R"(schema_version: 1
grid: {shape: [24, 21, 19], spacing_m: 10}
model: {type: geology}
time: {duration_s: 0.15}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources: [{position_m: [0, 0, 180]}, {position_m: [121.5, 199, 7]}]
receivers: [{type: grid, first_m: [0, 0, 5], last_m: [230, 200, 180], count: [3, 3, 3]}]
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
    REQUIRE(contains(text, from));
    return text.replace(text.find(from), from.size(), to);
}

std::vector<Case> cases() {
    const std::string
        layers = "boundary: {cpml_width: 6}\n",
        sponges = "boundary: {left: sponge, right: sponge, bottom: sponge, top: free_surface, sponge_width: 9}\n";
    const std::string mixed =
        "boundary: {left: sponge, right: cpml, front: rigid, back: cpml, top: free_surface, "
        "bottom: sponge, cpml_width: 5, sponge_width: 7}\n";
    const std::string dense_plane =
        changed(changed(kPlane, "1500}", "1500, rho_kg_m3: 1000}"), "2200}", "2200, rho_kg_m3: 2300}");
    const std::string dense_volume = changed(kVolume, "geology", "geology, rho: gardner");
    return {
        {"layers around a plane", kPlane + layers, {6, 6, 0, 0, 6, 6}},
        {"sponges under a free surface", kPlane + sponges, {9, 9, 0, 0, 0, 9}},
        {"layers and a density, double precision",
         dense_plane + layers + "scheme: {precision: double, space_order: 4}\n",
         {6, 6, 0, 0, 6, 6}},
        {"sponges and a density", dense_plane + sponges, {9, 9, 0, 0, 0, 9}},
        {"layers and the compact stencil",
         changed(kPlane, "[10, 8]", "10") + layers + "scheme: {stencil: compact27}\n",
         {6, 6, 0, 0, 6, 6}},
        {"layers around a volume", kVolume + layers, {6, 6, 6, 6, 6, 6}},
        {"every kind of face around a volume", kVolume + mixed, {7, 5, 0, 5, 0, 7}},
        {"every kind of face, a density, double precision",
         dense_volume + mixed + "scheme: {precision: double, space_order: 16}\n",
         {7, 5, 0, 5, 0, 7}},
        {"walls alone", kPlane + "boundary: {left: rigid, right: zero, top: free_surface, bottom: rigid}\n", {}},
    };
}

void check_case(const Case& c) {
    CAPTURE(c.title);
    const Plan plan = make_plan(config_of(c.text));
    auto overrides = overrides_by_hand(plan.domain.grid, c.beyond);
    if (!c.model_by_hand.empty()) overrides.push_back("model=" + c.model_by_hand);
    const Plan by_hand = make_plan(config_of(c.text, overrides));
    CHECK(plan.setup.grid.n == by_hand.domain.grid.n);
    CHECK(plan.setup.grid.origin_m == by_hand.domain.grid.origin_m);
    CHECK(by_hand.setup.grid.n == by_hand.domain.grid.n);
    const Model model = model_of(plan);
    const Left outside = run_shots(plan, model, plan.domain.computed.inner());
    const Left inside = run_shots(by_hand, extended(model, by_hand.domain.grid, c.beyond),
                                  {{c.beyond[0], c.beyond[2], c.beyond[4]}, plan.domain.grid.n, {1, 1, 1}});
    CHECK(outside.traces == inside.traces);
    CHECK(outside.last == inside.last);
    CHECK(outside.hashes == inside.hashes);
    CHECK(largest(outside.traces) > 0.);
    CHECK(largest(outside.last) > 0.);
}

}  // namespace

TEST_CASE("strips beyond the grid give the bits of the grid extended by hand") {
    for (const Case& c : cases()) check_case(c);
}

TEST_CASE("a model from a file that is resampled covers the grid only, and goes on beyond it") {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "model.h5").string();
    // Coarser than the grid, and of its extent: 100 to 540 m by -16 to 272 m.
    const FileGeometry geometry{
        .dimensions = 2, .shape = {12, 1, 10}, .spacing_m = {40., 1., 32.}, .origin_m = {100., 0., -16.}};
    const auto plane = [](std::int64_t z, std::span<float> vp) {
        for (std::size_t x = 0; x < vp.size(); ++x) vp[x] = 1500.f + 37.f * float(x) + 59.f * float(z);
    };
    write_model_file(file, geometry, plane, "a test", false);
    const std::string layered =
        "{type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 130, vp_m_s: 2200}], dip_deg: 20}";
    const std::string text = changed(kPlane + "boundary: {cpml_width: 6, top: free_surface}\n", layered,
                                     "{type: file, file: " + file + ", resample: true}");
    check_case({"a file", text, {6, 6, 0, 0, 0, 6}, "{type: constant, vp_m_s: 2000}"});
}

TEST_CASE("the program leaves the results of the grid, and the same as of the grid extended by hand") {
    const TemporaryFolder folder;
    const std::string text = kPlane +
                             "boundary: {cpml_width: 6, top: free_surface}\n"
                             "output: {snapshots: {times_s: [0.2, 0.5], decimation: [2, 1]}}\n";
    const Plan plan = make_plan(config_of(text));
    const Beyond beyond{6, 6, 0, 0, 0, 6};
    const Model model = model_of(plan);
    const Grid larger = make_plan(config_of(text, overrides_by_hand(plan.domain.grid, beyond))).domain.grid;
    const UnsetVector<float> vp = extended(model.vp().values, model.grid, beyond);
    const std::string file = (folder.path() / "by_hand.h5").string(), config = (folder.path() / "run.yaml").string();
    write_model_file(
        file, {2, larger.n, larger.spacing_m, larger.origin_m},
        [&](std::int64_t z, std::span<float> values) {
            std::copy_n(vp.begin() + std::ptrdiff_t(larger.at(0, 0, z)), values.size(), values.begin());
        },
        "a test", false);
    write_text(config, text);
    const auto run_into = [&](const std::string& name, const std::vector<std::string>& overrides) {
        std::vector<std::string> arguments{"run", config, "--output", (folder.path() / name).string()};
        for (const std::string& override : overrides) arguments.insert(arguments.end(), {"--set", override});
        const Outcome outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return Json::parse(text_of(folder.path() / name / "summary.json"));
    };
    auto by_hand = overrides_by_hand(plan.domain.grid, beyond);
    by_hand.insert(by_hand.end(), {"model={type: file, file: " + file + "}", "output.snapshots.window_min_m=[100, -16]",
                                   "output.snapshots.window_max_m=[540, 272]"});
    const Json outside = run_into("outside", {}), inside = run_into("inside", by_hand);

    CHECK(outside["grid"]["shape_xyz"] == Json({45, 1, 37}));
    CHECK(outside["grid"]["origin_m_xyz"] == Json({100., 0., -16.}));
    CHECK(outside["grid"]["computed_shape_xyz"] == inside["grid"]["shape_xyz"]);
    CHECK(inside["grid"]["computed_shape_xyz"] == inside["grid"]["shape_xyz"]);
    CHECK(outside["warnings"] == Json::array());
    CHECK(inside["warnings"].size() == 0u);  // by hand, no source and no receiver lies in a strip either
    CHECK(outside["largest_observed_pressure_pa"].get<double>() > 0.);
    CHECK(outside["largest_observed_pressure_pa"].get<double>() <=
          inside["largest_observed_pressure_pa"].get<double>());
    const Left by_library = run_shots(plan, model, plan.domain.computed.inner());
    for (const int shot : {1, 2}) {
        const Json ours = outside["hashes"]["shots"][std::to_string(shot)];
        CHECK(ours["seismograms"] == inside["hashes"]["shots"][std::to_string(shot)]["seismograms"]);
        CHECK(ours["final_wavefield"] == by_library.hashes[std::size_t(shot - 1)]);
    }
    const auto snapshots = [&](const char* name) { return hdf5::File::open(folder.path() / name / "snapshots.h5"); };
    const auto written = snapshots("outside"), expected = snapshots("inside");
    for (const char* dataset : {"x_m", "z_m"})
        CHECK(written.open_dataset(dataset).read_all<double>() == expected.open_dataset(dataset).read_all<double>());
    for (const char* dataset : {"shots/1/pressure", "shots/2/pressure"})
        CHECK(written.open_dataset(dataset).read_all<float>() == expected.open_dataset(dataset).read_all<float>());
    CHECK(written.open_dataset("x_m").read_all<double>().front() == 100.);
    CHECK(written.open_dataset("x_m").read_all<double>().back() == 540.);
    CHECK(contains(text_of(folder.path() / "outside" / "config.yaml"), "placement: outside"));
    CHECK(contains(text_of(folder.path() / "outside" / "onda.log"), "45 x 37 nodes"));
    CHECK(contains(text_of(folder.path() / "outside" / "onda.log"),
                   "computed with the absorbing zones outside it: 57 x 43 nodes"));
}

TEST_CASE("pictures of waves show the grid alone: until waves reach a face they are those of a grid without strips") {
    const TemporaryFolder folder;
    const std::string config = (folder.path() / "run.yaml").string();
    write_text(config, R"(schema_version: 1
grid: {shape: [61, 71], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 300, vp_m_s: 2400}]}
time: {duration_s: 0.1, dispersion_correction: false}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [300, 350]}]
receivers: [{type: line, first_m: [250, 400], last_m: [350, 400], count: 11}]
)");
    const auto run_into = [&](const std::string& name, const std::string& faces) {
        const auto out = folder.path() / name;
        REQUIRE(run_onda({"run", config, "--output", out.string(), "--set", "boundary=" + faces}).code == 0);
        return out;
    };
    const auto strips = run_into("strips", "{}");
    const auto none = run_into("none", "{left: zero, right: zero, top: zero, bottom: zero}");
    int pictures = 0;
    for (const auto& entry : std::filesystem::directory_iterator(strips)) {
        if (entry.path().extension() != ".png") continue;
        CAPTURE(entry.path().filename().string());
        // The picture of the model shows the absorbing layers as a margin.
        const bool same = text_of(entry.path()) == text_of(none / entry.path().filename());
        CHECK(same == (entry.path().filename() != "model_xz.png"));
        ++pictures;
    }
    CHECK(pictures == 5);  // the model, the gather, and three wavefields
}

TEST_CASE("a shot at a corner of the grid is that of a grid without faces") {
    const std::string text = R"(schema_version: 1
grid: {shape: [61, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.8}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [0, 0]}]
receivers:
  - {type: line, first_m: [50, 0], last_m: [600, 0], count: 12}
  - {type: line, first_m: [0, 400], last_m: [600, 50], count: 12}
)";
    const Plan plan = make_plan(config_of(text));
    CHECK(plan.warnings.empty());
    const Plan vast = make_plan(config_of(text, {"grid.shape=[261, 241]", "grid.origin_m=[-1000, -1000]"}));
    const auto traces_of = [](const Plan& p) { return run_shots(p, model_of(p), p.domain.computed.inner()).traces; };
    const auto traces = traces_of(plan), free_traces = traces_of(vast);
    REQUIRE(traces.size() == free_traces.size());
    const auto samples = traces.size() / 24;
    double worst = 0.;
    for (std::size_t trace = 0; trace < 24; ++trace) {
        double difference = 0., direct = 0.;
        for (std::size_t i = trace * samples; i < (trace + 1) * samples; ++i) {
            difference = std::max(difference, std::abs(traces[i] - free_traces[i]));
            direct = std::max(direct, std::abs(free_traces[i]));
        }
        worst = std::max(worst, difference / direct);
    }
    MESSAGE("largest difference over the direct wave: ", 20. * std::log10(worst), " dB");
    CHECK(worst <= 1e-3);
}

TEST_CASE("the largest pressure is that of the grid; the watch looks beyond it, too, and says so") {
    const Grid grid{2, {40, 1, 30}, {10., 1., 8.}, {100., 0., 50.}};
    const ComputedGrid computed(grid, {7, 5, 0, 0, 0, 6});
    Setup setup;
    setup.grid = computed.grid();
    setup.threads = 1;
    CHECK(setup.grid.n == std::array<std::int64_t, 3>{52, 1, 36});
    CHECK(setup.grid.origin_m == std::array<double, 3>{30., 0., 50.});
    const RowReader vp = [](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, 2000.f); };
    TimeAxis time;
    time.dt_s = 1e-3;
    time.stability_limit_s = 2e-3;
    time.steps = 10;
    const auto wavefield = cpu::make_medium(setup, {vp}, time.dt_s)->make_wavefield();
    const Propagator propagator(*wavefield, {}, {}, time);
    std::vector<double> p(std::size_t(setup.grid.points())), rest = p;
    p[std::size_t(setup.grid.at(7, 0, 0))] = -3.;  // the first node of the inner grid
    p[std::size_t(setup.grid.at(6, 0, 0))] = 5.;   // the one before it, beyond the face
    wavefield->upload(p, rest);
    const Extremum seen = wavefield->extremum();
    CHECK(seen.max_abs == 5.);
    CHECK(largest_pressure(*wavefield, computed, seen, 0.) == 3.);
    CHECK(largest_pressure(*wavefield, computed, seen, 4.) == 4.);
    CHECK(largest_pressure(*wavefield, computed, seen, 6.) == 6.);
    CHECK(largest_pressure(*wavefield, setup.grid, seen, 4.) == 5.);
    const auto alarm = [&] {
        wavefield->upload(p, rest);
        const StabilityWatch watch(computed, time, Precision::float32, 1.);
        return message_of([&] { watch.check(propagator.wavefield().extremum(), propagator); }, ExitCode::unstable);
    };
    CHECK(contains(alarm(), "node (x -1, z 0), at (90, 50) m in the absorbing zone outside the grid, at step 0"));
    p[std::size_t(setup.grid.at(6, 0, 0))] = 0.;
    CHECK(contains(alarm(), "node (x 0, z 0), at (100, 50) m, at step 0"));
    p[std::size_t(setup.grid.at(46, 0, 29))] = std::numeric_limits<double>::quiet_NaN();
    CHECK(contains(alarm(), "p is not finite at node (x 39, z 29), at (490, 282) m, at step 0"));
    p[std::size_t(setup.grid.at(46, 0, 29))] = 0.;
    p[std::size_t(setup.grid.at(46, 0, 30))] = std::numeric_limits<double>::quiet_NaN();
    CHECK(contains(alarm(), "node (x 39, z 30), at (490, 290) m in the absorbing zone outside the grid"));
}

TEST_CASE("windows and rows of the grid in the grid that is computed") {
    const Grid grid{3, {5, 4, 3}, {10., 10., 10.}, {}};
    const ComputedGrid computed(grid, {2, 1, 0, 3, 1, 0});
    CHECK(computed.is_extended());
    CHECK(!ComputedGrid(grid).is_extended());
    const Window window = computed.window({{1, 2, 0}, {2, 2, 1}, {2, 1, 1}});
    CHECK(window.first == std::array<std::int64_t, 3>{3, 2, 1});
    CHECK(window.count == std::array<std::int64_t, 3>{2, 2, 1});
    CHECK(window.step == std::array<std::int64_t, 3>{2, 1, 1});
    CHECK(computed.inner().count == grid.n);
    CHECK(computed.around(Grid{3, {9, 9, 9}, {1., 1., 1.}, {}}).grid().n == std::array<std::int64_t, 3>{12, 12, 10});
    const RowReader named = [](std::int64_t y, std::int64_t z, std::span<float> row) {
        REQUIRE(row.size() == 5u);
        for (std::size_t x = 0; x < row.size(); ++x) row[x] = float(100 * z + 10 * y + std::int64_t(x));
    };
    const RowReader extended_row = computed.extended(named);
    for (std::int64_t z = 0; z < 4; ++z)
        for (std::int64_t y = 0; y < 7; ++y) {
            std::vector<float> row(8, -1.f);
            extended_row(y, z, row);
            const float from = float(100 * std::max<std::int64_t>(z - 1, 0) + 10 * std::min<std::int64_t>(y, 3));
            CHECK(row ==
                  std::vector<float>{from, from, from, from + 1.f, from + 2.f, from + 3.f, from + 4.f, from + 4.f});
        }
}

TEST_CASE("sources and receivers anywhere in the grid are fine, and told of where the layers lie inside it") {
    const std::string text = kPlane + "boundary: {cpml_width: 6}\n";
    CHECK(make_plan(config_of(text)).warnings.empty());
    const auto warnings = make_plan(config_of(text, {"boundary.placement=inside"})).warnings;
    REQUIRE(warnings.size() == 2u);
    CHECK(contains(warnings[0], "2 of 2 sources lie in an absorbing zone"));
    CHECK(contains(
        message_of([&] {
            static_cast<void>(make_plan(config_of(text, {"sources[0].position_m=[99, 0]", "boundary.cpml_width=30"})));
        }),
        "x = 99 is outside the grid, which spans 100 to 540 m"));
}

TEST_CASE("a grid smaller than its layers, or than the stencil, is computed with them") {
    const std::vector<std::string> overrides{"grid.shape=[3, 2]", "sources=[{position_m: [110, -12]}]",
                                             "receivers=[{position_m: [120, -8]}]", "boundary.cpml_width=30",
                                             "model={type: constant, vp_m_s: 2000}"};
    const Plan plan = make_plan(config_of(kPlane, overrides));
    CHECK(plan.setup.grid.n == std::array<std::int64_t, 3>{63, 1, 62});
    CHECK(largest(run_shots(plan, model_of(plan), plan.domain.computed.inner()).traces) > 0.);
}

TEST_CASE("check counts the nodes beyond the grid") {
    const TemporaryFolder folder;
    const auto config = (folder.path() / "run.yaml").string();
    write_text(config, R"(schema_version: 1
grid: {shape: [401, 201], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.5}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [0, 0]}]
receivers: [{position_m: [4000, 2000]}]
backend: {name: cpu, threads: 1}
)");
    const auto checked = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"check", config, "--no-trial"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return outcome.out;
    };
    const std::string said = checked({});
    CHECK(contains(said, "grid      401 x 201 nodes (0.0806 M), spacing 10 x 10 m\n"));
    CHECK(contains(said, "          computed with the absorbing zones outside it: 441 x 241 nodes (0.1063 M)\n"));
    CHECK(!contains(said, "warning"));
    CHECK(!contains(checked({"--set", "boundary.placement=inside"}), "computed with"));

    const Json json = Json::parse(checked({"--json"}));
    CHECK(json["grid"]["shape_xyz"] == Json({401, 1, 201}));
    CHECK(json["grid"]["points"] == 401 * 201);
    CHECK(json["grid"]["computed_shape_xyz"] == Json({441, 1, 241}));
    CHECK(json["grid"]["computed_points"] == 441 * 241);
    const Json by_hand = Json::parse(checked({"--json", "--set", "boundary.placement=inside", "--set",
                                              "grid.shape=[441, 241]", "--set", "grid.origin_m=[-200, -200]"}));
    const char* const fields = "wavefields and model of the cpu backend";
    CHECK(json["memory"]["items"][fields] == by_hand["memory"]["items"][fields]);
    CHECK(json["time"] == by_hand["time"]);
    CHECK(json["output_bytes"].get<double>() == doctest::Approx(by_hand["output_bytes"].get<double>()).epsilon(0.02));
}
