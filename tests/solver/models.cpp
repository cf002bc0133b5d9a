// Every builder makes the medium it describes, the same bits with any number of threads; files fit the grid or are
// refused.
// Takes 6 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <numbers>
#include <omp.h>
#include <set>

#include "io/models/model_file.hpp"
#include "io/text/error.hpp"
#include "kernels/equations/attenuation/relaxation.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/discretisation/scheme.hpp"
#include "solver/model/density.hpp"
#include "solver/model/model.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/quality_factor.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

Config model_config(const std::string& type, std::vector<std::int64_t> shape, std::vector<double> spacing_m,
                    std::vector<double> origin_m = {}) {
    Config config;
    config.grid = {std::move(shape), std::move(spacing_m), std::move(origin_m)};
    config.model.type = type;
    config.model.vp_m_s = 2000.;
    return config;
}

/// The nodes of a 2-D model file whose spacings are the same.
FileGeometry file_in_plane(std::int64_t nx, std::int64_t nz, double spacing_m) {
    return {2, {nx, 1, nz}, {spacing_m, 1., spacing_m}};
}

Grid grid_of(const Config& config) {
    return make_grid(config.grid, config.origin);
}

Scheme scheme_of(const Config& config) {
    return make_scheme(
        config.scheme, config.time.order, grid_of(config),
        [&](const MediumParameter& parameter) { return gives(config.model, parameter, config.origin); }, config.origin);
}

VelocityRange range_of(const Config& config) {
    return velocity_range(config.model, scheme_of(config).equation, grid_of(config), config.origin);
}

Model build(const Config& config) {
    return make_model(config.model, scheme_of(config).equation, grid_of(config), config.origin);
}

const UnsetVector<float>& rho_of(const Model& model) {
    return model.find("rho")->values;
}

std::string build_error(const Config& config) {
    return message_of([&] { static_cast<void>(build(config)); });
}

/// One that is valid, for each row of the table but "file".
Config example(const std::string& type, std::vector<std::int64_t> shape) {
    Config config = model_config(type, std::move(shape), {10.});
    const bool flat = config.grid.shape.size() == 2;
    config.model.layers = {{0., 1500.}, {150., 2000.}, {330., 3000.}};
    config.model.dip_deg = 7.;
    config.model.dip_azimuth_deg = 30.;
    config.model.gradient_per_s = 0.8;
    config.model.correlation_length_m = 60.;
    InclusionConfig sphere;
    sphere.center_m = flat ? std::vector{150., 200.} : std::vector{150., 100., 200.};
    sphere.radius_m = 60.;
    sphere.vp_m_s = 4000.;
    config.model.inclusions = {sphere};
    if (type == "array") {
        const auto arrays = std::make_shared<ModelArrays>();
        const Grid grid = grid_of(config);
        arrays->shape = grid.n;
        for (std::int64_t i = 0; i < grid.points(); ++i)
            arrays->values["vp"].push_back(1500.f + static_cast<float>(i % 1000));
        config.model.arrays = arrays;
    }
    return config;
}

/// Linear in every coordinate, so that trilinear interpolation is exact.
double linear(double x, double y, double z) {
    return 2000. + 0.5 * x + 0.25 * y + 0.75 * z;
}

std::filesystem::path write_linear(const TemporaryFolder& folder, const FileGeometry& g) {
    const auto file = folder.path() / "model.h5";
    write_model_file(
        file, g,
        [&](std::int64_t z, std::span<float> plane) {
            for (std::int64_t y = 0; y < g.shape[1]; ++y)
                for (std::int64_t x = 0; x < g.shape[0]; ++x)
                    plane[y * g.shape[0] + x] = static_cast<float>(linear(g.origin_m[0] + double(x) * g.spacing_m[0],
                                                                          g.origin_m[1] + double(y) * g.spacing_m[1],
                                                                          g.origin_m[2] + double(z) * g.spacing_m[2]));
        },
        "test", true);
    return file;
}

double largest_error(const Model& model, bool flat_in_y) {
    double largest = 0.;
    for (std::int64_t z = 0; z < model.grid.nz(); ++z)
        for (std::int64_t y = 0; y < model.grid.ny(); ++y)
            for (std::int64_t x = 0; x < model.grid.nx(); ++x) {
                const auto p = model.grid.position_m(x, y, z);
                const double exact = linear(p[0], flat_in_y ? 0. : p[1], p[2]);
                largest = std::max(largest, std::abs(double(model.vp().values[model.grid.at(x, y, z)]) - exact));
            }
    return largest;
}

}  // namespace

TEST_CASE("the grid is the one described; 2-D is x and z") {
    Config config = model_config("constant", {40, 30}, {10., 5.}, {100., -20.});
    Grid grid = grid_of(config);
    CHECK(grid.n == std::array<std::int64_t, 3>{40, 1, 30});
    CHECK(grid.position_m(1, 0, 2) == std::array<double, 3>{110., 0., -10.});
    config = model_config("constant", {40, 20, 30}, {10.});
    grid = grid_of(config);
    CHECK(grid.dimensions == 3);
    CHECK(grid.spacing_m == std::array<double, 3>{10., 10., 10.});

    const auto fault = [](std::vector<std::int64_t> shape, std::vector<double> spacing, std::vector<double> origin) {
        return message_of([&] { static_cast<void>(grid_of(model_config("constant", shape, spacing, origin))); });
    };
    CHECK(contains(fault({40}, {10.}, {}), "grid.shape: [40]: must be [nx, nz] or [nx, ny, nz]"));
    CHECK(contains(fault({40, 1}, {10.}, {}), "grid.shape"));
    CHECK(contains(fault({40, 30}, {10., 10., 10.}, {}), "grid.spacing_m: [10, 10, 10]: must be one number or 2"));
    CHECK(contains(fault({40, 30}, {0.}, {}), "must be positive"));
    CHECK(contains(fault({40, 30}, {10.}, {1., 2., 3.}), "grid.origin_m"));
}

TEST_CASE("every builder: same bits with 1, 2 and 3 threads, range as told beforehand, in 2-D and 3-D") {
    const int threads = omp_get_max_threads();
    for (const ModelBuilder& builder : model_builders()) {
        if (builder.name == "file") continue;
        for (const auto& shape : {std::vector<std::int64_t>{37, 41}, {37, 23, 41}}) {
            CAPTURE(builder.name);
            CAPTURE(shape.size());
            const Config config = example(std::string(builder.name), shape);
            omp_set_num_threads(1);
            const Model one = build(config);
            for (const int count : {2, 3}) {
                omp_set_num_threads(count);
                CHECK(build(config).vp().values == one.vp().values);
            }
            omp_set_num_threads(threads);
            CHECK(!one.description.empty());
            CHECK(one.vp().min == *std::min_element(one.vp().values.begin(), one.vp().values.end()));
            CHECK(one.vp().max == *std::max_element(one.vp().values.begin(), one.vp().values.end()));
            CHECK(one.vp().min > 0.f);
            const VelocityRange range = range_of(config);
            CHECK(range.exact);
            CHECK(range.min_m_s == one.vp().min);
            CHECK(range.max_m_s == one.vp().max);
        }
    }
}

TEST_CASE("the range of a large grid is bounded without making it") {
    for (const ModelBuilder& builder : model_builders()) {
        if (builder.name == "file") continue;
        CAPTURE(builder.name);
        const Config large = example(std::string(builder.name), {1500, 1400});
        const Model model = build(large);
        const VelocityRange range = range_of(large);
        CHECK(range.min_m_s <= model.vp().min);
        CHECK(range.max_m_s >= model.vp().max);
        CHECK(range.max_m_s <= 1.01 * model.vp().max);
    }
}

