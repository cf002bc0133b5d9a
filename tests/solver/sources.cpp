// A source acts in the density of its own side of every interface, and its nodes in absorbing strips have their
// filters; what no strip touches stays as it is, to the bit.
// Takes less than a second.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numbers>

#include "kernels/cpu/cpu.hpp"
#include "kernels/shot/layer_sources.hpp"
#include "kernels/shot/source_density.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/model/model.hpp"
#include "solver/verify/experiment.hpp"
#include "tests/solver/survey_support.hpp"

using namespace onda;
using verify::scatter;

namespace {

using Place = std::array<double, 3>;

Grid cube(int dimensions) {
    Grid grid;
    grid.dimensions = dimensions;
    grid.n = {31, dimensions == 3 ? 31 : 1, 31};
    grid.spacing_m = {10., 10., 10.};
    return grid;
}

/// Places at random, `margin` nodes inside the faces.
Place place_in(const Grid& grid, std::int64_t number, double margin) {
    Place place{};
    for (std::size_t a = 0; a < 3; ++a)
        if (grid.has_axis(static_cast<int>(a)))
            place[a] = margin + (static_cast<double>(grid.n[a] - 1) - 2. * margin) *
                                    scatter(3 * number + static_cast<std::int64_t>(a));
    return place;
}

/// A medium of two parameters at the nodes.
MediumAt of_model(const Model& model) {
    return [&model](std::int64_t node) {
        const auto at = static_cast<std::size_t>(node);
        const double vp = model.vp().values[at], rho = model.find("rho")->values[at];
        return CellMedium{rho, rho * vp * vp};
    };
}

struct Side {
    double vp, rho;
};

/// The largest distance [nodes] from an interface at which places have another density than that of their side.
/// \param depth of a place beyond the interface [nodes], positive in the second medium.
double farthest_wrong(const Model& model, const Side& first, const Side& second,
                      const std::function<double(const Place&)>& depth) {
    double farthest = 0.;
    int beside = 0;
    for (std::int64_t i = 0; i < 20000; ++i) {
        const Place place = place_in(model.grid, i, 2.);
        const double beyond = depth(place);
        beside += std::abs(beyond) < 1.;
        const double right = beyond > 0. ? second.rho : first.rho;
        const double found = density_at(model.grid, place, of_model(model));
        CHECK(found >= std::min(first.rho, second.rho) * (1. - 1e-6));
        CHECK(found <= std::max(first.rho, second.rho) * (1. + 1e-6));
        if (!(std::abs(found / right - 1.) <= 1e-3)) farthest = std::max(farthest, std::abs(beyond));
    }
    CHECK(beside > 100);
    return farthest;
}

Model two_layers(int dimensions, const Side& first, const Side& second, double dip_deg, double azimuth_deg,
                 const char* interfaces) {
    ModelConfig config;
    config.type = "layered";
    config.dip_deg = dip_deg;
    config.dip_azimuth_deg = azimuth_deg;
    config.interfaces = interfaces;
    // Through the middle of the grid, 0.3 nodes off its node.
    const double dip = std::tan(dip_deg * std::numbers::pi / 180.), azimuth = azimuth_deg * std::numbers::pi / 180.;
    const double middle = 150. * (std::cos(azimuth) + (dimensions == 3 ? std::sin(azimuth) : 0.)) * dip;
    config.layers = {{-1e6, first.vp, first.rho}, {153. - middle, second.vp, second.rho}};
    return make_model(config, Equation::variable_density, cube(dimensions), {});
}

}  // namespace

TEST_CASE("beside plane interfaces the density is that of the side, dipping or not, averaged or sampled") {
    struct Row {
        int dimensions;
        double dip_deg, azimuth_deg;
        Side first, second;
        double limit_nodes;  ///< how near the interface the side may be mistaken
    };
    const Side water{1500., 1000.}, rock{2300., 2200.}, light{2000., 1000.}, heavy{2000., 2200.};
    const std::vector<Row> rows{
        {2, 0., 0., light, heavy, 0.02},   {2, 0., 0., water, rock, 0.02},    {2, 10., 0., light, heavy, 0.1},
        {2, 30., 0., water, rock, 0.15},   {2, 45., 0., light, heavy, 0.1},   {2, 60., 0., heavy, light, 0.1},
        {3, 20., 30., light, heavy, 0.25}, {3, 50., 200., rock, water, 0.25},
    };
    for (const Row& row : rows) {
        CAPTURE(row.dimensions);
        CAPTURE(row.dip_deg);
        const double dip = row.dip_deg * std::numbers::pi / 180., azimuth = row.azimuth_deg * std::numbers::pi / 180.;
        const double y = row.dimensions == 3 ? std::sin(azimuth) : 0.;
        const auto depth = [&](const Place& p) {
            const double along = (p[0] - 15.) * std::cos(azimuth) + (row.dimensions == 3 ? p[1] - 15. : 0.) * y;
            return (p[2] - 15.3) * std::cos(dip) - along * std::sin(dip);
        };
        const Model averaged =
            two_layers(row.dimensions, row.first, row.second, row.dip_deg, row.azimuth_deg, "averaged");
        CHECK(farthest_wrong(averaged, row.first, row.second, depth) <= row.limit_nodes);
        // The staircase of sampled nodes is the interface that waves see.
        const Model sampled =
            two_layers(row.dimensions, row.first, row.second, row.dip_deg, row.azimuth_deg, "sampled");
        CHECK(farthest_wrong(sampled, row.first, row.second, depth) <= 0.9);
    }
    // Flat and sampled it is midway between the last node above and the first below.
    const Model sampled = two_layers(2, light, heavy, 0., 0., "sampled");
    CHECK(farthest_wrong(sampled, light, heavy, [](const Place& p) { return p[2] - 15.5; }) <= 1e-3);
    CHECK(density_at(sampled.grid, {7.2, 0., 15.5}, of_model(sampled)) == doctest::Approx(1600.));
}

