// The preconditioner of an inversion: symmetric and positive, each of its factors as its closed form, and nothing at
// nodes that are held.
// Takes 1 s.
#include "solver/inversion/gradient_shaping.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>
#include <omp.h>
#include <random>
#include <stdexcept>

using namespace onda;

namespace {

using ShapedValues = std::vector<float>;

const Grid kShapedPlane{2, {24, 1, 18}, {10., 1., 5.}, {-50., 0., 20.}};
const Grid kShapedBox{3, {9, 8, 7}, {10., 7., 5.}, {0., 100., 0.}};

ShapedValues noise_between(const Grid& grid, double low, double high, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    ShapedValues values(static_cast<std::size_t>(grid.points()));
    for (float& value : values) value = static_cast<float>(uniform(random));
    return values;
}

double product_of(const ShapedValues& a, const ShapedValues& b) {
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * double(b[i]);
    return sum;
}

InversionConfig shaping_config() {
    InversionConfig config;
    config.water_m_s = 1500.;
    config.hold_depth_m = 5.;
    config.smooth_wavelengths = 0.15;
    config.source_taper_m = 40.;
    config.receiver_taper_m = 25.;
    return config;
}

/// One that does nothing.
InversionConfig plain_config() {
    InversionConfig config;
    config.precondition = "none";
    return config;
}

/// Everything at once, in a model whose right half is faster, with water in a corner.
struct WholeShaping {
    explicit WholeShaping(const Grid& on) : grid(on) {
        for (std::int64_t i = 0; i < grid.points(); ++i) {
            const auto node = grid.node(i);
            vp.push_back(node[0] < 3 && node[2] < 4 ? 1500.F : node[0] < grid.nx() / 2 ? 2000.F : 3500.F);
        }
        held = held_nodes(grid, vp, shaping_config(), {});
        sources = {grid.position_m(5, grid.ny() / 2, 2), grid.position_m(7, 0, 2)};
        receivers = {grid.position_m(0, 0, 5), grid.position_m(8, grid.ny() - 1, 5)};
    }
    [[nodiscard]] GradientShaping make() const {
        GradientShaping shaping(grid, shaping_config(), vp, 15., sources, receivers, held, {});
        shaping.set_illumination(noise_between(grid, 1e-9, 1e-5, 3), noise_between(grid, 1., 2., 4));
        return shaping;
    }

    Grid grid;
    ShapedValues vp;
    std::vector<bool> held;
    std::vector<Position> sources, receivers;
};

/// The distance from the nearest point, of all points, looked up one by one.
double nearest_m(const Grid& grid, std::int64_t index, const std::vector<Position>& points_m) {
    const auto node = grid.node(index);
    const auto at_m = grid.position_m(node[0], node[1], node[2]);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Position& point_m : points_m)
        nearest = std::min(nearest, std::hypot(at_m[0] - point_m[0], at_m[1] - point_m[1], at_m[2] - point_m[2]));
    return nearest;
}

}  // namespace

TEST_CASE("shaping is symmetric and positive, and zero at nodes that are held") {
    for (const Grid& grid : {kShapedPlane, kShapedBox}) {
        const WholeShaping whole(grid);
        const GradientShaping shaping = whole.make();
        const ShapedValues x = noise_between(grid, -1., 1., 7), y = noise_between(grid, -1., 2., 8);
        ShapedValues of_x = x, of_y = y;
        shaping.apply(of_x);
        shaping.apply(of_y);
        const double one = product_of(y, of_x), other = product_of(x, of_y);
        const double size = std::sqrt(product_of(x, of_x) * product_of(y, of_y));
        CHECK(std::abs(one - other) <= 1e-5 * size);
        CHECK(std::abs(one) > 1e-3 * size);  // the comparison is of something
        CHECK(product_of(x, of_x) > 0.);
        std::size_t held = 0, zeros = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (whole.held[i]) CHECK(of_x[i] == 0.F);
            held += whole.held[i] ? 1 : 0;
            zeros += of_x[i] == 0.F ? 1 : 0;
        }
        CHECK(held > 0);
        CHECK(zeros <= held + 4);  // the points of the tapers

        // What lies at held nodes has no part in the rest.
        ShapedValues elsewhere = x;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (whole.held[i]) elsewhere[i] = 1e6F;
        shaping.apply(elsewhere);
        CHECK(elsewhere == of_x);
        // A single node gets a positive value.
        ShapedValues spike(x.size());
        const std::int64_t at = grid.at(6, grid.ny() - 1, grid.nz() - 2);
        spike[static_cast<std::size_t>(at)] = 1.F;
        shaping.apply(spike);
        CHECK(spike[static_cast<std::size_t>(at)] > 0.F);
    }
}