TEST_CASE("sampled layers: interfaces lie where they should, flat and dipping, nodes on one belong below it") {
    Config config = example("layered", {21, 11, 41});
    config.model.interfaces = "sampled";
    config.model.dip_deg = 0.;
    Model model = build(config);
    CHECK(model.vp().values[model.grid.at(3, 2, 14)] == 1500.f);
    CHECK(model.vp().values[model.grid.at(3, 2, 15)] == 2000.f);
    CHECK(model.vp().values[model.grid.at(3, 2, 33)] == 3000.f);

    config.model.dip_deg = std::atan(0.5) * 180. / std::numbers::pi;  // 5 m deeper every 10 m
    for (const bool along_y : {false, true}) {
        config.model.dip_azimuth_deg = along_y ? 90. : 0.;
        model = build(config);
        for (std::int64_t i = 0; i < 10; ++i) {
            const auto vp = [&](std::int64_t z) {
                return model.vp().values[model.grid.at(along_y ? 3 : i, along_y ? i : 3, z)];
            };
            const std::int64_t first = 15 + (i + 1) / 2;  // first node at or below 150 + 5 i
            CHECK(vp(first - 1) == 1500.f);
            CHECK(vp(first) == 2000.f);
        }
    }
    config.model.layers[1].top_m = 400.;
    CHECK(contains(build_error(config), "model.layers[2].top_m: must lie below the top of the layer above, 400"));
    config.model.layers = {};
    CHECK(contains(build_error(config), "model.layers: there is no layer"));
}

TEST_CASE("gradient, constant and inclusions") {
    Config config = example("gradient", {11, 21});
    config.grid.origin_m = {0., 500.};
    CHECK(build(config).vp().values[11 * 20] ==
          doctest::Approx(2000. + 0.8 * 200.));  // from the grid's top, wherever that is
    config.model.gradient_per_s = -20.;
    CHECK(contains(build_error(config), "model.gradient_per_s: -20 1/s makes -2000 m/s at the bottom"));
    config = example("constant", {11, 21});
    CHECK(build(config).vp().max == 2000.f);
    config.model.vp_m_s = 0.;
    CHECK(contains(build_error(config), "model.vp_m_s: 0 m/s: must be positive"));

    config = example("inclusions", {31, 21, 41});
    config.model.interfaces = "sampled";
    InclusionConfig box;
    box.shape = "box";
    box.center_m = {250., 100., 300.};
    box.size_m = {40., 60., 20.};
    box.vp_m_s = 5000.;
    config.model.inclusions.push_back(box);
    const Model model = build(config);
    std::int64_t in_box = 0, in_sphere = 0;
    for (const float vp : model.vp().values) {
        in_box += vp == 5000.f;
        in_sphere += vp == 4000.f;
    }
    CHECK(in_box == 5 * 7 * 3);
    CHECK(in_sphere == 925);  // integer points within radius 6
    CHECK(model.vp().values[model.grid.at(15, 10, 26)] == 4000.f);
    CHECK(model.vp().values[model.grid.at(15, 10, 27)] == 2000.f);
    config.model.inclusions[1].size_m = {40., 60.};
    CHECK(contains(build_error(config), "model.inclusions[1].size_m: has 2 numbers"));
    config.model.inclusions[1].shape = "cone";
    CHECK(contains(build_error(config), "model.inclusions[1].shape: 'cone': must be one of sphere, box"));
    config.model.inclusions[0].radius_m = -1.;
    CHECK(contains(build_error(config), "model.inclusions[0].radius_m"));
    config.model.type = "marble";
    CHECK(contains(build_error(config), "model.type: 'marble': must be one of file, constant, layered"));
}

TEST_CASE("von Karman: mean, deviation and correlation are those asked for; seeds differ") {
    Config config = model_config("von_karman", {700, 700}, {10.});
    config.model.correlation_length_m = 80.;
    config.model.deviation_percent = 5.;
    for (const double hurst : {0.2, 0.5, 1.}) {
        CAPTURE(hurst);
        config.model.hurst_exponent = hurst;
        const Model model = build(config);
        const std::int64_t n = 700;
        std::vector<double> u;  // in standard deviations
        double mean = 0.;
        for (const float vp : model.vp().values) mean += u.emplace_back((double(vp) / 2000. - 1.) / 0.05);
        mean /= double(u.size());
        const auto correlation = [&](std::int64_t lag_x, std::int64_t lag_z) {
            double sum = 0.;
            std::int64_t count = 0;
            for (std::int64_t z = 0; z + lag_z < n; ++z)
                for (std::int64_t x = 0; x + lag_x < n; ++x, ++count)
                    sum += u[z * n + x] * u[(z + lag_z) * n + x + lag_x];
            return sum / double(count);
        };
        CHECK(std::abs(mean) <= 0.1);
        CHECK(std::abs(correlation(0, 0) - 1.) <= 0.08);
        for (const std::int64_t lag : {2, 4, 8, 16, 32}) {
            CAPTURE(lag);
            const double r = 10. * double(lag) / 80.;
            const double theory =
                std::pow(2., 1. - hurst) / std::tgamma(hurst) * std::pow(r, hurst) * std::cyl_bessel_k(hurst, r);
            CHECK(std::abs(correlation(lag, 0) - theory) <= 0.08);
            CHECK(std::abs(correlation(0, lag) - theory) <= 0.08);
        }
        CHECK(model.vp().min >= 2000.f * 0.85f);
        CHECK(model.vp().max <= 2000.f * 1.15f);
    }
    config = example("von_karman", {30, 30, 30});
    const auto first = build(config).vp().values;
    config.model.seed = 2;
    CHECK(build(config).vp().values != first);
    config.model.deviation_percent = 40.;
    CHECK(contains(build_error(config), "model.deviation_percent: 40 %: must be 0 to 30 %"));
}

TEST_CASE("geology: water above sediments above salt, in every seed; layers by the dozen") {
    for (const std::int64_t seed : {1, 2, 3, 17}) {
        Config config = model_config("geology", {201, 101}, {10.});
        config.model.seed = seed;
        config.model.interfaces = "sampled";
        const Model model = build(config);
        CAPTURE(seed);
        CHECK(model.vp().min == 1500.f);
        CHECK(model.vp().max == 4480.f);
        std::int64_t salt = 0, water = 0, jumps = 0;
        for (std::int64_t x = 0; x < 201; ++x) {
            CHECK(model.vp().values[x] == 1500.f);
            CHECK(model.vp().values[model.grid.at(x, 0, 100)] > 2000.f);
        }
        for (std::int64_t z = 0; z < 101; ++z) {
            for (std::int64_t x = 0; x < 201; ++x) {
                const float vp = model.vp().values[model.grid.at(x, 0, z)];
                salt += vp == 4480.f;
                water += vp == 1500.f;
                CHECK((vp == 1500.f || vp == 4480.f || (vp >= 1600.f && vp <= 4200.f)));
            }
            if (z > 0)
                jumps += std::abs(model.vp().values[model.grid.at(20, 0, z)] -
                                  model.vp().values[model.grid.at(20, 0, z - 1)]) > 40.f;
        }
        CHECK(double(salt) / 20301. > 0.04);
        CHECK(double(salt) / 20301. < 0.3);
        CHECK(double(water) / 20301. > 0.04);
        CHECK(double(water) / 20301. < 0.2);
        CHECK(jumps >= 8);
    }
    // The section is the same at every resolution.
    const auto section = [](std::vector<std::int64_t> shape, double spacing_m) {
        Config config = model_config("geology", std::move(shape), {spacing_m});
        config.model.interfaces = "sampled";
        return build(config);
    };
    const Model coarse = section({101, 41, 51}, 20.), fine = section({201, 81, 101}, 10.);
    for (const auto& p : {std::array<std::int64_t, 3>{7, 20, 30}, {66, 20, 30}, {30, 10, 44}})
        CHECK(coarse.vp().values[coarse.grid.at(p[0], p[1], p[2])] ==
              fine.vp().values[fine.grid.at(2 * p[0], 2 * p[1], 2 * p[2])]);
}