TEST_CASE("in a sphere the density is the sphere's up to its surface") {
    ModelConfig config;
    config.type = "inclusions";
    config.vp_m_s = 2000.;
    config.rho_kg_m3 = 1800.;
    InclusionConfig sphere;
    sphere.center_m = {151., 148., 153.};
    sphere.radius_m = 73.;
    sphere.vp_m_s = 2500.;
    sphere.rho_kg_m3 = 2300.;
    config.inclusions = {sphere};
    const Model model = make_model(config, Equation::variable_density, cube(3), {});
    const auto depth = [](const Place& p) { return 7.3 - std::hypot(p[0] - 15.1, p[1] - 14.8, p[2] - 15.3); };
    CHECK(farthest_wrong(model, {2000., 1800.}, {2500., 2300.}, depth) <= 0.25);
}

TEST_CASE("where the density changes smoothly it is interpolated to second order, and on nodes it is theirs") {
    const Grid grid = cube(3);
    const auto error_with = [&](double nodes_per_radian, double margin) {
        const auto rho = [&](const Place& p) {
            return 2000. + 300. * std::sin((p[0] + 0.3 * p[1] + 0.6 * p[2]) / nodes_per_radian);
        };
        const MediumAt medium_at = [&](std::int64_t node) {
            const auto [x, y, z] = grid.node(node);
            return CellMedium{rho({double(x), double(y), double(z)}), 1e10};
        };
        double worst = 0.;
        for (std::int64_t i = 0; i < 2000; ++i) {
            const Place place = place_in(grid, i, margin);
            worst = verify::worse(worst, std::abs(density_at(grid, place, medium_at) - rho(place)));
            const Place node{std::round(place[0]), std::round(place[1]), std::round(place[2])};
            CHECK(density_at(grid, node, medium_at) == rho(node));
        }
        return worst;
    };
    CHECK(error_with(20., 3.) <= 1.);
    CHECK(error_with(40., 3.) <= 0.3);
    CHECK(error_with(1e6, 3.) <= 1e-6);
}

TEST_CASE("nodes asked for hold all that the density needs, and a medium gives the same") {
    for (const int dimensions : {2, 3}) {
        const Side first{2000., 1000.}, second{2300., 2200.};
        const Model model = two_layers(dimensions, first, second, 25., 40., "averaged");
        Setup setup;
        setup.grid = model.grid;
        setup.scheme = make_scheme(Equation::variable_density, 8);
        setup.precision = Precision::float64;
        setup.threads = 1;
        const auto medium = cpu::make_medium(setup, medium_readers(model, model.grid), 1e-3);
        Sources sources;
        std::vector<double> expected;
        for (std::int64_t i = 0; i < 3000; ++i) {
            const Place place = place_in(model.grid, i, i % 2 == 0 ? 0. : 3.);
            const std::vector<std::int64_t> nodes = nodes_of_density(model.grid, place);
            CHECK(nodes.size() <= 424);
            expected.push_back(density_at(model.grid, place, [&](std::int64_t node) {
                CHECK(std::ranges::binary_search(nodes, node));
                return of_model(model)(node);
            }));
            sources.place.push_back(place);
            sources.nodes.first.push_back(0);
        }
        const std::vector<double> found = source_densities(*medium, sources);
        double worst = 0.;
        for (std::size_t i = 0; i < expected.size(); ++i)
            worst = verify::worse(worst, std::abs(found[i] / expected[i] - 1.));
        CHECK(found.size() == expected.size());
        CHECK(worst <= 1e-12);
    }
}