TEST_CASE("tapers are cosines of the distance from the nearest point") {
    for (const Grid& grid : {kShapedPlane, kShapedBox}) {
        const std::vector<Position> points{grid.position_m(4, grid.ny() / 2, 3),
                                           grid.position_m(6, grid.ny() / 2, 3),
                                           grid.position_m(4, grid.ny() / 2, 3),
                                           {grid.origin_m[0] - 12., grid.origin_m[1], grid.origin_m[2] + 1.}};
        for (const double radius_m : {3., 26., 1e4}) {
            const ShapedValues taper = radial_taper(grid, points, radius_m);
            for (std::int64_t i = 0; i < grid.points(); ++i) {
                const double r = nearest_m(grid, i, points) / radius_m;
                const double expected = r < 1. ? 0.5 - 0.5 * std::cos(std::numbers::pi * r) : 1.;
                CHECK(std::abs(double(taper[static_cast<std::size_t>(i)]) - expected) <= 1e-7);
            }
            CHECK(taper[static_cast<std::size_t>(grid.at(4, grid.ny() / 2, 3))] == 0.F);
        }
        CHECK(radial_taper(grid, points, 0.) == ShapedValues(static_cast<std::size_t>(grid.points()), 1.F));
        CHECK(radial_taper(grid, {}, 50.) == ShapedValues(static_cast<std::size_t>(grid.points()), 1.F));
    }
}

TEST_CASE("shaping without anything else is the square of the product of both tapers and the mask") {
    const WholeShaping whole(kShapedPlane);
    InversionConfig config = plain_config();
    config.source_taper_m = 40.;
    config.receiver_taper_m = 25.;
    ShapedValues mask = noise_between(whole.grid, 0., 1., 37);
    mask[3] = 0.F;
    const ShapedValues of_sources = radial_taper(whole.grid, whole.sources, 40.),
                       of_receivers = radial_taper(whole.grid, whole.receivers, 25.);
    for (const bool masked : {false, true}) {
        CAPTURE(masked);
        const GradientShaping shaping(whole.grid, config, whole.vp, 15., whole.sources, whole.receivers, {},
                                      masked ? mask : ShapedValues());
        ShapedValues ones(whole.vp.size(), 1.F);
        shaping.apply(ones);
        for (std::size_t i = 0; i < ones.size(); ++i) {
            const double taper = double(of_sources[i]) * double(of_receivers[i]) * (masked ? double(mask[i]) : 1.);
            CHECK(double(ones[i]) == doctest::Approx(taper * taper).epsilon(1e-6));
        }
    }
}

TEST_CASE("the diagonal is the inverse of the illumination above a floor, of mean one where nodes are free") {
    const Grid& grid = kShapedPlane;
    const ShapedValues vp = noise_between(grid, 1500., 4000., 13);
    std::vector<bool> held(vp.size());
    for (std::size_t i = 0; i < 100; ++i) held[i] = true;
    InversionConfig config;
    config.floor = 0.5;
    const ShapedValues source = noise_between(grid, 1., 9., 17), receiver = noise_between(grid, 2., 5., 19);
    const auto diagonal = [&](const ShapedValues& of_source, const ShapedValues& of_receiver) {
        GradientShaping shaping(grid, config, vp, 15., {}, {}, held, {});
        shaping.set_illumination(of_source, of_receiver);
        ShapedValues ones(vp.size(), 1.F);
        shaping.apply(ones);
        return ones;
    };
    const auto check_inverse = [&](const ShapedValues& found, const auto& energy) {
        double mean = 0., sum = 0., count = 0.;
        for (std::size_t i = 0; i < vp.size(); ++i) mean += energy(i) / double(vp.size());
        for (std::size_t i = 0; i < vp.size(); ++i)
            if (!held[i]) {
                sum += double(found[i]);
                count += 1.;
            }
        CHECK(sum / count == doctest::Approx(1.).epsilon(1e-6));
        const double at_last = double(found.back()) * std::max(energy(vp.size() - 1), 0.5 * mean);
        for (std::size_t i = 0; i < vp.size(); ++i)
            CHECK(double(found[i]) ==
                  doctest::Approx(held[i] ? 0. : at_last / std::max(energy(i), 0.5 * mean)).epsilon(1e-6));
    };
    check_inverse(diagonal(source, {}), [&](std::size_t i) { return double(source[i]); });
    check_inverse(diagonal(source, receiver),
                  [&](std::size_t i) { return std::sqrt(double(source[i]) * double(receiver[i])); });

    // In another unit, far from one, it is the same.
    ShapedValues faint = source, strong = receiver;
    for (float& value : faint) value *= 1e-39F;  // whose inverse no float holds
    for (float& value : strong) value *= 1e30F;
    const ShapedValues of_faint = diagonal(faint, {}), of_source = diagonal(source, {});
    const ShapedValues of_strong = diagonal(strong, strong), of_receiver = diagonal(receiver, receiver);
    for (std::size_t i = 0; i < vp.size(); ++i) {
        CHECK(double(of_faint[i]) == doctest::Approx(double(of_source[i])).epsilon(1e-5));
        CHECK(double(of_strong[i]) == doctest::Approx(double(of_receiver[i])).epsilon(1e-5));
    }
    // Nothing lit, or not asked for: one.
    ShapedValues one_where_free(vp.size());
    for (std::size_t i = 0; i < vp.size(); ++i) one_where_free[i] = held[i] ? 0.F : 1.F;
    CHECK(diagonal(ShapedValues(vp.size()), {}) == one_where_free);
    config.precondition = "none";
    CHECK(diagonal(source, receiver) == one_where_free);
    config.precondition = "hope";
    CHECK_THROWS_AS(diagonal(source, receiver), std::invalid_argument);
}