namespace {

/// The squared slowness of a medium on a grid that divides each cell of `coarse` into parts^dimensions, averaged over
/// the cell of a node, and its mean density, 0 without.
std::array<double, 2> mean_of_fine(const Config& coarse, const Grid& grid, std::array<std::int64_t, 3> node,
                                   int parts) {
    Config fine = coarse;
    fine.model.interfaces = "sampled";
    fine.grid.shape.assign(coarse.grid.shape.size(), parts);
    fine.grid.spacing_m.clear();
    fine.grid.origin_m.clear();
    const auto p = grid.position_m(node[0], node[1], node[2]);
    std::array<double, 3> first = p;
    for (const int a : {0, 1, 2}) {
        if (!grid.has_axis(a)) continue;
        const double h = grid.spacing_m[std::size_t(a)];
        first[std::size_t(a)] += 0.5 * h / parts - 0.5 * h;
        fine.grid.spacing_m.push_back(h / parts);
        fine.grid.origin_m.push_back(first[std::size_t(a)]);
    }
    // Dips are from the first node of a grid on.
    const double radians = std::numbers::pi / 180., slope = std::tan(fine.model.dip_deg * radians);
    const double azimuth = fine.model.dip_azimuth_deg * radians;
    for (LayerConfig& layer : fine.model.layers)
        layer.top_m +=
            slope * (std::cos(azimuth) * first[0] + (grid.dimensions == 3 ? std::sin(azimuth) * first[1] : 0.));
    const Model model = build(fine);
    const ParameterValues* const rho = model.find("rho");
    double compliance = 0., density = 0., slowest = 1e9;
    for (std::size_t i = 0; i < model.vp().values.size(); ++i) {
        const double of_rho = rho != nullptr ? double(rho->values[i]) : 1., vp = model.vp().values[i];
        compliance += 1. / (of_rho * vp * vp);
        density += of_rho;
        slowest = std::min(slowest, vp);
    }
    const auto count = double(model.vp().values.size());
    const double modulus = count / compliance, mean = std::min(density / count, modulus / (slowest * slowest));
    return {std::sqrt(modulus / mean), rho != nullptr ? mean : 0.};
}

}  // namespace

TEST_CASE("an averaged node has the mean compliance and density of its cell") {
    for (const bool dense : {false, true})
        for (const bool flat : {false, true}) {
            Config layers =
                example("layered", flat ? std::vector<std::int64_t>{21, 41} : std::vector<std::int64_t>{21, 11, 41});
            layers.grid.spacing_m = flat ? std::vector{10., 6.} : std::vector{10., 8., 6.};
            layers.model.layers[1].top_m = 123.4;
            layers.model.layers[2].top_m = 126.;  // thinner than a cell
            Config bodies = example("inclusions", layers.grid.shape);
            InclusionConfig box;
            box.shape = "box";
            box.center_m = flat ? std::vector{101., 171.} : std::vector{101., 43., 171.};
            box.size_m = flat ? std::vector{43., 61.} : std::vector{43., 37., 61.};
            box.vp_m_s = 3000.;
            bodies.model.inclusions.push_back(box);
            if (dense) {
                for (std::size_t i = 0; i < 3; ++i) layers.model.layers[i].rho_kg_m3 = 1000. + 600. * double(i);
                bodies.model.rho_kg_m3 = 1000.;
                bodies.model.inclusions[0].rho_kg_m3 = 2600.;
            }
            for (const Config& config : {layers, bodies})
                for (const double dip : {0., 7., -60.}) {
                    Config dipping = config;
                    dipping.model.dip_deg = dip;
                    dipping.model.dip_azimuth_deg = 30.;
                    const Model model = build(dipping);
                    CAPTURE(config.model.type);
                    CAPTURE(flat);
                    CAPTURE(dense);
                    CAPTURE(dip);
                    // Points stand for bodies, in 3-D 4 along an axis: half a part of a contrast of 10. The reference
                    // has 20 or 40, of which a flat interface cuts all at once.
                    const double tolerance = config.model.type != "layered" ? 0.1 : dip == 0. ? 0.02 : 2e-3;
                    std::int64_t mixed = 0;
                    double largest = 0., largest_rho = 0.;
                    for (std::int64_t i = 0; i < model.grid.points() && mixed < 60; ++i) {
                        const float found = model.vp().values[i];
                        const bool is_mixed = found != 1500.f && found != 2000.f && found != 3000.f && found != 4000.f;
                        mixed += is_mixed;
                        if (!is_mixed && i % 101 != 0) continue;
                        const auto [vp, rho] = mean_of_fine(dipping, model.grid, model.grid.node(i), flat ? 40 : 20);
                        largest = std::max(largest, std::abs(double(found) / vp - 1.));
                        if (dense) largest_rho = std::max(largest_rho, std::abs(double(rho_of(model)[i]) / rho - 1.));
                    }
                    CHECK(largest <= tolerance);
                    CHECK(largest_rho <= tolerance);
                    CHECK(mixed > 10);
                }
        }
}

TEST_CASE("averaged earths keep their compliance from top to bottom, whatever the spacing") {
    std::string type;
    const auto vertical_compliance = [&type](double spacing_m, const char* interfaces, std::int64_t column) {
        const auto n = [spacing_m](double extent_m) { return std::int64_t(std::lround(extent_m / spacing_m)) + 1; };
        Config config = model_config(type, {n(2000.), n(1000.)}, {spacing_m});
        config.model.interfaces = interfaces;
        const Model model = build(config);
        double sum = 0.;
        for (std::int64_t z = 0; z < model.grid.nz(); ++z) {
            const double vp = model.vp().values[model.grid.at(column * std::lround(20. / spacing_m), 0, z)];
            sum += spacing_m * (z == 0 || z + 1 == model.grid.nz() ? 0.5 : 1.) / (vp * vp);
        }
        return sum;
    };
    for (const char* earth : {"geology", "thrust_belt", "salt_basin"}) {
        type = earth;
        CAPTURE(type);
        double averaged = 0., sampled = 0.;
        for (std::int64_t column = 5; column < 95; column += 6) {
            const double exact = vertical_compliance(2., "sampled", column);
            averaged = std::max(averaged, std::abs(vertical_compliance(20., "averaged", column) / exact - 1.));
            sampled = std::max(sampled, std::abs(vertical_compliance(20., "sampled", column) / exact - 1.));
        }
        CHECK(averaged < 0.5 * sampled);
    }
}

TEST_CASE("thrust_belt: a cover, old beds brought up by thrusts, and a basement, in every seed, in 2-D and 3-D") {
    for (const bool flat : {true, false})
        for (const std::int64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
            CAPTURE(seed);
            Config config = model_config(
                "thrust_belt", flat ? std::vector<std::int64_t>{201, 107} : std::vector<std::int64_t>{101, 41, 54},
                {flat ? 25. : 50.});
            config.model.seed = seed;
            const Model model = build(config);
            const Grid& grid = model.grid;
            CHECK(model.vp().min >= 2300.f);
            CHECK(model.vp().max == 5700.f);
            const auto vp = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                return double(model.vp().values[static_cast<std::size_t>(grid.at(x, y, z))]);
            };
            double foreland = 0., hinterland = 0.;  // above the detachment, below the cover
            for (std::int64_t y = 0; y < grid.ny(); ++y)
                for (std::int64_t x = 0; x < grid.nx(); ++x) {
                    CHECK(vp(x, y, 0) == 2500.);
                    CHECK(vp(x, y, grid.nz() - 1) > 5000.);
                    for (std::int64_t z = grid.nz() / 4; z < grid.nz() / 2; ++z) {
                        if (x < grid.nx() / 8) foreland += vp(x, y, z);
                        if (grid.nx() - 1 - x < grid.nx() / 8) hinterland += vp(x, y, z);
                    }
                }
            CHECK(hinterland > 1.04 * foreland);
        }
}

