// A model file gives a run its grid where the configuration does not, and a grid that is coarser than the file has the
// mean of each cell: nothing of the rock is lost, and waves see the interfaces of the fine model.
// Takes 1 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <omp.h>

#include "io/models/model_file.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/model.hpp"
#include "solver/model/model_builders.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using ValueAt = std::function<float(double x, double y, double z)>;

Plane planes_of(const FileGeometry& g, const ValueAt& value) {
    return [=](std::int64_t z, std::span<float> plane) {
        for (std::int64_t y = 0; y < g.shape[1]; ++y)
            for (std::int64_t x = 0; x < g.shape[0]; ++x)
                plane[static_cast<std::size_t>(y * g.shape[0] + x)] =
                    value(g.origin_m[0] + double(x) * g.spacing_m[0], g.origin_m[1] + double(y) * g.spacing_m[1],
                          g.origin_m[2] + double(z) * g.spacing_m[2]);
    };
}

/// A file, and a configuration that uses it on a grid of its own.
struct FileModel {
    TemporaryFolder folder;
    ModelConfig config;
    ConfigOrigin origin;

    explicit FileModel(const FileGeometry& geometry, const ValueAt& vp, const ValueAt& rho = {}) {
        config.type = "file";
        config.file = folder.path() / "model.h5";
        config.resample = true;
        std::vector<QuantityPlanes> further;
        if (rho) further.push_back({quantity_of(kRho), planes_of(geometry, rho)});
        write_model_file(config.file, geometry, planes_of(geometry, vp), "test", true, further);
    }
    [[nodiscard]] Model on(const GridConfig& grid, const Equation& equation = Equation::star) const {
        return make_model(config, equation, make_grid(complete_grid(grid, config, origin), origin), origin);
    }
    [[nodiscard]] GridConfig grid(const GridConfig& given) const { return complete_grid(given, config, origin); }
    [[nodiscard]] std::string refusal(const GridConfig& given) const {
        return message_of([&] { static_cast<void>(grid(given)); }, ExitCode::config);
    }
};

/// Below a plane that dips along x and y there is another rock.
float dipping(double x, double y, double z, float above, float below) {
    return z < 60. + 0.31 * x + 0.17 * y ? above : below;
}

}  // namespace

TEST_CASE("what the grid leaves out is the file's") {
    const auto constant = [](double, double, double) { return 2000.f; };
    FileModel three({3, {41, 21, 31}, {10., 20., 5.}, {100., -200., 7.}}, constant);
    CHECK(three.grid({}) == GridConfig{{41, 21, 31}, {10., 20., 5.}, {100., -200., 7.}});
    CHECK(three.grid({{11, 8, 9}, {20.}, {}}).origin_m == std::vector{100., -200., 7.});
    CHECK(three.grid({{11, 8, 9}, {}, {120., 0., 10.}}).spacing_m == std::vector{10., 20., 5.});
    CHECK(three.grid({{}, {20.}, {}}).shape == std::vector<std::int64_t>{21, 21, 8});
    CHECK(three.grid({{}, {}, {200., -200., 107.}}).shape == std::vector<std::int64_t>{31, 21, 11});
    CHECK(three.grid({{5, 5, 5}, {1.}, {2., 2., 2.}}) == GridConfig{{5, 5, 5}, {1.}, {2., 2., 2.}});
    CHECK(contains(three.refusal({{}, {20., 5.}, {}}), "grid.spacing_m: has 2 numbers"));
    CHECK(contains(three.refusal({{}, {}, {0., 0.}}), "grid.origin_m: has 2 numbers"));
    CHECK(contains(three.refusal({{11, 9}, {}, {}}), "is 3-D but the grid is 2-D"));

    FileModel two({2, {41, 1, 31}, {10., 1., 10.}, {100., 0., 7.}}, constant);
    CHECK(two.grid({}) == GridConfig{{41, 31}, {10., 10.}, {100., 7.}});
    two.config.extrude = true;
    CHECK(contains(two.refusal({}), "model.extrude: needs a grid in 3-D: give grid.shape"));
    CHECK(two.grid({{41, 9, 31}, {}, {}}) == GridConfig{{41, 9, 31}, {10.}, {100., 0., 7.}});
    FileModel oblong({2, {41, 1, 31}, {10., 1., 5.}, {}}, constant);
    oblong.config.extrude = true;
    CHECK(contains(oblong.refusal({{41, 9, 31}, {}, {}}), "missing key 'spacing_m'"));

    ModelConfig built;
    CHECK(complete_grid({}, built, {}) == GridConfig{});
}