TEST_CASE("a later illumination replaces the one before") {
    const WholeShaping whole(kShapedPlane);
    const ShapedValues source = noise_between(whole.grid, 1., 9., 23);
    GradientShaping once(whole.grid, shaping_config(), whole.vp, 15., whole.sources, whole.receivers, whole.held, {});
    once.set_illumination(source, {});
    GradientShaping twice = whole.make();
    twice.set_illumination(source, {});
    ShapedValues a = noise_between(whole.grid, -1., 1., 29), b = a;
    once.apply(a);
    twice.apply(b);
    CHECK(a == b);
}

TEST_CASE("cosines are damped twice by 1 / (1 + lambda^2 k^2), lambda a part of the wavelength") {
    const Grid& grid = kShapedPlane;
    InversionConfig config = plain_config();
    config.smooth_wavelengths = 0.2;
    const GradientShaping shaping(grid, config, ShapedValues(static_cast<std::size_t>(grid.points()), 3000.F), 20., {},
                                  {}, {}, {});
    ShapedValues cosine;
    for (std::int64_t i = 0; i < grid.points(); ++i)
        cosine.push_back(
            static_cast<float>(std::cos(std::numbers::pi * 3. * (double(grid.node(i)[2]) + 0.5) / double(grid.nz()))));
    ShapedValues shaped = cosine;
    shaping.apply(shaped);
    const double k = 2. / 5. * std::sin(std::numbers::pi * 3. / (2. * double(grid.nz())));
    const double factor = std::pow(1. + 30. * 30. * k * k, -2.);
    for (std::size_t i = 0; i < cosine.size(); ++i)
        CHECK(std::abs(double(shaped[i]) - factor * double(cosine[i])) <= 3e-6);
    CHECK(factor < 0.1);
}

TEST_CASE("held nodes are those in water, those down to a depth, and those of a mask of 0") {
    const Grid& grid = kShapedPlane;  // planes 5 m apart, the first at z = 20 m
    ShapedValues vp(static_cast<std::size_t>(grid.points()), 2000.F);
    const auto at = static_cast<std::size_t>(grid.at(3, 0, 9));
    vp[at] = 1480.F;
    InversionConfig config;
    CHECK(held_nodes(grid, vp, config, {}) == std::vector<bool>(vp.size()));
    config.water_m_s = 1480.;
    std::vector<bool> expected(vp.size());
    expected[at] = true;
    CHECK(held_nodes(grid, vp, config, {}) == expected);
    config.hold_depth_m = 10.;
    for (std::size_t i = 0; i < 3 * 24; ++i) expected[i] = true;
    CHECK(held_nodes(grid, vp, config, {}) == expected);
    ShapedValues mask(vp.size(), 1e-30F);
    mask[at - 1] = 0.F;
    mask.front() = 0.F;
    std::vector<bool> masked = expected;
    masked[at - 1] = true;
    CHECK(held_nodes(grid, vp, config, mask) == masked);
    config.hold_depth_m = 14.9;
    CHECK(held_nodes(grid, vp, config, {}) == expected);
    config.hold_depth_m = 1e9;
    CHECK(held_nodes(grid, vp, config, {}) == std::vector<bool>(vp.size(), true));

    // 0.3 m are three spacings of 0.1 m, although 0.3 / 0.1 is less than 3.
    const Grid fine{2, {2, 1, 6}, {0.1, 1., 0.1}, {}};
    config.hold_depth_m = 0.3;
    const std::vector<bool> of_fine = held_nodes(fine, ShapedValues(12, 2000.F), config, {});
    CHECK(std::ranges::count(of_fine, true) == 8);
}

TEST_CASE("shaping has the same bits for any number of threads") {
    const WholeShaping whole(kShapedBox);
    const int before = omp_get_max_threads();
    std::vector<ShapedValues> results;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        results.push_back(noise_between(whole.grid, -1., 1., 31));
        whole.make().apply(results.back());
    }
    omp_set_num_threads(before);
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}