TEST_CASE("salt_basin: water, a salt body that hangs over sediments and touches no side, in every seed") {
    for (const bool flat : {true, false})
        for (const std::int64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
            CAPTURE(seed);
            Config config = model_config(
                "salt_basin", flat ? std::vector<std::int64_t>{201, 107} : std::vector<std::int64_t>{101, 71, 54},
                {flat ? 25. : 50.});
            config.model.seed = seed;
            const Model model = build(config);
            const Grid& grid = model.grid;
            CHECK(model.vp().min == 1500.f);
            CHECK(model.vp().max == 4480.f);
            std::int64_t columns = 0, overhanging = 0;
            for (std::int64_t y = 0; y < grid.ny(); ++y)
                for (std::int64_t x = 0; x < grid.nx(); ++x) {
                    const auto is_salt = [&](std::int64_t z) {
                        return model.vp().values[static_cast<std::size_t>(grid.at(x, y, z))] == 4480.f;
                    };
                    CHECK(model.vp().values[static_cast<std::size_t>(grid.at(x, y, 0))] == 1500.f);
                    bool has_salt = false, hangs = false;
                    for (std::int64_t z = 1; z < grid.nz() * 3 / 4; ++z) {
                        has_salt = has_salt || is_salt(z);
                        hangs = hangs || (has_salt && !is_salt(z));
                    }
                    columns += has_salt ? 1 : 0;
                    overhanging += hangs ? 1 : 0;
                    const bool at_side = x == 0 || x == grid.nx() - 1 || (!flat && (y == 0 || y == grid.ny() - 1));
                    if (at_side) CHECK(!has_salt);
                }
            const double share = double(columns) / double(grid.nx() * grid.ny());
            CHECK(share > 0.1);
            CHECK(share < 0.7);
            CHECK(double(overhanging) > 0.3 * double(columns));
        }
}

TEST_CASE("a model file: as it is, cropped, resampled, extruded") {
    const TemporaryFolder folder;
    Config config = model_config("file", {41, 21, 31}, {10., 20., 5.}, {100., -200., 0.});
    config.model.file = write_linear(folder, {3, {41, 21, 31}, {10., 20., 5.}, {100., -200., 0.}});
    Model model = build(config);
    CHECK(largest_error(model, false) <= 1e-3);
    CHECK(range_of(config).min_m_s == doctest::Approx(model.vp().min));
    CHECK(range_of(config).max_m_s == doctest::Approx(model.vp().max));

    config.grid = {{11, 8, 9}, {20., 20., 10.}, {120., -160., 20.}};
    CHECK(contains(build_error(config),
                   "shape [41, 21, 31], spacing [10, 20, 5] m, origin [100, -200, 0] m, but the grid has "
                   "shape [11, 8, 9], spacing [20, 20, 10] m, origin [120, -160, 20] m"));
    CHECK(contains(build_error(config), "model.resample: true"));
    config.model.resample = true;
    config.model.interfaces = "sampled";
    model = build(config);
    CHECK(largest_error(model, false) <= 1e-3);
    CHECK(contains(model.description, "resampled from shape [41, 21, 31]"));
    CHECK(model.warnings.size() == 2u);  // twice finer along x and z
    CHECK(!range_of(config).exact);
    CHECK(range_of(config).max_m_s >= model.vp().max);

    config.grid = {{37, 29, 43}, {7.3, 11.1, 2.9}, {103.7, -187.3, 1.1}};
    CHECK(largest_error(build(config), false) <= 2e-3);
    config.grid.origin_m[1] = -207.3;
    CHECK(contains(build_error(config), "covers y = -200 to 200 m, but the grid reaches from -207.3"));

    // A file on the grid's nodes is copied bit for bit, also as a crop.
    config.grid = {{20, 21, 31}, {10., 20., 5.}, {200., -200., 0.}};
    const Model crop = build(config);
    Config whole = model_config("file", {41, 21, 31}, {10., 20., 5.}, {100., -200., 0.});
    whole.model.file = config.model.file;
    const Model all = build(whole);
    bool same = true;
    for (std::int64_t z = 0; z < 31; ++z)
        for (std::int64_t x = 0; x < 20; ++x)
            same = same && crop.vp().values[crop.grid.at(x, 4, z)] == all.vp().values[all.grid.at(x + 10, 4, z)];
    CHECK(same);
}

TEST_CASE("2-D files: read into 2-D grids, extruded into 3-D where asked, dimensions that clash are refused") {
    const TemporaryFolder folder;
    Config config = model_config("file", {41, 31}, {10., 5.});
    config.model.file = write_linear(folder, {2, {41, 1, 31}, {10., 1., 5.}, {0., 0., 0.}});
    CHECK(largest_error(build(config), true) <= 1e-3);
    config.model.extrude = true;
    CHECK(contains(build_error(config), "model.extrude"));

    config.grid = {{41, 9, 31}, {10., 30., 5.}, {}};
    Model model = build(config);
    CHECK(largest_error(model, true) <= 1e-3);
    CHECK(model.vp().values[model.grid.at(3, 0, 7)] == model.vp().values[model.grid.at(3, 8, 7)]);
    config.model.extrude = false;
    CHECK(contains(build_error(config), "is 2-D but the grid is 3-D: set model.extrude: true"));
    config.model.extrude = config.model.resample = true;
    config.grid = {{33, 9, 21}, {9., 30., 4.5}, {}};
    CHECK(largest_error(build(config), true) <= 1e-3);

    config.model.file = write_linear(folder, {3, {9, 9, 9}, {10., 10., 10.}, {0., 0., 0.}});
    config.grid = {{9, 9}, {10.}, {}};
    config.model.extrude = false;
    CHECK(contains(build_error(config), "is 3-D but the grid is 2-D"));
    config.model.file = folder.path() / "none.h5";
    CHECK(contains(build_error(config), "none.h5"));
}

TEST_CASE("layers and bodies have the densities they are given, or that of the model") {
    Config layered = model_config("layered", {3, 40}, {10.});
    layered.model.layers = {{0., 1500., 1000.}, {150., 2000., std::nullopt}, {330., 3000., 2400.}};
    CHECK(contains(build_error(layered), "model.layers[1]: has no rho_kg_m3, but others have"));
    layered.model.rho_kg_m3 = 2000.;
    const Model model = build(layered);
    const auto rho = [&model](std::int64_t z) {
        return rho_of(model)[static_cast<std::size_t>(model.grid.at(1, 0, z))];
    };
    CHECK(rho(0) == 1000.f);
    CHECK(rho(15) == 1500.f);  // half of each
    CHECK(rho(16) == 2000.f);
    CHECK(rho(34) == 2400.f);
    CHECK(model.find("rho")->min == 1000.f);
    CHECK(model.find("rho")->max == 2400.f);
    CHECK(scheme_of(layered).equation == Equation::variable_density);

    Config bodies = example("inclusions", {40, 40});
    bodies.model.inclusions[0].rho_kg_m3 = 2600.;
    CHECK(contains(build_error(bodies), "model.inclusions: some have rho_kg_m3, but what surrounds them has none"));
    bodies.model.rho_kg_m3 = 2100.;
    const Model around = build(bodies);
    CHECK(rho_of(around)[static_cast<std::size_t>(around.grid.at(0, 0, 0))] == 2100.f);
    CHECK(rho_of(around)[static_cast<std::size_t>(around.grid.at(15, 0, 20))] == 2600.f);
}

