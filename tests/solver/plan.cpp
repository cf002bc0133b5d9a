// What a configuration amounts to: a stage that fails hides no other, and what is odd about a plan is said.
// Takes less than a second.
#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/models/model_file.hpp"
#include "kernels/boundaries/cpml.hpp"
#include "solver/model/density.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/quality_factor.hpp"
#include "solver/plan/attenuation.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/anisotropic_model.hpp"
#include "solver/planning/make_plan.hpp"
#include "tests/io/files_support.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

Config small(const std::vector<std::string>& overrides) {
    return read_config_text(kSmall2d, "small.yaml", vocabulary(), overrides);
}

/// Layers of these densities [kg/m3].
std::string layers(const std::string& upper, const std::string& lower) {
    return "model.layers=[{top_m: 0, vp_m_s: 1500, rho_kg_m3: " + upper +
           "}, {top_m: 200, vp_m_s: 2200, rho_kg_m3: " + lower + "}]";
}

/// What is said of the density, the same before the model is made and after; empty: nothing.
std::string warning_of(const std::vector<std::string>& overrides) {
    const Config config = small(overrides);
    const Plan told = make_plan(config);
    const Equation& equation = told.setup.scheme.equation;
    const Plan made = refine(told, make_model(config.model, equation, told.domain.grid, config.origin));
    CHECK(told.warnings == made.warnings);
    CHECK(density_contrast(equation, told.model.further) ==
          doctest::Approx(density_contrast(equation, made.model.further)));
    const auto of_density = [](const std::string& text) { return contains(text, "the density changes"); };
    const auto found = std::ranges::find_if(told.warnings, of_density);
    return found == told.warnings.end() ? "" : *found;
}

}  // namespace

TEST_CASE("faults of all stages are reported together") {
    const std::string faults = message_of(
        [] {
            static_cast<void>(make_plan(small({"scheme.stencil=compact27", "grid.spacing_m=[10, 10]",
                                               "model.layers=[{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, "
                                               "{top_m: 200, vp_m_s: 2200}]",
                                               "boundary.cpml_width=70", "output.snapshots.window_min_m=[201, 1]",
                                               "output.snapshots.window_max_m=[209, 9]"})));
        },
        ExitCode::config);
    CAPTURE(faults);
    CHECK(contains(faults, "scheme.stencil: compact27 is for constant density"));
    CHECK(contains(faults, "model.layers[1]: has no rho_kg_m3"));
    CHECK(contains(faults, "boundary.cpml_width: two perfectly matched layers of 70 nodes"));
    CHECK(contains(faults, "no node lies between"));
}

TEST_CASE("a sampling of the seismograms that loses a part of the wavelet's band is warned of") {
    const auto is_told = [](const std::vector<std::string>& overrides) {
        const Plan plan = make_plan(small(overrides));
        return std::ranges::any_of(
            plan.warnings, [](const std::string& text) { return contains(text, "limits the seismograms to 25 Hz"); });
    };
    CHECK(is_told({"output.seismograms.dt_s=0.02"}));
    CHECK(is_told(
        {"output.seismograms.dt_s=0.0200004", "output.seismograms.su=true", "output.seismograms.unfit_dt=resample"}));
    CHECK_FALSE(is_told({"output.seismograms.dt_s=0.002"}));
    CHECK_FALSE(is_told({"output.seismograms.dt_s=0.02", "receivers=null"}));
}

TEST_CASE("what headers of SEG-Y and SU cannot hold is refused before the run") {
    const auto fault = [](const std::vector<std::string>& overrides) {
        return message_of([&] { static_cast<void>(make_plan(small(overrides))); }, ExitCode::config);
    };
    CHECK(contains(fault({"output.seismograms.segy=ieee", "sources[1].shot=2147483648"}),
                   "output.seismograms.segy: there is a shot 2147483648; the headers of its traces hold 2147483647"));
    static_cast<void>(make_plan(small({"output.seismograms.segy=ieee", "sources[1].shot=2147483647"})));
    CHECK(contains(
        fault({"output.seismograms.su=true", "grid.shape=[200000, 61]", "grid.spacing_m=[20000, 20000]",
               "wavelet.peak_frequency_hz=0.005", "time.duration_s=100", "output.seismograms.dt_s=0.01",
               "sources=[{position_m: [100, 100]}]", "receivers=[{position_m: [200, 20]}]", "output.snapshots=null"}),
        "output.seismograms.su: the grid reaches 3.99998e+09 m from zero; the headers"));
}

