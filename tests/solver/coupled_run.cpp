// An equation is a row for the whole program. One with two fields and a parameter of its own, added in one folder
// (tests/kernels/coupled/) and named nowhere else, is offered by the configuration, read from a model file, checked,
// planned, run, and its state saved and restored.
// Takes 3 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/models/model_file.hpp"
#include "kernels/boundaries/cpml.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/planning/run_time.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/run/simulation.hpp"
#include "tests/io/files_support.hpp"
#include "tests/kernels/coupled/coupled.hpp"
#include "tests/kernels/state.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr double kVelocity = 2000., kOmega = 120.;

const MediumParameter& omega() {
    return kCoupled->parameters[1];
}

/// A model whose coupling grows with depth, or without any.
struct ModelOnDisk {
    explicit ModelOnDisk(bool coupled = true) {
        const auto filled_with = [](double top, double per_plane) -> Plane {
            return [=](std::int64_t z, std::span<float> values) {
                std::ranges::fill(values, static_cast<float>(top + per_plane * static_cast<double>(z)));
            };
        };
        std::vector<QuantityPlanes> further;
        if (coupled) further.push_back({quantity_of(omega()), filled_with(kOmega, 1.)});
        write_model_file(file, {.dimensions = 2, .shape = {61, 1, 41}, .spacing_m = {10., 1., 10.}, .origin_m = {}},
                         filled_with(kVelocity, 0.), "a test", false, further);
    }
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "model.h5";
};

Config config_of(const ModelOnDisk& model, const std::vector<std::string>& overrides = {}) {
    const std::string text = R"(schema_version: 1
grid: {shape: [61, 41], spacing_m: 10}
model: {type: file, file: )" +
                             model.file.string() + R"(}
time: {duration_s: 0.2}
scheme: {stencil: coupled}
boundary: {left: sponge, right: sponge, top: free_surface, bottom: sponge, sponge_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [300, 100]}
receivers:
  - {type: line, first_m: [100, 50], last_m: [500, 50], count: 5}
backend: {name: cpu}
)";
    return read_config_text(text, "coupled.yaml", vocabulary(), overrides);
}

Plan plan_of(const ModelOnDisk& model, const std::vector<std::string>& overrides = {}) {
    return make_plan(config_of(model, overrides));
}

Model model_of(const Plan& plan) {
    return make_model(plan.config.model, plan.setup.scheme.equation, plan.domain.grid, plan.config.origin);
}

std::string fault_of_plan(const ModelOnDisk& model, const std::vector<std::string>& overrides) {
    return message_of([&] { static_cast<void>(plan_of(model, overrides)); }, ExitCode::config);
}

}  // namespace

TEST_CASE("the configuration offers it, and its schema and reference list it") {
    CHECK(contains(config_schema(vocabulary()), "coupled: those on the axes, of two fields"));
    CHECK(contains(config_reference_markdown(vocabulary()), "`coupled`"));
    const ModelOnDisk model;
    CHECK(contains(message_of([&] { config_of(model, {"scheme.stencil=couple"}); }),
                   "must be one of star, compact27, coupled; did you mean 'coupled'?"));
}

TEST_CASE("its parameter comes from the model's file, checked by the row, and into plan and forecast") {
    const ModelOnDisk on_disk;
    const Plan told = plan_of(on_disk);
    CHECK(told.setup.scheme.equation == kCoupled);
    CHECK(contains(describe(told), "velocity  2000 to 2000 m/s\ncoupling  variable\n"));
    const Model model = model_of(told);
    REQUIRE(model.find("omega") != nullptr);
    CHECK(model.find("omega")->values[model.grid.at(7, 0, 40)] == 160.f);
    CHECK(contains(model.description, ", coupling 120 to 160 rad/s"));
    const Plan made = refine(told, model);
    CHECK(contains(describe(made), "coupling  120 to 160 rad/s\n"));
    CHECK(medium_json(made.model, made.setup.scheme.equation)["coupling"] ==
          nlohmann::ordered_json{{"min_rad_s", 120.}, {"max_rad_s", 160.}});
    const auto medium =
        made.placement.device->make_medium(made.setup, medium_readers(model, made.domain.computed), made.time.dt_s);
    const MemoryForecast memory = forecast_memory(made);
    const auto item =
        std::ranges::find(memory.items, "wavefields and model of the cpu backend", &MemoryForecast::Item::what);
    REQUIRE(item != memory.items.end());
    CHECK(item->bytes == medium->allocated_bytes() + medium->make_wavefield(made.placement.batch)->allocated_bytes());
    CHECK(forecast_time(made, std::filesystem::temp_directory_path()).seconds > 0.);
}