TEST_CASE("a density that is the same everywhere, or not wanted, takes the fast path") {
    Config config = model_config("layered", {3, 40}, {10.});
    config.model.layers = {{0., 1500.}, {150., 2000.}};
    config.model.rho_kg_m3 = 2000.;
    CHECK(scheme_of(config).equation == Equation::star);
    CHECK(build(config).find("rho") == nullptr);
    config.model.layers[0].rho_kg_m3 = 1000.;
    CHECK(scheme_of(config).equation == Equation::variable_density);
    config.model.rho = "none";
    for (const std::optional<double> given : {std::optional(2000.), std::optional<double>()}) {
        config.model.rho_kg_m3 = given;  // without it, the second layer has no density
        CHECK(scheme_of(config).equation == Equation::star);
        CHECK(build(config).find("rho") == nullptr);
    }
    Config bodies = example("inclusions", {40, 40});
    bodies.model.inclusions[0].rho_kg_m3 = 2600.;
    bodies.model.rho = "none";
    CHECK(build(bodies).find("rho") == nullptr);
}

TEST_CASE("Gardner's relation makes a density of any model, and contradicts a given one") {
    for (const std::string type :
         {"constant", "layered", "gradient", "inclusions", "von_karman", "geology", "thrust_belt", "salt_basin"}) {
        Config config = example(type, {30, 40});
        config.model.rho = "gardner";
        CHECK(scheme_of(config).equation == Equation::variable_density);
        const Model model = build(config);
        REQUIRE(rho_of(model).size() == model.vp().values.size());
        for (std::size_t i = 0; i < model.vp().values.size(); ++i)
            CHECK(rho_of(model)[i] == doctest::Approx(310. * std::pow(double(model.vp().values[i]), 0.25)));
    }
    CHECK(gardner_density(4000.f) == doctest::Approx(2465.).epsilon(1e-3));
    Config both = example("layered", {30, 40});
    both.model.rho = "gardner";
    both.model.layers[0].rho_kg_m3 = 2000.;
    CHECK(contains(message_of([&] { static_cast<void>(scheme_of(both)); }), "remove one"));
    both.model.layers[0].rho_kg_m3.reset();
    both.scheme.stencil = "compact27";
    CHECK(contains(message_of([&] { static_cast<void>(scheme_of(both)); }), "compact27 is for constant density"));
}

TEST_CASE("odd densities are warned of") {
    Config config = model_config("layered", {3, 40}, {10.});
    config.model.layers = {{0., 1500., 1.}, {150., 2000., 2.4}};
    REQUIRE(build(config).warnings.size() == 1);
    CHECK(contains(build(config).warnings[0], "look like g/cm3"));
    config.model.layers = {{0., 1500., 1.2}, {150., 2000., 2400.}};
    CHECK(build(config).warnings.empty());  // that dt may be too long is said where dt is chosen: tests/solver/plan.cpp
}

TEST_CASE(
    "layers, bodies and models have the Q they are given, or one by a rule; a cell has the mean of what is lost") {
    const auto q_at = [](const Model& model, std::int64_t x, std::int64_t z) {
        return model.find("q")->values[static_cast<std::size_t>(model.grid.at(x, 0, z))];
    };
    Config layered = model_config("layered", {3, 40}, {10.});
    layered.model.layers = {{0., 1500., {}, 1e5}, {150., 2000.}, {330., 3000., {}, 100.}};
    CHECK(contains(build_error(layered), "model.layers[1]: has no q, but others have"));
    layered.model.q = 25.;
    CHECK(scheme_of(layered).equation == Equation::attenuation);
    const Model model = build(layered);
    CHECK(q_at(model, 1, 0) == 1e5f);
    CHECK(q_at(model, 1, 15) == doctest::Approx(2. / (1e-5 + 1. / 25.)));  // half of each
    CHECK(q_at(model, 1, 16) == 25.f);
    CHECK(q_at(model, 1, 34) == 100.f);
    CHECK(told_range(layered.model, kQ, range_of(layered))->min == 25.);
    CHECK(told_range(layered.model, kQ, range_of(layered))->max == 1e5);
    layered.model.q_rule = "none";
    CHECK(scheme_of(layered).equation == Equation::star);

    Config bodies = example("inclusions", {40, 40});
    bodies.model.inclusions[0].q = 30.;
    bodies.model.q = 200.;
    bodies.model.rho = "gardner";
    CHECK(scheme_of(bodies).equation == Equation::attenuation_density);
    CHECK(q_at(build(bodies), 0, 0) == 200.f);
    CHECK(q_at(build(bodies), 15, 20) == 30.f);

    for (const std::string type : {"constant", "gradient", "von_karman", "geology"}) {
        CAPTURE(type);
        Config config = example(type, {30, 20});
        config.model.q = 70.;
        CHECK(build(config).find("q")->min == 70.f);
        CHECK(build(config).find("q")->max == 70.f);
        config.model.q.reset();
        config.model.q_rule = "li";
        const Model by_rule = build(config);
        const float vp = by_rule.vp().values[7];
        CHECK(by_rule.find("q")->values[7] == doctest::Approx(3.516e-6 * std::pow(double(vp), 2.2)));
    }
}

TEST_CASE("the Q of a model file is read, resampled as vp is, and its range told before; one more contradicts it") {
    const TemporaryFolder folder;
    const FileGeometry geometry = file_in_plane(21, 31, 20.);
    const auto plane = [](double value, double slope) {
        return [=](std::int64_t z, std::span<float> values) {
            std::ranges::fill(values, static_cast<float>(value + slope * double(z)));
        };
    };
    const auto file = folder.path() / "model.h5";
    write_model_file(file, geometry, plane(2000., 1.), "test", false, {{quantity_of(kQ), plane(20., 2.)}});
    Config config = model_config("file", {41, 61}, {10.});
    config.model.file = file;
    config.model.resample = true;
    CHECK(scheme_of(config).equation == Equation::attenuation);
    CHECK(told_range(config.model, kQ, range_of(config))->min == 20.);
    CHECK(told_range(config.model, kQ, range_of(config))->max == 80.);
    CHECK(build(config).find("q")->values[3 * 41] == doctest::Approx(2. / (1. / 22. + 1. / 24.)));
    CHECK(build(config).find("q")->values[4 * 41] == 24.f);
    config.model.q = 50.;
    CHECK(contains(build_error(config), "the model has its own q at every node"));
}

namespace {

float value_at(const Model& model, const char* parameter, std::int64_t x, std::int64_t z) {
    return model.find(parameter)->values[static_cast<std::size_t>(model.grid.at(x, 0, z))];
}

/// Planes of a file, [y][x], with one value each.
Plane ramp(double value, double slope) {
    return [=](std::int64_t z, std::span<float> values) {
        std::ranges::fill(values, static_cast<float>(value + slope * static_cast<double>(z)));
    };
}

}  // namespace