TEST_CASE("what is done about the sampling of the seismograms is said") {
    CHECK(contains(describe(make_plan(small({"output.seismograms.dt_s=null", "output.seismograms.su=true"}))),
                   "traces    76 samples, sample interval 4 ms (a round number, by the wavelets); seismograms.h5, SU"));
    CHECK(contains(describe(make_plan(small({"output.seismograms.dt_s=0.0015004", "output.seismograms.segy=ibm",
                                             "output.seismograms.unfit_dt=resample"}))),
                   "sample interval 1.5 ms (the nearest whole microsecond); seismograms.h5, SEG-Y (IBM floats)"));
}

TEST_CASE("a density whose jumps may make dt unstable is warned of, and told before the model is made") {
    CHECK(warning_of({}) == "");
    CHECK(warning_of({"time.cfl_fraction=1"}) == "");
    CHECK(warning_of({layers("1000", "2000")}) == "");
    CHECK(warning_of({layers("200", "3800")}) == "");  // the default of 0.9 covers a factor of 20
    CHECK(
        contains(warning_of({layers("200", "3800"), "time.cfl_fraction=1"}),
                 "the density changes by a factor of 19, which lowers the stability limit, and dt is 1 of the limit"));
    CHECK(
        contains(warning_of({layers("200", "3800"), "time.cfl_fraction=1"}), "take time.cfl_fraction: 0.9 (a dt of "));
    CHECK(contains(warning_of({layers("1.2", "2400")}), "take time.cfl_fraction: 0.7 (a dt of "));
    CHECK(contains(warning_of({layers("1.2", "2400")}), "or a free surface in place of air"));
    CHECK(warning_of({layers("1.2", "2400"), "time.cfl_fraction=0.7"}) == "");
    CHECK(warning_of({layers("1.2", "2400"), "model.rho=none"}) == "");
    CHECK(contains(warning_of({"model.rho=gardner", "time.cfl_fraction=1"}), "a factor of 1.1"));
}

TEST_CASE("a Q that a power of the frequency cannot have is refused, with the lowest that it can") {
    const auto fault = [](const std::vector<std::string>& overrides) {
        return message_of([&] { static_cast<void>(make_plan(small(overrides))); }, ExitCode::config);
    };
    const std::string told = fault({"attenuation.frequency_power=2", "model.q=10"});
    CHECK(contains(told, "attenuation.frequency_power: Q of 10 at 15 Hz is too low for an attenuation that grows"));
    CHECK(contains(told, "with the power 2 of the frequency: from 6 to 37.5 Hz 1/Q would be off by 43 %"));
    CHECK(contains(told, "Q of 21.6 and more can be had"));
    const Plan plan = make_plan(small({"attenuation.frequency_power=1.5", "model.q=6"}));
    CHECK(plan.time.stability_limit_s * 2200. * 1.4 < plan.setup.scheme.stability_limit_s({10., 8.}, 1.));
    CHECK(plan.time.stability_limit_s > 0.);
}

TEST_CASE("Q that is hardly met, and wavelets beside the band of the fit, are warned of") {
    const auto warned = [](const std::vector<std::string>& overrides, const std::string& of) {
        const Plan plan = make_plan(small(overrides));
        return std::ranges::any_of(plan.warnings, [&](const std::string& text) { return contains(text, of); });
    };
    const std::string off = "1/Q is off by up to", outside = "lies outside the band of";
    CHECK_FALSE(warned({"model.q=50"}, off));
    CHECK(warned({"model.q=50", "attenuation.mechanisms=1"},
                 "from 50 to 50 1/Q is off by up to 30 % within the band "
                 "of 6 to 37.5 Hz: take more mechanisms"));
    CHECK(warned({"model.q=6", "attenuation.frequency_power=1.5"}, "or a lower attenuation.frequency_power"));
    CHECK_FALSE(warned({"model.q=50"}, outside));
    CHECK(warned({"model.q=50", "attenuation.band_hz=[1, 10]"},
                 "the peak frequency of 15 Hz of a wavelet lies outside "
                 "the band of 1 to 10 Hz"));
    // The default band has the peaks of all wavelets.
    const std::string of_second = "sources[1].wavelet={type: ricker, peak_frequency_hz: 5}";
    const Plan both = make_plan(small({"model.q=50", of_second}));
    CHECK(both.setup.scheme.relaxation.low_hz == doctest::Approx(2.));
    CHECK(both.setup.scheme.relaxation.high_hz == doctest::Approx(37.5));
    CHECK(both.setup.scheme.relaxation.reference_hz == 5.);
    CHECK_FALSE(warned({"model.q=50", of_second}, outside));
}

