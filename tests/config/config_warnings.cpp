// What may be meant, but probably is not, is told by check and run: golden warnings, exact to the letter.
// Takes less than a second.
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>

#include "io/models/model_file.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

const std::string kBase = R"(schema_version: 1
grid: {shape: [301, 201], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 1.5, dt_s: 0.002}
boundary: {z_min: free_surface}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [1500, 20]}]
receivers: [{type: line, first_m: [500, 20], last_m: [2500, 20], count: 101}]
)";

Plan plan_with(const std::vector<std::string>& overrides, const std::filesystem::path& file = "run.yaml") {
    return make_plan(read_config_text(kBase, file, vocabulary(), overrides));
}

const std::string kRoom = "boundary={x_min: rigid, x_max: rigid, z_min: rigid, z_max: rigid}";

struct Row {
    std::vector<std::string> overrides;
    std::vector<std::string> warnings;
};

}  // namespace

TEST_CASE("what is probably not meant is warned about, and nothing else is") {
    const std::string processors =
        std::to_string(host().processors) + (host().processors == 1 ? " processor" : " processors");
    for (
        const Row& row : std::vector<Row>{
            {{}, {}},
            {{"boundary.cpml_width=6"}, {}},
            {{"time.duration_s=100"}, {}},
            {{"output.snapshots.times_s=[0.3, 0.302]"}, {}},
            {{"wavelet.t0_s=-0.02"},
             {"wavelet: the wavelet does not begin near zero: at t = 0 or before, where it is cut off, it has 100 % of "
              "its largest amplitude, and every trace differs from the whole wavelet's by about as much. Increase t0_s "
              "(now -0.02 s); 0.1 s is enough"}},
            {{"output.snapshots.times_s=[0.3, 0.3005, 0.6, 0.6001]"},
             {"output.snapshots.times_s: 0.3 and 0.3005 s fall on the same time step, at 0.3 s: 2 of the 4 snapshots "
              "will be missing"}},
            {{"output.snapshots.every_steps=1000"},
             {"output.snapshots.every_steps = 1000: the run has 750 steps: there will be no snapshot"}},
            {{"output.snapshots.every_s=0.1"}, {}},
            {{kRoom}, {}},
            {{kRoom, "wavelet={type: gaussian, peak_frequency_hz: 15}", "boundary.x_max=cpml"}, {}},
            {{kRoom, "wavelet={type: gaussian, peak_frequency_hz: 15}"},
             {"wavelet: gaussian has a mean, an integral of 0.0376 s (1e+02 % of that of its magnitude): between rigid "
              "walls all around the mean pressure grows with time for ever; use a wavelet without one, or another "
              "boundary"}},
            {{"backend.threads=1000"},
             {"backend.threads = 1000: this program may use " + processors +
              "; more threads than that wait for each other"}},
            {{"model={type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 600000, vp_m_s: 2500}]}"},
             {"model.layers[1].top_m = 600000: this layer begins below the grid, which ends at z = 2000 m: no wave "
              "meets "
              "it"}},
            {{"model={type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 2001, vp_m_s: 2500}, {top_m: 3000, "
              "vp_m_s: 3000}]}"},
             {"model.layers[1].top_m = 2001: this layer and that below it begin below the grid, which ends at z = "
              "2000 "
              "m: no wave meets it"}},
            {{"model={type: inclusions, vp_m_s: 2000, inclusions: [{shape: sphere, center_m: [1500, 3000], radius_m: "
              "100, vp_m_s: 2500}]}"},
             {"model.inclusions[0] lies outside the grid: no wave meets it"}},
            {{"boundary.cpml_width=3"},
             {"boundary.cpml_width = 3: CPML this thin reflects more than 1 % of every wave; 10 nodes reflect 0.02 %, "
              "the default is 20"}},
            {{"boundary.z_max=sponge", "boundary.sponge_width=5"},
             {"boundary.sponge_width = 5: a sponge this thin reflects more than 20 % of every wave; the default of 40 "
              "nodes reflects 1 %"}},
            {{"boundary.cpml_width=40"}, {}},
            {{"boundary.cpml_width=2000"},
             {"boundary.cpml_width = 2000: the absorbing zones exceed the model, with 9.406 of 9.467 million nodes; it "
              "is a number of nodes, by default 20"}},
            {{"model={type: layered, layers: [{top_m: 0, vp_m_s: 2000, rho_kg_m3: 1.0}, {top_m: 600, vp_m_s: 2200, "
              "rho_kg_m3: 2.2}]}"},
             {"densities of 1 to 2.2 kg/m3 look like g/cm3: multiply by 1000"}},
            {{"wavelet.peak_frequency_hz=0.015"},
             {"ricker, 0.015 Hz, t0 = 100 s (1.5 / frequency), 1 % of the spectrum's peak at 0.04146 Hz: its centre "
              "comes after the end of the run at 1.5 s",
              "grid: its longest side, 3000 m, is shorter than the shortest wavelength, 4.824e+04 m; is the wavelet's "
              "frequency, 0.015 Hz, in kHz? Write 15"}},
            {{"boundary.cpml_reflection=0.01", "boundary.x_min=sponge", "boundary.sponge_reflection=0.1"}, {}},
            {{"boundary.cpml_reflection=0.9"},
             {"boundary.cpml_reflection = 0.9: so much of every wave comes back, 90 %; the default is 0.000001"}},
            {{"boundary.z_max=sponge", "boundary.sponge_reflection=0.5"},
             {"boundary.sponge_reflection = 0.5: so much of every wave comes back, 50 %; the default is 0.01"}},
            {{"boundary.cpml_frequency_hz=80"}, {}},
            {{"boundary.cpml_frequency_hz=1e6"},
             {"boundary.cpml_frequency_hz = 1000000: the wavelets have frequencies up to 41.46 Hz, and layers absorb "
              "little of what lies far below theirs; without the key they are made for 15 Hz"}},
            {{"boundary.cpml_frequency_hz=2"}, {}},
            {{"sources[0].amplitude=1e-30"}, {}},
            {{"sources[0].amplitude=-9e-31"},
             {"sources[].amplitude: the strongest source of shot 1 has 9e-31 Pa, its wavelet included: below 1e-30 "
              "results lose digits, for single precision takes what is below 1.2e-38 for zero; raise it, results scale "
              "with it"}},
            {{"sources[0].amplitude=1e-31", "scheme.precision=double"}, {}},
            {{"sources[0].amplitude=1e36"}, {}},
            {{"sources[0].amplitude=-1.1e36"},
             {"sources[].amplitude: the strongest source of shot 1 has 1.1e+36 Pa, its wavelet included: above 1e+36 "
              "the run may end with numbers that single precision, up to 3.4e38, does not hold; lower it, results "
              "scale with it"}},
            {{"sources=[{position_m: [1500, 20], amplitude: 1e-40}, {position_m: [1500, 40], amplitude: 1, shot: 9}, "
              "{position_m: [1500, 60], amplitude: 1e-33, shot: 9}, {position_m: [1500, 60], amplitude: 1e-33, shot: "
              "10}]"},
             {"sources[].amplitude: the strongest source of shot 1 and 1 more has 1e-40 Pa, its wavelet included: "
              "below "
              "1e-30 results lose digits, for single precision takes what is below 1.2e-38 for zero; raise it, results "
              "scale with it"}},
            {{"boundary.cpml_frequency_hz=1"},
             {"boundary.cpml_frequency_hz = 1: layers are made for 1.319 Hz, the lowest frequency at which rounding "
              "does not grow in them (152 nodes per wavelength at the highest velocity)"}},
            {{"wavelet.peak_frequency_hz=1.4"}, {}},
            {{"wavelet.peak_frequency_hz=1.2"},
             {"boundary.cpml_frequency_hz, by default the lowest peak frequency, 1.2 Hz: layers are made for 1.319 Hz, "
              "the lowest frequency at which rounding does not grow in them (152 nodes per wavelength at the highest "
              "velocity)"}},
            {{"output.snapshots={times_s: [0.3], decimation: 200}"}, {}},
            {{"output.snapshots={times_s: [0.3], decimation: 500, window_min_m: [1500, 0], window_max_m: [1500, "
              "2000]}"},
             {"output.snapshots.decimation = 500: snapshots keep one of 201 nodes along z"}},
            {{"output.snapshots={times_s: [0.3], decimation: [1000, 500]}"},
             {"output.snapshots.decimation = 1000, 500: snapshots keep one of 301 nodes along x and one of 201 nodes "
              "along z"}},
            {{"receivers[0].count=1"},
             {"receivers[0].count = 1: the only position is that of first_m, (500, 20) m: last_m, (2500, 20) m, is not "
              "used"}},
            {{"receivers[0].count=1", "receivers[0].last_m=[500, 20]"}, {}},
            {{"receivers=[{type: grid, first_m: [500, 20], last_m: [2500, 40], count: [5, 1]}]"},
             {"receivers[0].count = [5, 1]: the only position along z is that of first_m, (500, 20) m: last_m, (2500, "
              "40) m, is not used"}},
            {{"sources=[{type: line, first_m: [500, 20], last_m: [900, 20], count: 1}]"},
             {"sources[0].count = 1: the only position is that of first_m, (500, 20) m: last_m, (900, 20) m, is not "
              "used"}},
            {{"receivers=[{type: line, first_m: [500, 20], last_m: [500, 20], count: 5}]"},
             {"4 receivers are at a place that has one already, such as (500, 20) m: their traces are recorded twice"}},
            {{"receivers=[{position_m: [500, 20]}, {position_m: [600, 20]}, {position_m: [500, 20]}]"},
             {"a receiver is at a place that has one already, (500, 20) m: its trace is recorded twice"}},
            {{"receivers=[{position_m: [50, 20], relative_to: source}, {position_m: [50, 20]}, {type: line, first_m: "
              "[0, 0], last_m: [100, 0], count: 3, relative_to: source}, {position_m: [50, 0], relative_to: source}]"},
             {"a receiver is at an offset that has one already, (50, 0) m: its trace is recorded twice"}},
            {{"receivers=[{type: line, first_m: [-100, 0], last_m: [-900, 0], count: 9, relative_to: source}]"}, {}},
            {{"sources=[{position_m: [1500, 20]}, {position_m: [1600, 20]}]",
              "receivers=[{position_m: [500, 20], shot: 1}, {position_m: [500, 20], shot: 2}]"},
             {}},
            {{"sources=[{position_m: [1500, 20]}, {position_m: [1600, 20]}]",
              "receivers=[{position_m: [500, 20], shot: 2}, {position_m: [500, 20]}]"},
             {"a receiver is at a place that has one already, (500, 20) m: its trace is recorded twice"}},
            {{"model={type: layered, layers: [{top_m: -300, vp_m_s: 2000}, {top_m: 0, vp_m_s: 2500}]}"},
             {"model.layers[0].top_m = -300: this layer ends above the grid, which begins at z = 0 m: no wave meets "
              "it"}},
            {{"model={type: layered, layers: [{top_m: -300, vp_m_s: 2000}, {top_m: -200, vp_m_s: 2000}, {top_m: -100, "
              "vp_m_s: 2500}]}"},
             {"model.layers[1].top_m = -200: this layer and that above it end above the grid, which begins at z = 0 "
              "m: no wave meets it"}},
            {{"model={type: layered, dip_deg: 5, layers: [{top_m: -300, vp_m_s: 2000}, {top_m: -100, vp_m_s: 2500}]}"},
             {}},
            {{"wavelet={type: ormsby, corner_frequencies_hz: [5, 10, 20, 30], t0_s: 0.15}"},
             {"wavelet.t0_s = 0.15: cuts this wavelet, whose spectrum is wider than its corners say: 0.4 s, 2 / the "
              "lowest corner, or more, or no t0_s at all, keeps it whole"}},
            {{"wavelet={type: ormsby, corner_frequencies_hz: [5, 10, 20, 30], t0_s: 0.2}"}, {}},
            {{"time.duration_s=1500"},
             {"time.duration_s = 1500: in this record length the slowest wave crosses the grid 832 times, and the "
              "boundaries absorb it: nothing is left to record; if it is in milliseconds, write 1.5"}},
            {{"grid.spacing_m=0.01", "sources[0].position_m=[1.5, 0.02]", "receivers=[{position_m: [1, 1]}]",
              "time.dt_s=1e-6"},
             {"grid: its longest side, 3 m, is shorter than the shortest wavelength, 48.24 m; are grid.spacing_m and "
              "the "
              "positions in km?"}},
            {{"sources=[{position_m: [1500, 20], shot: 1}, {position_m: [1500, 20], shot: 1}]"},
             {"shot 1 has the same source twice, at (1500, 20) m: their amplitudes add up"}},
            {{"sources=[{position_m: [1500, 20]}, {position_m: [1500, 20]}, {position_m: [1600, 20]}]"},
             {"shots 1 and 2 have the same source, at (1500, 20) m, and the same receivers: one is computed again"}},
            {{"sources=[{position_m: [1500, 20]}, {position_m: [1500, 20], amplitude: 2}]"}, {}},
        }) {
        CAPTURE(row.overrides);
        CHECK(plan_with(row.overrides).warnings == row.warnings);
    }
}