TEST_CASE("layers, bodies and models have the epsilon and delta they are given, or 0; a cell has their means") {
    Config layered = model_config("layered", {3, 40}, {10.});
    layered.model.layers = {{0., 1500.}, {150., 2000., {}, {}, 0.2, 0.1}, {330., 3000., {}, {}, 0.1}};
    CHECK(scheme_of(layered).equation == Equation::vti);
    const Model model = build(layered);
    CHECK(value_at(model, "epsilon", 1, 0) == 0.f);
    CHECK(value_at(model, "epsilon", 1, 15) == doctest::Approx(0.1));  // half of each
    CHECK(value_at(model, "delta", 1, 15) == doctest::Approx(0.05));
    CHECK(value_at(model, "delta", 1, 16) == 0.1f);
    CHECK(value_at(model, "epsilon", 1, 34) == 0.1f);
    CHECK(value_at(model, "delta", 1, 34) == 0.f);
    CHECK(told_range(layered.model, kEpsilon, range_of(layered))->min == 0.);
    CHECK(told_range(layered.model, kEpsilon, range_of(layered))->max == doctest::Approx(0.2));
    CHECK(told_range(layered.model, kDelta, range_of(layered))->max == doctest::Approx(0.1));
    for (const bool by_wavelengths : {false, true}) {
        Config smooth = layered;
        smooth.model.layers[2].delta = 0.1;  // as much as epsilon is: rounding must not make it more
        smooth.model.smooth_m = by_wavelengths ? 0. : 40.;
        smooth.model.smooth_wavelengths = by_wavelengths ? 0.3 : 0.;
        smooth.model.smooth_frequency_hz = 10.;
        const Model smoothed = build(smooth);
        for (std::size_t i = 0; i < smoothed.vp().values.size(); ++i)
            REQUIRE(smoothed.find("delta")->values[i] <= smoothed.find("epsilon")->values[i]);
        CHECK(value_at(smoothed, "epsilon", 1, 13) > 0.01f);
    }
    layered.model.anisotropy = "none";
    CHECK(scheme_of(layered).equation == Equation::star);

    Config bodies = example("inclusions", {40, 40});
    bodies.model.inclusions[0].epsilon = 0.3;
    bodies.model.delta = -0.1;
    CHECK(value_at(build(bodies), "epsilon", 0, 0) == 0.f);
    CHECK(value_at(build(bodies), "delta", 0, 0) == -0.1f);
    CHECK(value_at(build(bodies), "epsilon", 15, 20) == 0.3f);
    CHECK(told_range(bodies.model, kDelta, range_of(bodies))->max == doctest::Approx(-0.1));

    for (const std::string type : {"constant", "gradient", "von_karman", "geology", "array"}) {
        CAPTURE(type);
        Config config = example(type, {30, 20});
        config.model.layers.clear();
        config.model.inclusions.clear();
        config.model.epsilon = 0.1;
        const Model uniform = build(config);
        CHECK(uniform.find("epsilon")->min == 0.1f);
        CHECK(uniform.find("epsilon")->max == 0.1f);
        CHECK(uniform.find("delta")->max == 0.f);
        CHECK(told_range(config.model, kEpsilon, range_of(config))->max == doctest::Approx(0.1));
    }
}

TEST_CASE("sediments of any model become shales by their velocity; water and salt stay isotropic") {
    for (const std::string type : {"geology", "salt_basin", "thrust_belt"}) {
        CAPTURE(type);
        Config config = example(type, {60, 50});
        config.model.layers.clear();
        config.model.inclusions.clear();
        config.model.anisotropy = "shales";
        CHECK(scheme_of(config).equation == Equation::vti);
        const Model model = build(config);
        for (std::size_t i = 0; i < model.vp().values.size(); ++i) {
            const double vp = model.vp().values[i], epsilon = model.find("epsilon")->values[i];
            const double expected = vp <= 1600. || vp >= 4000. ? 0.
                                    : vp < 2200.               ? 0.2 * (vp - 1600.) / 600.
                                    : vp <= 3200.              ? 0.2
                                                               : 0.2 * (4000. - vp) / 800.;
            REQUIRE(epsilon == doctest::Approx(expected).epsilon(1e-5));
            REQUIRE(model.find("delta")->values[i] == doctest::Approx(0.5 * epsilon).epsilon(1e-5));
        }
        const auto told = told_range(config.model, kEpsilon, range_of(config));
        CHECK(told->min <= model.find("epsilon")->min);
        CHECK(told->max >= model.find("epsilon")->max);
        CHECK(contains(model.description, "epsilon 0 to 0.2 (shales)"));
        config.model.epsilon = 0.1;
        CHECK(contains(build_error(config), "model.anisotropy: shales makes epsilon and delta from vp"));
    }
}

TEST_CASE("delta is at most epsilon: more is refused where it is written, or lowered") {
    Config layered = model_config("layered", {3, 40}, {10.});
    layered.model.layers = {{0., 1500.}, {150., 2000., {}, {}, 0.2, 0.3}};
    CHECK(contains(build_error(layered), "model.layers[1].delta: delta = 0.3 is more than epsilon = 0.2"));
    CHECK(contains(build_error(layered), "model.clip_delta: true"));
    layered.model.clip_delta = true;
    CHECK(value_at(build(layered), "delta", 1, 20) == 0.2f);
    CHECK(told_range(layered.model, kDelta, range_of(layered))->max == doctest::Approx(0.2));

    Config uniform = example("constant", {30, 20});
    uniform.model.layers.clear();
    uniform.model.inclusions.clear();
    uniform.model.delta = 0.05;
    CHECK(contains(build_error(uniform), "model.delta: delta = 0.05 is more than epsilon = 0:"));
    uniform.model.clip_delta = true;
    CHECK(build(uniform).find("delta")->max == 0.f);

    Config arrays = example("array", {30, 20});
    arrays.model.layers.clear();
    arrays.model.inclusions.clear();
    auto given = std::make_shared<ModelArrays>(*arrays.model.arrays);
    given->values["epsilon"].assign(600, 0.1f);
    given->values["delta"].assign(600, 0.1f);
    given->values["delta"][5 * 30 + 2] = 0.12f;
    given->values["delta"][7 * 30 + 4] = 0.15f;
    given->values["delta"][8 * 30 + 4] = 0.100001f;  // rounding
    arrays.model.arrays = given;
    CHECK(
        contains(build_error(arrays),
                 "array: delta is more than epsilon at 2 of 600 nodes, by most at (40, 0, 70) m, where epsilon is 0.1 "
                 "and delta 0.15"));
    arrays.model.clip_delta = true;
    const Model lowered = build(arrays);
    CHECK(lowered.find("delta")->max == 0.1f);
    CHECK(lowered.notes == std::vector<std::string>{"delta was lowered to epsilon at 2 of 600 nodes"});
}

TEST_CASE("anisotropy beside what its equation does not have is refused by name") {
    Config config = model_config("layered", {30, 40}, {10.});
    config.model.layers = {{0., 1500., 1000.}, {150., 2000., 2000., {}, 0.2, 0.1}};
    CHECK(contains(
        build_error(config),
        "the equation vti has no rho (density), which the model gives: leave it out, or take model.rho: none"));
    config.model.rho = "none";
    CHECK(scheme_of(config).equation == Equation::vti);
    config.model.q = 50.;
    CHECK(contains(build_error(config),
                   "the equation vti has no q (quality factor), which the model gives: leave it "
                   "out, or take model.q_rule: none"));
    config.model.q.reset();
    config.scheme.stencil = "compact27";
    config.scheme.space_order = 2;
    const std::string compact = build_error(config);
    CHECK(contains(compact, "the equation compact27 has no epsilon"));
    CHECK(contains(compact, "model.anisotropy: none"));
    CHECK(!contains(compact, "has no delta"));  // of one key one is named
    config.scheme = {};
    config.time.order = 4;
    CHECK(contains(build_error(config), "4 is not available for the equation vti"));
}