TEST_CASE("drag is the user's choice, and told to be exact at one frequency") {
    const auto plan = [](std::vector<std::string> overrides) {
        overrides.insert(overrides.end(), {"model.q=50", "attenuation.method=drag"});
        return make_plan(small(overrides));
    };
    CHECK(plan({}).setup.scheme.equation == Equation::drag);
    CHECK(plan({"model.rho=gardner"}).setup.scheme.equation == Equation::drag_density);
    CHECK(make_plan(small({"model.q=1e4", "attenuation.method=drag"})).setup.scheme.equation == Equation::star);
    const Plan wide = plan({}), narrow = plan({"attenuation.band_hz=[14.9, 15.1]"});
    CHECK(contains(describe_attenuation(wide), "by drag, exactly at 15 Hz"));
    CHECK(attenuation_json(wide)["largest_error"]["loss_percent"].get<double>() == doctest::Approx(150.).epsilon(0.01));
    CHECK(attenuation_json(narrow)["largest_error"]["loss_percent"].get<double>() < 1.);
    const auto warns = [](const Plan& of) {
        return std::ranges::any_of(of.warnings, [](const std::string& text) {
            return contains(text,
                            "drag is exact at 15 Hz alone; for the whole band take attenuation.method: relaxation");
        });
    };
    CHECK(warns(wide));
    CHECK_FALSE(warns(narrow));
    const std::string told =
        message_of([&] { static_cast<void>(plan({"attenuation.reference_frequency_hz=1e4"})); }, ExitCode::config);
    CHECK(contains(told, "attenuation.reference_frequency_hz"));
    CHECK(contains(told, "drag is exact at this frequency, and time steps resolve"));
}

TEST_CASE("where Q is known to be 10000 or more everywhere, the equation without loss is solved") {
    const auto equation = [](const std::vector<std::string>& overrides) {
        return make_plan(small(overrides)).setup.scheme.equation;
    };
    CHECK(equation({"model.q=1e4"}) == Equation::star);
    CHECK(equation({"model.q=.inf"}) == Equation::star);
    CHECK(equation({"model.q=9999"}) == Equation::attenuation_of_two);
    // Of a power of the frequency it depends on the band.
    CHECK(equation({"model.q=1e4", "attenuation.frequency_power=2"}) == Equation::attenuation_of_two);
    CHECK(equation({"model.q=.inf", "attenuation.frequency_power=2"}) == Equation::star);
    CHECK(equation({"model.q=.inf", "model.layers[1].q=40"}) == Equation::attenuation_of_two);
}

TEST_CASE("the rule of Q is refused where it makes a Q below what there is") {
    const std::string told = message_of(
        [] {
            static_cast<void>(make_plan(small({"model.q_rule=li", "model.layers[0].vp_m_s=400"})));
        },
        ExitCode::config);
    CHECK(contains(told, "model.q_rule"));
    CHECK(contains(told, "makes Q 1.86 of 400 m/s, and Q must be 3 or more: the rule is for 497 m/s and more"));
}

TEST_CASE("a time step beyond the limit is told the velocity that it is for, and how Q raises it") {
    const auto fault = [](const std::vector<std::string>& overrides) {
        return message_of([&] { static_cast<void>(make_plan(small(overrides))); }, ExitCode::config);
    };
    CHECK(contains(fault({"time.dt_s=0.01"}), "fastest velocity 2200 m/s)"));
    const std::string told = fault({"time.dt_s=0.01", "model.q=20"});
    CHECK(contains(told, " m/s at infinite frequency, to which Q raises vp of 2200 m/s)"));
    CHECK_FALSE(contains(told, "fastest velocity 2200 m/s"));
}

TEST_CASE("the steps told are those to the end; what the correction needs beyond is told beside") {
    const Plan plan = make_plan(small({}));
    REQUIRE(plan.time.extra_steps > 0);
    const auto steps = plan.time.steps - plan.time.extra_steps;
    CHECK(contains(describe(plan), std::to_string(steps) + " time steps to 0.3 s, plus " +
                                       std::to_string(plan.time.extra_steps) + " to remove"));
    CHECK(static_cast<double>(steps) * plan.time.dt_s == doctest::Approx(0.3).epsilon(0.02));
    CHECK(contains(describe(make_plan(small({"time.dispersion_correction=false"}))), " steps to 0.3 s\n"));
}

