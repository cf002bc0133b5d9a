// Penalties on roughness: closed forms of ramps and edges, the same along every axis in metres, and gradients that are
// derivatives in 2-D and 3-D.
#include "solver/inversion/regularisation.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <omp.h>
#include <random>
#include <vector>

using namespace onda;

namespace {

using RoughValues = std::vector<float>;

const std::vector<Grid> kRoughGrids{
    {2, {9, 1, 7}, {10., 1., 4.}, {}}, {3, {5, 6, 4}, {10., 7., 5.}, {}}, {2, {1, 1, 12}, {3., 1., 5.}, {}}};

InversionConfig weighing(double tikhonov, double total_variation) {
    InversionConfig config;
    config.tikhonov = tikhonov;
    config.total_variation = total_variation;
    return config;
}

RoughValues values_on(const Grid& grid, const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& value) {
    RoughValues values;
    for (std::int64_t i = 0; i < grid.points(); ++i) {
        const auto node = grid.node(i);
        values.push_back(static_cast<float>(value(node[0], node[1], node[2])));
    }
    return values;
}

RoughValues rough_values(const Grid& grid, double size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-size, size);
    return values_on(grid, [&](auto, auto, auto) { return 1. + uniform(random); });
}

double penalty_of(const Grid& grid, const InversionConfig& config, const RoughValues& x, double misfit_scale = 1.) {
    RoughValues gradient(x.size());
    return add_penalty(grid, config, x, misfit_scale, gradient);
}

}  // namespace

TEST_CASE("ramps and edges have the penalties of their closed forms") {
    const Grid grid{2, {8, 1, 5}, {10., 1., 4.}, {}};
    // 0.5 a node along x is 0.2 in units of the smallest spacing, at seven nodes of eight.
    const RoughValues along_x = values_on(grid, [](auto x, auto, auto) { return 0.5 * double(x); });
    CHECK(penalty_of(grid, weighing(1., 0.), along_x) == doctest::Approx(0.5 * 0.04 * 7. / 8.).epsilon(1e-12));
    CHECK(penalty_of(grid, weighing(0., 1.), along_x) ==
          doctest::Approx((std::sqrt(0.04 + 1e-6) - 1e-3) * 7. / 8.).epsilon(1e-12));
    // The same slope in metres along z counts as much, at four nodes of five.
    const RoughValues along_z = values_on(grid, [](auto, auto, auto z) { return 0.2 * double(z); });
    CHECK(penalty_of(grid, weighing(1., 0.), along_z) == doctest::Approx(0.5 * 0.04 * 4. / 5.).epsilon(1e-6));

    // An edge costs total variation as much as a ramp of its height does, and the square of its height otherwise.
    const Grid line{2, {1, 1, 20}, {3., 1., 5.}, {}};
    const RoughValues edge = values_on(line, [](auto, auto, auto z) { return z < 7 ? 1. : 3.; });
    CHECK(penalty_of(line, weighing(1., 0.), edge) == doctest::Approx(0.5 * 4. / 20.));
    CHECK(penalty_of(line, weighing(0., 1.), edge) == doctest::Approx(2. / 20.).epsilon(1e-3));
    // Weights and scale multiply.
    CHECK(penalty_of(line, weighing(2., 3.), edge, 5.) ==
          doctest::Approx(10. * penalty_of(line, weighing(1., 0.), edge) +
                          15. * penalty_of(line, weighing(0., 1.), edge)));
    CHECK(penalty_of(line, weighing(1., 1.), RoughValues(20, 1.7F)) == 0.);
}

TEST_CASE("the gradient of a penalty is its derivative, far above the smallest step and around it") {
    for (const Grid& grid : kRoughGrids)
        for (const InversionConfig& config : {weighing(2., 0.), weighing(0., 3.), weighing(0.7, 0.4)})
            for (const double size : {0.3, 1e-3}) {
                CAPTURE(grid.n);
                CAPTURE(size);
                CAPTURE(config.tikhonov);
                RoughValues x = rough_values(grid, size, 5), gradient(x.size());
                const double value = add_penalty(grid, config, x, 40., gradient);
                CHECK(value > 0.);
                double largest = 0.;
                for (const float g : gradient) largest = std::max(largest, std::abs(double(g)));
                for (std::size_t i = 0; i < x.size(); ++i) {
                    const float here = x[i], above = here + 2e-5F, below = here - 2e-5F;  // of kSmallStep 2 %
                    x[i] = above;
                    double difference = penalty_of(grid, config, x, 40.);
                    x[i] = below;
                    difference -= penalty_of(grid, config, x, 40.);
                    x[i] = here;
                    CHECK(std::abs(double(gradient[i]) - difference / (double(above) - double(below))) <=
                          1e-3 * largest);
                }
            }
}

TEST_CASE("a penalty is added to the gradient that is there, and without weights nothing is") {
    const Grid& grid = kRoughGrids[1];
    const RoughValues x = rough_values(grid, 0.2, 7);
    RoughValues alone(x.size()), added(x.size(), 0.5F), untouched(x.size(), 0.5F);
    add_penalty(grid, weighing(1., 1.), x, 3., alone);
    add_penalty(grid, weighing(1., 1.), x, 3., added);
    for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(double(added[i]) == doctest::Approx(0.5 + double(alone[i])).epsilon(1e-7));
    CHECK(add_penalty(grid, weighing(0., 0.), x, 3., untouched) == 0.);
    CHECK(untouched == RoughValues(x.size(), 0.5F));
}

TEST_CASE("penalties have the same bits for any number of threads") {
    const Grid grid{3, {17, 9, 21}, {10., 7., 5.}, {}};
    const RoughValues x = rough_values(grid, 0.2, 11);
    const int before = omp_get_max_threads();
    std::vector<double> values;
    std::vector<RoughValues> gradients;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        gradients.emplace_back(x.size(), 0.1F);
        values.push_back(add_penalty(grid, weighing(1., 2.), x, 0.3, gradients.back()));
    }
    omp_set_num_threads(before);
    for (const std::size_t other : {1, 2}) {
        CHECK(values[0] == values[other]);
        CHECK(gradients[0] == gradients[other]);
    }
}