TEST_CASE("what it needs and does not have is said") {
    const ModelOnDisk with, without(false);
    CHECK(contains(fault_of_plan(without, {}),
                   "scheme.stencil: coupled needs omega, the angular frequency of the coupling in rad/s, which the "
                   "model does not give: take model.type: file, and a file with /omega"));
    CHECK(contains(fault_of_plan(with, {"model={type: constant, vp_m_s: 2000}"}), "coupled needs omega"));
    CHECK(plan_of(with, {"boundary.left=cpml"}).boundary.strips.get<Cpml>().face[0].width() > 0);
    const Plan plan = plan_of(with);
    Scheme bare = plan.setup.scheme;
    bare.equation = coupled_without_layers();
    BoundaryConfig layers = plan.config.boundary;
    layers.x_min = "cpml";
    CHECK(contains(message_of(
                       [&] {
                           static_cast<void>(make_boundary(layers, plan.domain.grid, {bare, 2000., 1e-3, 15.}, {}));
                       },
                       ExitCode::config),
                   "boundary.x_min: CPML is not available for the equation coupled: use sponge"));
    CHECK(plan_of(with, {"scheme.stencil=star"}).setup.scheme.equation == Equation::star);
    const std::string refusal = message_of(
        [&] {
            write_model_file(
                with.folder.path() / "other.h5", {.dimensions = 2, .shape = {3, 1, 4}},
                [](std::int64_t, std::span<float> vp) { std::ranges::fill(vp, 2000.f); }, "a test", false,
                {{quantity_of(omega()), [](std::int64_t, std::span<float> all) { std::ranges::fill(all, -1.f); }}});
        },
        ExitCode::bad_data);
    CHECK(contains(refusal, "/omega: omega(ix = 0, iz = 0)"));
    CHECK(contains(refusal, "= -1: must be finite, from 0 to 1000 rad/s"));
}

TEST_CASE("it runs, and its state goes on elsewhere with the same bits") {
    const ModelOnDisk on_disk;
    const std::filesystem::path results = on_disk.folder.path() / "results";
    Log log;
    const RunFacts facts = run_simulation(config_of(on_disk), {.folder = results, .command_line = "a test"}, log);
    CHECK(facts.complete);
    const auto summary = nlohmann::json::parse(std::ifstream(results / "summary.json"));
    CHECK(summary["coupling"]["max_rad_s"] == 160.);
    CHECK(summary["backend"]["operator"] == "coupled");

    Plan plan = plan_of(on_disk);
    const Model model = model_of(plan);
    plan = refine(std::move(plan), model);
    const auto medium =
        plan.placement.device->make_medium(plan.setup, medium_readers(model, plan.domain.computed), plan.time.dt_s);
    const auto begun = medium->make_wavefield(), other = medium->make_wavefield();
    const Shot shot = plan.survey.shots[0];
    const Sources sources = make_sources(shot, plan.survey, plan.setup.grid, plan.boundary.halos, plan.time);
    const std::int64_t half = plan.time.steps / 2;
    Propagator(*begun, sources, {}, plan.time).advance(half);
    other->set_sources(0, sources);
    restore(*other, save(*begun));
    other->advance(half, plan.time.steps - half);
    REQUIRE(facts.shots.size() == 1u);
    CHECK(fingerprint_wavefield(*other, plan.domain.computed.inner()) == facts.shots[0].wavefield);
}