TEST_CASE("epsilon and delta of a model file are read and resampled; of one alone the other is 0") {
    const TemporaryFolder folder;
    const FileGeometry geometry = file_in_plane(21, 31, 20.);
    const auto file = folder.path() / "model.h5";
    Config config = model_config("file", {41, 61}, {10.});
    config.model.file = file;
    config.model.resample = true;
    write_model_file(file, geometry, ramp(2000., 1.), "test", false, {{quantity_of(kEpsilon), ramp(0., 0.01)}});
    CHECK(scheme_of(config).equation == Equation::vti);
    CHECK(value_at(build(config), "epsilon", 0, 3) == doctest::Approx(0.015));
    CHECK(build(config).find("delta")->max == 0.f);
    CHECK(told_range(config.model, kEpsilon, range_of(config))->max == doctest::Approx(0.3));
    CHECK(told_range(config.model, kDelta, range_of(config))->max == 0.);
    config.model.delta = -0.1;
    CHECK(build(config).find("delta")->max == -0.1f);
    config.model.epsilon = 0.1;
    CHECK(contains(build_error(config), "the model has its own epsilon at every node"));
    config.model.epsilon.reset();
    config.model.delta.reset();

    write_model_file(file, geometry, ramp(2000., 1.), "test", true,
                     {{quantity_of(kEpsilon), ramp(0., 0.01)}, {quantity_of(kDelta), ramp(-0.2, 0.012)}});
    CHECK(value_at(build(config), "delta", 0, 3) == doctest::Approx(-0.182));
    CHECK(told_range(config.model, kDelta, range_of(config))->min == doctest::Approx(-0.2));
    write_model_file(file, geometry, ramp(2000., 1.), "test", true, {{quantity_of(kDelta), ramp(0., 0.01)}});
    CHECK(
        contains(build_error(config), "model.file: " + file.string() +
                                          ": delta is more than epsilon at 2460 of 2501 nodes, by most at (0, 0, 600) "
                                          "m, where epsilon is 0 and delta 0.3"));
    config.model.anisotropy = "none";
    CHECK(scheme_of(config).equation == Equation::star);
}

TEST_CASE("theta of a model file tilts the axis; without phi that is 0") {
    const TemporaryFolder folder;
    const FileGeometry geometry = file_in_plane(21, 31, 10.);
    const auto file = folder.path() / "model.h5";
    Config config = model_config("file", {21, 31}, {10.});
    config.model.file = file;
    write_model_file(file, geometry, ramp(2000., 1.), "test", false,
                     {{quantity_of(kEpsilon), ramp(0., 0.01)}, {quantity_of(kTheta), ramp(0., 0.02)}});
    CHECK(scheme_of(config).equation == Equation::tti);
    const Model model = build(config);
    CHECK(value_at(model, "theta", 3, 30) == doctest::Approx(0.6));
    CHECK(model.find("phi")->max == 0.f);
    CHECK(model.find("delta")->max == 0.f);
    config.model.theta_deg = 10.;
    CHECK(contains(build_error(config), "model.theta_deg: the model has its own theta at every node"));
    config.model.theta_deg.reset();
    config.model.anisotropy = "none";
    CHECK(scheme_of(config).equation == Equation::star);
    config.model.anisotropy = "auto";
    write_model_file(file, geometry, ramp(2000., 1.), "test", true, {{quantity_of(kTheta), ramp(0., 0.02)}});
    CHECK(contains(build_error(config), "the model has neither epsilon nor delta"));
}

TEST_CASE("one axis is tilted wherever velocities depend on the direction, and upright in water") {
    Config config = model_config("layered", {21, 5, 41}, {10.});
    config.model.layers = {{0., 1500.}, {205., 2500., {}, {}, 0.2, 0.1}};
    config.model.interfaces = "sampled";
    CHECK(scheme_of(config).equation == Equation::vti);
    config.model.theta_deg = 0.;
    CHECK(scheme_of(config).equation == Equation::vti);
    config.model.theta_deg = -30.;
    CHECK(scheme_of(config).equation == Equation::tti);
    const Model upright_azimuth = build(config);
    CHECK(upright_azimuth.find("phi")->max == 0.f);
    CHECK(value_at(upright_azimuth, "theta", 3, 20) == 0.);
    CHECK(value_at(upright_azimuth, "theta", 3, 21) == doctest::Approx(-std::numbers::pi / 6.));
    config.model.phi_deg = 45.;
    CHECK(build(config).find("phi")->max == doctest::Approx(std::numbers::pi / 4.));
    config.model.smooth_m = 20.;  // which leaves no node of the layer isotropic, and one angle as it is
    CHECK(build(config).find("theta")->min == doctest::Approx(-std::numbers::pi / 6.));
    config.model.anisotropy = "shales";
    config.model.layers[1] = {205., 2500.};
    CHECK(scheme_of(config).equation == Equation::tti);
    config.model.theta_deg.reset();
    CHECK(contains(build_error(config), "model.phi_deg: an upright axis has no azimuth"));
    config.model.anisotropy = "auto";
    config.model.theta_deg = 20.;
    CHECK(contains(build_error(config), "model.theta_deg: an axis is tilted (theta)"));
    config.model.anisotropy = "none";
    CHECK(scheme_of(config).equation == Equation::star);
}

TEST_CASE("an angle for all nodes goes with a file of epsilon that is resampled, and with arrays") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "model.h5";
    Config config = model_config("file", {41, 61}, {10.});
    config.model.file = file;
    config.model.resample = true;
    config.model.theta_deg = 15.;
    write_model_file(file, file_in_plane(21, 31, 20.), ramp(2000., 1.), "test", false,
                     {{quantity_of(kEpsilon), ramp(0.1, 0.)}});
    const float fifteen_deg = static_cast<float>(std::numbers::pi / 12.);
    CHECK(build(config).find("theta")->min == doctest::Approx(fifteen_deg));
    CHECK(build(config).find("phi")->max == 0.f);

    ModelArrays arrays{{3, 1, 2}, {}, {}};
    arrays.values["vp"] = std::vector<float>(6, 2000.f);
    arrays.values["delta"] = std::vector<float>(6, -0.1f);
    Config of_arrays = model_config("array", {3, 2}, {10.});
    of_arrays.model.theta_deg = 15.;
    of_arrays.model.arrays = std::make_shared<const ModelArrays>(arrays);
    CHECK(build(of_arrays).find("theta")->min == doctest::Approx(fifteen_deg));
    arrays.values["theta"] = std::vector<float>(6, 0.5f);
    of_arrays.model.arrays = std::make_shared<const ModelArrays>(arrays);
    CHECK(contains(build_error(of_arrays), "the model has its own theta at every node"));
    of_arrays.model.theta_deg.reset();
    CHECK(build(of_arrays).find("theta")->min == 0.5f);
}

