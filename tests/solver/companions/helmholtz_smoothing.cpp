// Smoothing by a length damps each discrete cosine by 1 / (1 + lambda^2 k^2), keeps constants and means, is symmetric,
// and solves its equation where the length varies.
// Takes 1 s.
#include "solver/model/helmholtz_smoothing.hpp"

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <numbers>
#include <omp.h>
#include <random>
#include <string>
#include <vector>

#include "io/text/error.hpp"

using namespace onda;

namespace {

using SmoothedValues = std::vector<double>;

Grid smoothed_grid(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
    return {ny > 1 ? 3 : 2, {nx, ny, nz}, {10., 7., 5.}, {}};
}

const std::vector<Grid>& smoothed_grids() {
    static const std::vector<Grid> all{smoothed_grid(40, 1, 1), smoothed_grid(1, 1, 33),  smoothed_grid(24, 1, 17),
                                       smoothed_grid(1, 9, 12), smoothed_grid(11, 8, 13), smoothed_grid(1, 1, 1)};
    return all;
}

SmoothedValues noise_on(const Grid& grid, unsigned seed, double low = -1., double high = 1.) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    SmoothedValues values(static_cast<std::size_t>(grid.points()));
    for (double& value : values) value = uniform(random);
    return values;
}

/// Cosines with so many half waves along each axis, whose slopes vanish half a node outside of the grid.
double cosine_mode(const Grid& grid, const std::array<int, 3>& half_waves, std::int64_t node) {
    const auto place = grid.node(node);
    double product = 1.;
    for (std::size_t axis = 0; axis < 3; ++axis)
        product *= std::cos(std::numbers::pi * half_waves[axis] * (static_cast<double>(place[axis]) + 0.5) /
                            static_cast<double>(grid.n[axis]));
    return product;
}

/// k^2 of second differences [1/m^2].
double square_wavenumber(const Grid& grid, const std::array<int, 3>& half_waves) {
    double sum = 0.;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double sine = std::sin(std::numbers::pi * half_waves[axis] / (2. * static_cast<double>(grid.n[axis])));
        sum += 4. * sine * sine / (grid.spacing_m[axis] * grid.spacing_m[axis]);
    }
    return sum;
}

double largest_smoothing_error(const SmoothedValues& a, const SmoothedValues& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!std::isnan(largest) && !(std::fabs(a[i] - b[i]) <= largest)) largest = std::fabs(a[i] - b[i]);
    return largest;
}

/// (I - div lambda^2 grad) u in one place, from neighbours that are looked up one by one.
double applied_at(const Grid& grid, const SmoothedValues& lengths_m, const SmoothedValues& u, std::int64_t node) {
    const auto place = grid.node(node);
    const auto square = [&](std::int64_t at) { return lengths_m[at] * lengths_m[at]; };
    double sum = u[node];
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const int step : {-1, 1}) {
            auto beside = place;
            beside[axis] += step;
            if (beside[axis] < 0 || beside[axis] >= grid.n[axis]) continue;
            const std::int64_t at = grid.at(beside[0], beside[1], beside[2]);
            sum +=
                0.5 * (square(node) + square(at)) * (u[node] - u[at]) / (grid.spacing_m[axis] * grid.spacing_m[axis]);
        }
    return sum;
}

ExitCode smoothing_code(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        CHECK(std::string(error.what()).find("smoothing: ") == 0);
        return error.code();
    }
    return ExitCode::ok;
}

constexpr SmoothingGoal kTightGoal{1e-13, 10000};

}  // namespace

TEST_CASE("each discrete cosine is damped by 1 / (1 + lambda^2 k^2), in 1-D, 2-D and 3-D") {
    const std::vector<std::array<int, 3>> all{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                              {3, 2, 1}, {7, 0, 4}, {0, 5, 9}};
    for (const Grid& grid : smoothed_grids())
        for (const double lambda_m : {0., 4., 35.}) {
            SmoothedValues sum(static_cast<std::size_t>(grid.points())), damped = sum;
            double weight = 1.;
            for (std::array<int, 3> half_waves : all) {
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (half_waves[axis] >= grid.n[axis]) half_waves[axis] = 0;
                const double factor = 1. / (1. + lambda_m * lambda_m * square_wavenumber(grid, half_waves));
                for (std::int64_t i = 0; i < grid.points(); ++i) {
                    sum[i] += weight * cosine_mode(grid, half_waves, i);
                    damped[i] += weight * factor * cosine_mode(grid, half_waves, i);
                }
                weight *= -0.8;
            }
            CAPTURE(grid.n);
            CAPTURE(lambda_m);
            const Smoothed smoothed = smooth_by_lengths(grid, sum, std::vector{lambda_m}, kTightGoal);
            CHECK(largest_smoothing_error(smoothed.values, damped) <= 1e-11);
            CHECK(smoothed.residual <= 1e-12);
        }
}

TEST_CASE("constants stay what they are to the bit, whatever the lengths") {
    for (const Grid& grid : smoothed_grids()) {
        const SmoothedValues constant(static_cast<std::size_t>(grid.points()), 2345.678);
        const Smoothed smoothed = smooth_by_lengths(grid, constant, noise_on(grid, 3, 0., 90.));
        CHECK(smoothed.values == constant);
        CHECK(smoothed.iterations == 0);
    }
}

TEST_CASE("the mean stays what it is, with a loose tolerance too") {
    for (const Grid& grid : smoothed_grids()) {
        const SmoothedValues values = noise_on(grid, 5);
        const Smoothed smoothed = smooth_by_lengths(grid, values, noise_on(grid, 7, 0., 60.), {0.1, 10000});
        double before = 0., after = 0.;
        for (const double value : values) before += value;
        for (const double value : smoothed.values) after += value;
        CHECK(std::fabs(after - before) <= 1e-12 * static_cast<double>(grid.points()));
    }
}