TEST_CASE("means over cells keep compliance and density, in 2-D and 3-D, for any ratio of spacings") {
    const ValueAt vp = [](double x, double y, double z) { return dipping(x, y, z, 1500.f, 3500.f); };
    const ValueAt rho = [](double x, double y, double z) { return dipping(x, y, z, 2000.f, 2400.f); };
    for (const int dimensions : {2, 3}) {
        const std::int64_t ny = dimensions == 2 ? 1 : 61;
        const FileGeometry file{dimensions, {121, ny, 121}, {2., 2., 2.}, {}};
        const FileModel model(file, vp, rho);
        const auto compliance = [](float v, float r) { return 1. / (double(r) * v * v); };
        for (const double ratio : {2., 3., 2.5, 7.3}) {
            CAPTURE(dimensions);
            CAPTURE(ratio);
            // Cells that lie side by side within the file: their means have the mean of all of its cells that they
            // cover.
            const double h = 2. * ratio;
            const auto count = [&](std::int64_t n) { return static_cast<std::int64_t>(double(n - 1) / ratio) - 1; };
            const double first = 0.5 * h;
            GridConfig grid{{count(121), count(121)}, {h}, {first, first}};
            if (dimensions == 3) grid = {{count(121), count(61), count(121)}, {h}, {first, first, first}};
            const Model coarse = model.on(grid, Equation::variable_density);
            double sum = 0., mass = 0., wanted = 0., wanted_mass = 0., weights = 0.;
            for (std::size_t i = 0; i < coarse.vp().values.size(); ++i) {
                sum += compliance(coarse.vp().values[i], coarse.find("rho")->values[i]);
                mass += double(coarse.find("rho")->values[i]);
            }
            const auto share = [&](std::int64_t i, std::int64_t n) {  // of a cell of the file, in all cells of the grid
                const double at = double(i) * 2., end = double(n) * h;
                return std::max(0., std::min(end, at + 1.) - std::max(0., at - 1.)) / 2.;
            };
            for (std::int64_t z = 0; z < 121; ++z)
                for (std::int64_t y = 0; y < ny; ++y)
                    for (std::int64_t x = 0; x < 121; ++x) {
                        const double weight = share(x, coarse.grid.nx()) * share(z, coarse.grid.nz()) *
                                              (dimensions == 3 ? share(y, coarse.grid.ny()) : 1.);
                        const double px = 2. * double(x), py = 2. * double(y), pz = 2. * double(z);
                        wanted += weight * compliance(vp(px, py, pz), rho(px, py, pz));
                        wanted_mass += weight * double(rho(px, py, pz));
                        weights += weight;
                    }
            const auto nodes = double(coarse.vp().values.size());
            CHECK(sum / nodes == doctest::Approx(wanted / weights).epsilon(1e-6));
            CHECK(mass / nodes == doctest::Approx(wanted_mass / weights).epsilon(1e-6));
        }
    }
}