TEST_CASE("keys that change nothing are named, and those that do are not") {
    const std::string sponges =
        "boundary={x_min: sponge, x_max: sponge, z_min: free_surface, z_max: sponge, cpml_width: 20, cpml_reflection: "
        "1e-3, cpml_frequency_hz: 5, sponge_width: 40, sponge_reflection: 0.01, placement: inside}";
    const std::string walls =
        "boundary={x_min: rigid, x_max: rigid, z_min: zero, z_max: rigid, sponge_width: 30, sponge_reflection: 0.02, "
        "placement: inside}";
    const std::string traces = "output.seismograms={dt_s: 0.004, segy: ieee, su: true, unfit_dt: resample}";
    for (const Row& row : std::vector<Row>{
             {{"boundary.placement=inside", "boundary.cpml_width=20", "boundary.cpml_frequency_hz=15", traces}, {}},
             {{sponges},
              {"boundary.cpml_width = 20 has no effect: no face is cpml",
               "boundary.cpml_reflection = 1e-3 has no effect: no face is cpml",
               "boundary.cpml_frequency_hz = 5 has no effect: no face is cpml"}},
             {{walls},
              {"boundary.placement = inside has no effect: no face is cpml or sponge",
               "boundary.sponge_width = 30 has no effect: no face is sponge",
               "boundary.sponge_reflection = 0.02 has no effect: no face is sponge"}},
             {{"output.seismograms.unfit_dt=resample"},
              {"output.seismograms.unfit_dt = resample has no effect: neither SEG-Y nor SU is made"}},
             {{"output.seismograms.rho_kg_m3=1000"},
              {"output.seismograms.rho_kg_m3 = 1000 has no effect: no particle motion is recorded"}},
             {{"backend={name: cpu, device: 0, devices: [0, 1]}"},
              {"backend.device = 0 has no effect: backend.devices says which"}},
             {{"backend.devices=[0, 1]"}, {}},
             {{"receivers=null", "output.snapshots.every_steps=100", traces},
              {"output.seismograms.dt_s = 0.004 has no effect: there are no receivers",
               "output.seismograms.segy = ieee has no effect: there are no receivers",
               "output.seismograms.su = true has no effect: there are no receivers",
               "output.seismograms.unfit_dt = resample has no effect: neither SEG-Y nor SU is made"}}}) {
        CAPTURE(row.overrides);
        const Plan plan = plan_with(row.overrides);
        CHECK(plan.warnings == row.warnings);
        // The copy that a run leaves has none of them.
        const Plan again = make_plan(read_config_text(resolved_yaml(plan.config), "config.yaml", vocabulary()));
        CHECK(again.warnings.empty());
    }
}