TEST_CASE("smoothing is symmetric") {
    const Grid grid = smoothed_grid(13, 6, 9);
    const SmoothedValues f = noise_on(grid, 11), g = noise_on(grid, 13), lengths_m = noise_on(grid, 17, 0., 40.);
    const SmoothedValues of_f = smooth_by_lengths(grid, f, lengths_m, kTightGoal).values,
                         of_g = smooth_by_lengths(grid, g, lengths_m, kTightGoal).values;
    double one = 0., other = 0.;
    for (std::size_t i = 0; i < f.size(); ++i) {
        one += g[i] * of_f[i];
        other += of_g[i] * f[i];
    }
    CHECK(std::fabs(one) > 0.01);
    CHECK(std::fabs(one - other) <= 1e-10 * std::fabs(one));
}

TEST_CASE("with lengths that vary the equation is solved to the tolerance that is asked for") {
    for (const Grid& grid : smoothed_grids())
        for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
            const SmoothedValues f = noise_on(grid, 19), lengths_m = noise_on(grid, 23, 0., 80.);
            const Smoothed smoothed = smooth_by_lengths(grid, f, lengths_m, {tolerance, 10000});
            double residual = 0., size = 0.;
            for (std::int64_t i = 0; i < grid.points(); ++i) {
                residual += std::pow(f[i] - applied_at(grid, lengths_m, smoothed.values, i), 2);
                size += f[i] * f[i];
            }
            CAPTURE(grid.n);
            CHECK(std::sqrt(residual / size) <= 1.01 * tolerance + 1e-13);
            CHECK(smoothed.residual == doctest::Approx(std::sqrt(residual / size)).epsilon(0.05).scale(1e-13 / 0.05));
        }
}

TEST_CASE("where lengths are zero nothing is smoothed") {
    const Grid grid = smoothed_grid(30, 1, 20);
    const SmoothedValues f = noise_on(grid, 29);
    SmoothedValues lengths_m(f.size());
    for (std::int64_t i = 0; i < grid.points(); ++i) lengths_m[i] = grid.node(i)[2] < 10 ? 0. : 30.;
    const SmoothedValues smoothed = smooth_by_lengths(grid, f, lengths_m).values;
    for (std::int64_t i = 0; i < grid.at(0, 0, 9); ++i) CHECK(smoothed[i] == f[i]);
    CHECK(std::fabs(smoothed[grid.at(15, 0, 15)] - f[grid.at(15, 0, 15)]) > 1e-3);
}

TEST_CASE("the same bits for any number of threads") {
    const Grid grid = smoothed_grid(21, 14, 17);
    const SmoothedValues f = noise_on(grid, 31), lengths_m = noise_on(grid, 37, 0., 50.);
    const int before = omp_get_max_threads();
    std::vector<SmoothedValues> results;
    for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        results.push_back(smooth_by_lengths(grid, f, lengths_m).values);
    }
    omp_set_num_threads(before);
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}

TEST_CASE("lengths are parts of the local wavelength") {
    const SmoothedValues lengths_m = parts_of_wavelengths(std::vector{1500., 3000.}, 15., 0.25);
    CHECK(lengths_m == SmoothedValues{25., 50.});
    CHECK(smoothing_code([] { static_cast<void>(parts_of_wavelengths(std::vector{1500.}, 0., 0.25)); }) ==
          ExitCode::config);
    CHECK(smoothing_code([] { static_cast<void>(parts_of_wavelengths(std::vector{-1.}, 15., 0.25)); }) ==
          ExitCode::config);
    CHECK(smoothing_code([] { static_cast<void>(parts_of_wavelengths(std::vector{1500.}, 15., -1.)); }) ==
          ExitCode::config);
}

TEST_CASE("what does not fit is refused, and a goal that is not reached is an error") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const Grid grid = smoothed_grid(8, 1, 8);
    const SmoothedValues f = noise_on(grid, 41);
    const auto code = [&](const Grid& on, const SmoothedValues& values, const SmoothedValues& lengths_m,
                          const SmoothingGoal& goal) {
        return smoothing_code([&] { static_cast<void>(smooth_by_lengths(on, values, lengths_m, goal)); });
    };
    CHECK(code(grid, f, {5.}, {}) == ExitCode::ok);
    CHECK(code(grid, SmoothedValues(63), {5.}, {}) == ExitCode::config);
    CHECK(code(grid, f, {5., 5.}, {}) == ExitCode::config);
    CHECK(code(grid, f, {}, {}) == ExitCode::config);
    CHECK(code(grid, f, {-5.}, {}) == ExitCode::config);
    CHECK(code(grid, f, {nan}, {}) == ExitCode::config);
    CHECK(code(grid, SmoothedValues(64, nan), {5.}, {}) == ExitCode::config);
    CHECK(code(grid, f, {5.}, {0., 10}) == ExitCode::config);
    CHECK(code(grid, f, {5.}, {nan, 10}) == ExitCode::config);
    CHECK(code(grid, f, {5.}, {1e-8, 0}) == ExitCode::config);
    Grid flat = grid;
    flat.spacing_m[0] = 0.;
    CHECK(code(flat, f, {5.}, {}) == ExitCode::config);
    CHECK(code(grid, f, {500.}, {1e-12, 2}) == ExitCode::unstable);
    CHECK(code(grid, f, {1e200}, {}) == ExitCode::unstable);
}