namespace {

/// A box with layers of 10 nodes at all faces but a free surface.
std::shared_ptr<Medium> medium_with_layers(const Config& config, const Grid& grid, const Faces& faces) {
    Setup setup;
    setup.grid = grid;
    setup.halos = faces.halos;
    setup.strips = make_boundary(config.boundary, grid, {setup.scheme, 2000., 1e-3, 15.}, {}).strips;
    setup.threads = 1;
    return cpu::make_medium(setup, {verify::constant_velocity(2000.)}, 1e-3);
}

}  // namespace

TEST_CASE("sources in strips become rows with filtered signals, as many as were told at most; others stay") {
    for (const char* kind : {"cpml", "sponge"}) {
        Config config = config_2d();
        for (std::string* face : {&config.boundary.x_min, &config.boundary.x_max, &config.boundary.z_max}) *face = kind;
        config.boundary.z_min = "free_surface";
        config.boundary.cpml_width = config.boundary.sponge_width = 10;
        config.time.duration_s = 0.1;
        const Grid grid = grid_2d();
        const auto medium = medium_with_layers(config, grid, make_faces(config.boundary, grid, config.origin));
        TimeAxis time;
        time.dt_s = 1e-3;
        time.steps = 100;
        const auto sources_at = [&](const std::vector<std::vector<double>>& positions) {
            config.sources.clear();
            for (const auto& position : positions) {
                config.sources.push_back(source_at(position));
                config.sources.back().shot = 1;
            }
            const Survey survey = survey_of(config, grid);
            const Sources plain = make_sources(survey.shots.front(), survey, grid, medium->setup().halos, time);
            const Sources made = with_filters_of_strips(*medium, plain, time.steps + 1);
            CHECK(made.nodes.rows() <= survey.size.most_source_rows);
            CHECK(std::ssize(made.signal) == made.nodes.rows());
            CHECK(made.nodes.node.size() == plain.nodes.node.size());
            for (const auto& signal : made.signal) CHECK(std::ssize(signal) <= time.steps + 1);
            return std::pair{plain, made};
        };
        const auto is_same = [](const Sources& a, const Sources& b) {
            return a.nodes.first == b.nodes.first && a.nodes.node == b.nodes.node && a.nodes.weight == b.nodes.weight &&
                   a.signal == b.signal && a.density == b.density && a.place == b.place;
        };
        // All eight nodes outside: 10 nodes of layer, and 4 that weights reach.
        const auto [outside, untouched] = sources_at({{143., 33.}, {857., 331.}, {100., 350.}, {500., 1.}});
        CHECK(is_same(outside, untouched));
        const auto [near, split] = sources_at({{500., 33.}, {123., 33.}, {93., 376.}, {950., 397.}});
        CHECK_FALSE(is_same(near, split));
        const bool memory = std::string(kind) == "cpml";
        CHECK((split.nodes.rows() > near.nodes.rows()) == memory);
        CHECK(split.density == std::vector<double>(static_cast<std::size_t>(split.nodes.rows()), 1.));
        // The first has none of its nodes in a strip.
        CHECK(split.nodes.first[1] == near.nodes.first[1]);
        CHECK(split.signal[0] == near.signal[0]);
        CHECK(std::equal(near.nodes.weight.begin(), near.nodes.weight.begin() + near.nodes.first[1],
                         split.nodes.weight.begin()));
    }
}

TEST_CASE("under a free surface, whose nodes hold no modulus, a source acts in the density of its own side") {
    const Side water{1500., 1000.}, rock{2300., 2200.};
    for (const char* interfaces : {"averaged", "sampled"})
        for (const double interface_nodes : {0.8, 1.2}) {
            ModelConfig config;
            config.type = "layered";
            config.interfaces = interfaces;
            config.layers = {{-1e6, water.vp, water.rho}, {10. * interface_nodes, rock.vp, rock.rho}};
            const Model model = make_model(config, Equation::variable_density, cube(2), {});
            Setup setup;
            setup.grid = model.grid;
            setup.scheme = make_scheme(Equation::variable_density, 8);
            setup.halos[4] = Halo::mirror_negative;
            setup.threads = 1;
            const auto medium = cpu::make_medium(setup, medium_readers(model, model.grid), 1e-3);
            const bool averaged = std::string(interfaces) == "averaged";
            // Sampled, it is midway between the last node above and the first below.
            const double meets = averaged ? interface_nodes : std::floor(interface_nodes) + 0.5;
            for (double z = 0.1; z < 2.5; z += 0.05) {
                if (std::abs(z - meets) < 0.01) continue;
                CAPTURE(interfaces);
                CAPTURE(interface_nodes);
                CAPTURE(z);
                Sources sources;
                sources.place.push_back({15.3, 0., z});
                sources.nodes.first.push_back(0);
                const double expected = z < meets ? water.rho : rock.rho;
                CHECK(source_densities(*medium, sources).front() == doctest::Approx(expected).epsilon(1e-4));
            }
        }
}