TEST_CASE("a file that is taken as it is has no use for model.interfaces") {
    const TemporaryFolder folder;
    const Plane plane = [](std::int64_t, std::span<float> values) { std::ranges::fill(values, 2000.f); };
    write_model_file(folder.path() / "model.h5", {2, {301, 1, 201}, {10., 10., 10.}, {}}, plane, "a test", false);
    const auto warnings = [&](const std::string& model) {
        return plan_with({"model={type: file, file: model.h5, " + model + "}"}, folder.path() / "run.yaml").warnings;
    };
    CHECK(warnings("resample: false").empty());
    CHECK(warnings("resample: true, interfaces: averaged").empty());
    CHECK(warnings("interfaces: averaged") ==
          std::vector<std::string>{"model.interfaces = averaged has no effect: the model's file is not resampled, its "
                                   "values are taken as they are"});
}

TEST_CASE("shots of a file that radiate nothing are warned about") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "sources.csv") << "x,z,shot,amplitude\n100,20,1,0\n200,20,2,1\n300,20,2,0\n";
    CHECK(plan_with({"sources=[{type: file, file: sources.csv}]"}, folder.path() / "run.yaml").warnings ==
          std::vector<std::string>{"shot 1: every source has an amplitude of 0, nothing will be radiated"});
}