TEST_CASE("refining a plan changes what follows from the velocities of the model, and nothing else") {
    const Plan told = make_plan(small({"backend.name=cpu"}));
    Model model;
    model.grid = told.domain.grid;
    model.parameters = {{{}, 1600.f, 2000.f}};  // 2200 m/s was told
    model.notes = {"a note of the model"};
    model.warnings = {"a warning of the model"};
    const Plan made = refine(told, model);
    CHECK(made.model.velocity.exact);
    CHECK(made.time.dt_s == doctest::Approx(1.1 * told.time.dt_s));
    CHECK(made.time.steps < told.time.steps);
    CHECK(made.sampling.points_per_wavelength == doctest::Approx(1600. / 1500. * told.sampling.points_per_wavelength));
    CHECK(made.setup.strips.get<Cpml>().face[0].b_psi != told.setup.strips.get<Cpml>().face[0].b_psi);
    CHECK(made.snapshots.steps.after(0) < told.snapshots.steps.after(0));
    CHECK(made.snapshots.geometry.shape == told.snapshots.geometry.shape);
    CHECK(made.setup.kernel == told.setup.kernel);
    CHECK(made.setup.kernel != "auto");
    CHECK(made.survey.shots.size() == told.survey.shots.size());
    CHECK(made.notes.back() == "a note of the model");
    REQUIRE(told.warnings.size() == 2u);
    CHECK(told.warnings[1] == told.sampling.message);  // which the faster model is free of
    CHECK(made.warnings == std::vector<std::string>{"a warning of the model", told.warnings[0]});
    // Once more, as if it had been made with these velocities.
    model.parameters = {{{}, 1500.f, 2200.f}};
    model.warnings.clear();
    const Plan again = refine(made, model);
    CHECK(again.time.dt_s == told.time.dt_s);
    CHECK(again.time.steps == told.time.steps);
    CHECK(again.setup.strips.get<Cpml>().face[0].b_psi == told.setup.strips.get<Cpml>().face[0].b_psi);
    CHECK(again.warnings == told.warnings);
}

TEST_CASE("faults that only the model shows are reported as the others are") {
    const Plan told = make_plan(small({"time.dt_s=0.0015"}));
    Model model;
    model.grid = told.domain.grid;
    model.parameters = {{{}, 300.f, 9000.f}};
    const std::string faults = message_of([&] { static_cast<void>(refine(told, model)); }, ExitCode::config);
    CHECK(contains(faults, "grid.spacing_m: 0.724 points per wavelength"));
    CHECK(contains(faults, "--set time.dt_s=0.0015: time.dt_s: 0.0015 s is above the stability limit"));
}

namespace {

/// With these overrides, on the CPU and without a free surface.
Plan anisotropic_plan(std::vector<std::string> overrides) {
    for (const char* one : {"backend.name=cpu", "boundary.top=cpml"}) overrides.insert(overrides.begin(), one);
    return make_plan(small(overrides));
}

}  // namespace

TEST_CASE(
    "delta rises to epsilon around the sources of all shots, by cos^2 of the distance; without it one is warned") {
    const Plan told = anisotropic_plan({"model.epsilon=0.2", "model.delta=0.1", "imaging.shots=[2]"});
    const Model model = make_model_of_run(told);
    const auto delta_at = [](const Model& of, std::int64_t x, std::int64_t z) {
        return of.find("delta")->values[static_cast<std::size_t>(of.grid.at(x, 0, z))];
    };
    CHECK(delta_at(model, 30, 5) == 0.2f);  // (400, 24) m, of shot 1
    CHECK(delta_at(model, 24, 5) == doctest::Approx(0.15));
    CHECK(delta_at(model, 30, 13) == doctest::Approx(0.1 + 0.1 * 0.25));  // cos(60 degrees)
    CHECK(delta_at(model, 18, 5) == 0.1f);
    CHECK(delta_at(model, 50, 6) == doctest::Approx(0.2).epsilon(0.01));  // (603, 30) m lies between nodes
    CHECK(model.find("delta")->max == 0.2f);
    CHECK(contains(model.notes.at(0), "delta rises to epsilon within 12 nodes of 2 sources, at "));
    CHECK(refine(told, model).model.further[1]->max == doctest::Approx(0.2));

    const Plan without = anisotropic_plan({"model.epsilon=0.2", "model.delta=0.1", "model.elliptical_radius=0"});
    const Model as_given = make_model_of_run(without);
    CHECK(delta_at(as_given, 30, 5) == 0.1f);
    CHECK(contains(as_given.warnings.at(0), "2 sources lie where delta is less than epsilon"));

    const Plan elliptical = anisotropic_plan({"model.epsilon=0.1", "model.delta=0.1"});
    CHECK(make_model_of_run(elliptical).notes.empty());
    const Plan strong = anisotropic_plan({"model.epsilon=0.6"});
    CHECK(
        std::ranges::any_of(strong.warnings, [](const std::string& text) { return contains(text, "epsilon of up"); }));
}