TEST_CASE("an absorption of a model file becomes Q at the reference frequency, by its own exact relation") {
    const TemporaryFolder folder;
    const FileGeometry geometry = file_in_plane(21, 31, 1e-4);
    const auto file = folder.path() / "model.h5";
    // dB/(MHz^1.5 cm); without loss at the top
    write_model_file(file, geometry, ramp(1500., 10.), "test", false, {{quantity_of(kAlpha), ramp(0., 0.25)}});
    Config config = model_config("file", {21, 31}, {1e-4});
    config.model.file = file;
    config.attenuation.frequency_power = 1.5;
    config.attenuation.reference_frequency_hz = 5e5;
    CHECK(scheme_of(config).equation == Equation::attenuation);
    CHECK_FALSE(told_range(config.model, kQ, range_of(config)).has_value());
    config.model.power_law = PowerLaw{5e5, 1.5};
    const Model model = build(config);
    CHECK(model.find("q")->max == std::numeric_limits<float>::infinity());
    for (const int z : {1, 7, 30}) {
        const double alpha = 0.25 * z, vp = 1500. + 10. * z, q = value_at(model, "q", 3, z);
        // 20 log10 of what is left of the amplitude after 1 cm at 0.5 MHz, of the wave that this Q asks for
        const Relaxation relaxation{5e5, 2e5, 1e6, 4, 1.5};
        const double per_m = -wanted_wavenumber(relaxation, q, 5e5).imag() * 2. * std::numbers::pi * 5e5 / vp;
        CHECK(-20. * std::log10(std::exp(-0.01 * per_m)) == doctest::Approx(alpha * std::pow(0.5, 1.5)).epsilon(1e-6));
    }
    CHECK(told_range(config.model, kQ, range_of(config))->min == doctest::Approx(model.find("q")->min));

    config.model.q = 100.;
    CHECK(contains(build_error(config), "model.q: the model has its own alpha at every node"));
    config.model.q.reset();
    write_model_file(file, geometry, ramp(1500., 10.), "test", true,
                     {{quantity_of(kAlpha), ramp(0., 0.25)}, {quantity_of(kQ), ramp(100., 0.)}});
    CHECK(contains(build_error(config), "has both q and alpha"));
    config.model.q_rule = "none";
    CHECK(scheme_of(config).equation == Equation::star);
    config.model.q_rule = "auto";
    write_model_file(file, geometry, ramp(1500., 10.), "test", true, {{quantity_of(kAlpha), ramp(300., 0.)}});
    CHECK(contains(message_of([&] { static_cast<void>(build(config)); }, ExitCode::bad_data),
                   "alpha(ix = 0, iz = 0) = 300 dB/(MHz^b cm) is a Q of"));
}

TEST_CASE("the Q of a model file is averaged over coarser cells by what is lost, and may be infinite") {
    const TemporaryFolder folder;
    const FileGeometry geometry = file_in_plane(41, 41, 5.);
    const auto alternating = [](float even, float odd) {
        return [=](std::int64_t z, std::span<float> values) { std::ranges::fill(values, z % 2 == 0 ? even : odd); };
    };
    const float lossless = std::numeric_limits<float>::infinity();
    const auto q_of = [&](float even, float odd) {
        const auto file = folder.path() / "model.h5";
        write_model_file(file, geometry, alternating(2000.f, 2000.f), "test", true,
                         {{quantity_of(kQ), alternating(even, odd)}});
        Config config = model_config("file", {21, 21}, {10.});
        config.model.file = file;
        config.model.resample = true;
        return build(config).find("q")->values[10 * 21 + 10];
    };
    CHECK(q_of(20.f, 1000.f) == doctest::Approx(2. / (1. / 20. + 1. / 1000.)));
    CHECK(q_of(20.f, lossless) == doctest::Approx(40.));
    CHECK(q_of(lossless, lossless) == lossless);
    CHECK(q_of(37.7f, 37.7f) == 37.7f);
    CHECK(contains(message_of([&] { q_of(20.f, 2.f); }, ExitCode::bad_data), "must be 3 or more, or infinite"));
}

TEST_CASE("the density of a model file is read, resampled as vp is") {
    const TemporaryFolder folder;
    const FileGeometry geometry = file_in_plane(21, 31, 20.);
    const auto plane = [&](double low, double slope) {
        return [=](std::int64_t z, std::span<float> values) {
            for (std::size_t x = 0; x < values.size(); ++x)
                values[x] = static_cast<float>(low + slope * (20. * double(x) + 40. * double(z)));
        };
    };
    const auto file = folder.path() / "model.h5";
    write_model_file(file, geometry, plane(2000., 1.), "test", false, {{quantity_of(kRho), plane(1000., 0.5)}});
    CHECK(ModelFile(file).has(quantity_of(kRho)));
    Config config = model_config("file", {41, 61}, {10.});
    config.model.file = file;
    config.model.resample = true;
    CHECK(scheme_of(config).equation == Equation::variable_density);
    const Model model = build(config);
    REQUIRE(rho_of(model).size() == model.vp().values.size());
    for (std::size_t i = 0; i < model.vp().values.size(); ++i)
        CHECK(rho_of(model)[i] == doctest::Approx(1000. + 0.5 * (double(model.vp().values[i]) - 2000.)));
    config.model.rho = "none";
    CHECK(build(config).find("rho") == nullptr);
    CHECK(scheme_of(config).equation == Equation::star);
}

TEST_CASE("a smoothed model has the slowness of a Gaussian's integral at an interface, and the density that follows") {
    Config config = model_config("layered", {41, 201}, {5., 5.});
    config.model.layers = {{0., 1500.}, {502.5, 3000.}};  // between two nodes
    config.model.rho = "gardner";
    const Model sharp = build(config);
    config.model.smooth_m = 40.;
    CHECK_FALSE(range_of(config).exact);
    const Model smooth = build(config);
    CHECK(smooth.description.find("smoothed by a Gaussian of 40 m") != std::string::npos);
    for (std::int64_t z = 0; z < 201; ++z) {
        const double depth_m = 5. * double(z), part = 0.5 * std::erfc(-(depth_m - 502.5) / (40. * std::numbers::sqrt2));
        const double slowness = (1. - part) / 1500. + part / 3000.;
        const auto at = static_cast<std::size_t>(z * 41 + 17);
        CHECK(double(smooth.vp().values[at]) == doctest::Approx(1. / slowness).epsilon(2e-3));
        CHECK(double(rho_of(smooth)[at]) ==
              doctest::Approx(310. * std::pow(double(smooth.vp().values[at]), 0.25)).epsilon(1e-5));
    }
    CHECK(sharp.vp().max == 3000.F);
    omp_set_num_threads(1);
    const Model alone = build(config);
    omp_set_num_threads(omp_get_num_procs());
    CHECK(std::ranges::equal(alone.vp().values, smooth.vp().values));
    // One value stays what it is, but for rounding.
    Config even = model_config("constant", {21, 21}, {10., 10.});
    even.model.smooth_m = 95.;
    CHECK(build(even).vp().min == doctest::Approx(2000.).epsilon(1e-6));
    CHECK(build(even).vp().max == doctest::Approx(2000.).epsilon(1e-6));
}

TEST_CASE("a model smoothed by wavelengths decays from an interface by the length of each side") {
    Config config = model_config("layered", {3, 201}, {5., 5.});
    config.model.layers = {{0., 1500.}, {502.5, 3000.}};  // between two nodes
    const Model sharp = build(config);
    config.model.smooth_wavelengths = 0.2;
    CHECK(contains(message_of([&] { static_cast<void>(range_of(config)); }, ExitCode::config),
                   "model.smooth_frequency_hz must say of which frequency they are"));
    config.model.smooth_frequency_hz = 10.;
    CHECK_FALSE(range_of(config).exact);
    const Model smooth = build(config);
    CHECK(contains(smooth.description, "smoothed by 0.2 wavelengths of 10 Hz"));
    const auto departure = [&](std::int64_t z) {  // of the slowness
        const auto at = static_cast<std::size_t>(z * 3 + 1);
        return 1. / double(smooth.vp().values[at]) - 1. / double(sharp.vp().values[at]);
    };
    // exp(-|z| / lambda) on a grid: a ratio r of neighbours with (lambda / h)^2 (r + 1 / r - 2) = 1. Far from both
    // edges; lambda is 30 m above the interface and 60 m below.
    const auto ratio = [](double length_m) {
        const double half = 0.5 * (2. + 25. / (length_m * length_m));
        return half - std::sqrt(half * half - 1.);
    };
    CHECK(departure(80) / departure(81) == doctest::Approx(ratio(30.)).epsilon(2e-3));
    CHECK(departure(121) / departure(120) == doctest::Approx(ratio(60.)).epsilon(2e-3));
    CHECK(departure(95) < 0.);
    CHECK(departure(106) > 0.);
}