TEST_CASE("one rule makes shots of points, lines and files, and check says which sources fire together") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "rows.csv") << "x,z\n100,20\n200,20\n";
    std::ofstream(folder.path() / "numbered.csv") << "x,z,shot\n100,20,2\n200,20,2\n300,20,5\n";
    struct Case {
        std::string sources;
        std::vector<std::int64_t> shots;  ///< in the order of the shots, by the x of their first source
        std::string firing;
    };
    const std::string alone = "every source is a separate shot; sources with the same `shot` would fire together";
    const std::string line = "{type: line, first_m: [500, 20], last_m: [700, 20], count: 3}";
    const std::string other_line = "{type: line, first_m: [800, 20], last_m: [900, 20], count: 2}";
    for (const Case& wanted : std::vector<Case>{
             {"{position_m: [1500, 20]}", {1500}, ""},
             {"{position_m: [1500, 20]}, {position_m: [1600, 20]}", {1500, 1600}, alone},
             {line + ", " + other_line, {500, 600, 700, 800, 900}, ""},
             {"{type: file, file: rows.csv}, " + line, {100, 200, 500, 600, 700}, ""},
             {"{position_m: [1500, 20], shot: 1}, {position_m: [1600, 20], shot: 1}",
              {1500},
              "fire together: sources[0], sources[1] in shot 1"},
             {"{position_m: [1500, 20]}, {position_m: [1600, 20], shot: 2}, {position_m: [1700, 20]}",
              {1500, 1600, 1700},
              alone},
             {"{position_m: [1500, 20]}, {position_m: [1600, 20], shot: 1}", {1600, 1500}, alone},
             {"{type: file, file: numbered.csv}, {position_m: [1500, 20], shot: 2}, {position_m: [1600, 20]}",
              {1600, 100, 300},
              "fire together: 2 of sources[0], sources[1] in shot 2"}}) {
        CAPTURE(wanted.sources);
        const Plan plan = plan_with({"sources=[" + wanted.sources + "]"}, folder.path() / "run.yaml");
        std::vector<std::int64_t> shots;
        for (const Shot& shot : plan.survey.shots)
            shots.push_back(static_cast<std::int64_t>(shot.sources[0].position_m[0]));
        CHECK(shots == wanted.shots);
        CHECK(plan.survey.firing == wanted.firing);
        CHECK(contains(describe(plan), "survey    " + std::to_string(shots.size()) + " shot"));
        CHECK(contains(describe(plan), wanted.firing));
    }
}