TEST_CASE("anisotropy at a free surface, or as near to it as the stencil reaches, is refused with its place") {
    const auto fault = [](const std::string& top_m) {
        const Plan told =
            make_plan(small({"backend.name=cpu", "model.layers=[{top_m: -16, vp_m_s: 1500}, {top_m: " + top_m +
                                                     ", vp_m_s: 2200, epsilon: 0.2, delta: 0.1}]"}));
        return message_of([&] { static_cast<void>(refine(told, make_model_of_run(told))); });
    };
    CHECK(contains(fault("8"), "boundary.top"));
    CHECK(contains(fault("8"),
                   "free_surface: epsilon and delta must be 0 at a free surface and at the 4 nodes next to it"));
    CHECK(contains(fault("8"), "at (100, 0, 8) m epsilon is 0.1 and delta 0.05"));  // half of the cell
    CHECK(contains(fault("12"), "at (100, 0, 16) m epsilon is 0.2"));
    const Plan deep = make_plan(small({"backend.name=cpu",
                                       "model.layers=[{top_m: -16, vp_m_s: 1500}, {top_m: 20, vp_m_s: 2200, epsilon: "
                                       "0.2, delta: 0.1}]"}));
    CHECK_NOTHROW(static_cast<void>(refine(deep, make_model_of_run(deep))));

    // Water under the surface has no axis, so that one for the rock below is none at the mirror.
    const Plan tilted = make_plan(small({"backend.name=cpu", "model.theta_deg=25", "boundary.bottom=sponge",
                                         "boundary.left=sponge", "boundary.right=sponge", "boundary.sponge_width=12",
                                         "model.layers=[{top_m: -16, vp_m_s: 1500}, {top_m: 30, vp_m_s: 2200, epsilon: "
                                         "0.2, delta: 0.1}]"}));
    CHECK(tilted.setup.scheme.equation == Equation::tti);
    CHECK_NOTHROW(static_cast<void>(refine(tilted, make_model_of_run(tilted))));
}

TEST_CASE("an absorption of a model file is that of the lowest peak of the wavelets, or where the section says") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "tissue.h5";
    const auto constant = [](float value) {
        return [value](std::int64_t, std::span<float> values) { std::ranges::fill(values, value); };
    };
    // 2 dB/(MHz cm), whatever the frequency: Q = pi 1e6 / (vp 200/8.6859).
    write_model_file(file, {2, {81, 1, 61}, {10., 1., 8.}, {100., 0., -16.}}, constant(1800.f), "test", false,
                     {{quantity_of(kAlpha), constant(2.f)}});
    const auto plan_of = [&](std::vector<std::string> overrides) {
        overrides.insert(overrides.begin(), "model={type: file, file: " + file.string() + "}");
        return make_plan(small(overrides));
    };
    const double q = std::numbers::pi * 1e6 / (1800. * 200. / 8.685889638);
    const Plan plan = plan_of({});
    CHECK(plan.setup.scheme.equation == Equation::attenuation_of_two);
    CHECK(plan.config.model.power_law == PowerLaw{15., 1.});
    CHECK(plan.model.further.at(0)->min == doctest::Approx(q).epsilon(1e-4));
    CHECK(make_model_of_run(plan).find("q")->max == doctest::Approx(q).epsilon(1e-4));
    const std::vector<std::string> law{"attenuation.frequency_power=1.5", "attenuation.reference_frequency_hz=20",
                                       "sources[1].wavelet={type: ricker, peak_frequency_hz: 10}"};
    const Plan other = plan_of(law);
    CHECK(other.config.model.power_law == PowerLaw{20., 1.5});
    CHECK(other.model.further.at(0)->max == doctest::Approx(q / std::sqrt(2e-5)).epsilon(1e-4));
    CHECK(plan_of({"model.q_rule=none"}).setup.scheme.equation == Equation::star);
}