TEST_CASE("a constant file stays constant to the bit, and every mean lies among what it is made of") {
    const FileGeometry file{3, {40, 33, 52}, {3., 4., 2.5}, {10., 20., 30.}};
    const FileModel constant(file, [](double, double, double) { return 2345.678f; });
    const Model same = constant.on({{}, {11.3}, {}});
    CHECK(same.vp().min == 2345.678f);
    CHECK(same.vp().max == 2345.678f);
    CHECK(contains(same.description, "averaged over cells from shape [40, 33, 52]"));

    const FileModel two(file, [](double x, double y, double z) { return dipping(x, y, z, 1500.f, 3500.f); });
    const Model mean = two.on({{}, {11.3}, {}});
    CHECK(mean.vp().min >= 1500.f);
    CHECK(mean.vp().max <= 3500.f);
    const auto between = std::count_if(mean.vp().values.begin(), mean.vp().values.end(),
                                       [](float v) { return v > 1501.f && v < 3499.f; });
    CHECK(between > 0);
    CHECK(mean.warnings.empty());
}

TEST_CASE("far coarser than the file, along one axis or all, cells still have their mean") {
    const FileGeometry file{3, {201, 201, 201}, {1., 1., 1.}, {}};
    const FileModel halves(file, [](double, double, double z) { return std::fmod(z, 2.) < 1. ? 2000.f : 3000.f; });
    const double slowness2 = 0.5 * (1. / (2000. * 2000.) + 1. / (3000. * 3000.));
    const Model all = halves.on({{2, 2, 2}, {100.}, {50., 50., 50.}});
    CHECK(double(all.vp().min) == doctest::Approx(1. / std::sqrt(slowness2)).epsilon(1e-3));
    const Model depth = halves.on({{3, 3, 2}, {1., 1., 100.}, {50., 50., 50.}});
    CHECK(double(depth.vp().max) == doctest::Approx(1. / std::sqrt(slowness2)).epsilon(1e-3));
}

TEST_CASE("nodes of the file are copied, finer grids interpolate, and sampling stays to be had") {
    const FileGeometry file{2, {61, 1, 61}, {4., 1., 4.}, {}};
    const ValueAt vp = [](double x, double, double z) { return static_cast<float>(1500. + 2. * x + 3. * z); };
    FileModel model(file, vp);
    const Model crop = model.on({{20, 20}, {4.}, {40., 40.}});
    for (std::int64_t z = 0; z < 20; ++z)
        for (std::int64_t x = 0; x < 20; ++x)
            CHECK(crop.vp().values[static_cast<std::size_t>(crop.grid.at(x, 0, z))] ==
                  vp(40. + 4. * double(x), 0., 40. + 4. * double(z)));
    const Model fine = model.on({{80, 80}, {3.}, {0., 0.}});
    CHECK(double(fine.vp().values[static_cast<std::size_t>(fine.grid.at(1, 0, 1))]) ==
          doctest::Approx(1515.).epsilon(1e-6));
    CHECK(contains(fine.description, "resampled from"));
    model.config.interfaces = "sampled";
    const Model sampled = model.on({{20, 20}, {12.}, {0., 0.}});
    CHECK(sampled.vp().values[static_cast<std::size_t>(sampled.grid.at(3, 0, 5))] == vp(36., 0., 60.));
    REQUIRE(sampled.warnings.size() == 2u);
    CHECK(contains(sampled.warnings[0], "model.interfaces: sampled picks values"));
}

TEST_CASE("the same bits for any number of threads") {
    const FileGeometry file{3, {83, 41, 97}, {2., 2., 2.}, {}};
    const FileModel model(
        file, [](double x, double y, double z) { return dipping(x, y, z, 1500.f, 3500.f) + float(x) + 2.f * float(z); },
        [](double x, double y, double z) { return dipping(x, y, z, 1000.f, 2400.f); });
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const Model one = model.on({{}, {6.1}, {}}, Equation::variable_density);
    for (const int count : {2, 3}) {
        omp_set_num_threads(count);
        const Model many = model.on({{}, {6.1}, {}}, Equation::variable_density);
        CHECK(many.vp().values == one.vp().values);
        CHECK(many.find("rho")->values == one.find("rho")->values);
    }
    omp_set_num_threads(threads);
}
