// Optimised coefficients keep the phase velocity within the tolerance over the widest band there is, which is wider
// than Taylor's at every order above 2, and Taylor's weights are what they were.
// Takes 9 s.
#include "kernels/equations/coefficients/optimised_weights.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>

#include "kernels/cpu/cpu.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/equations/star/stencil.hpp"
#include "tests/kernels/fields.hpp"
#include "tests/kernels/kernel_cases.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

constexpr int kSamples = 40000;

/// Symbol of d_1 … d_r over that of the exact derivative.
double staggered_ratio(const std::vector<double>& d, double kh) {
    double sum = 0.;
    for (std::size_t k = 1; k < d.size(); ++k) sum += 2. * d[k] * std::sin((double(k) - 0.5) * kh);
    return sum / kh;
}
double second_ratio(const std::vector<double>& c, double kh) {
    return std::sqrt(second_derivative_symbol(c, kh)) / kh;
}

/// Relative errors of the phase velocity at kh = pi i / kSamples.
template <typename Ratio>
std::vector<double> errors(const std::vector<double>& weights, Ratio ratio) {
    std::vector<double> list;
    for (int i = 1; i <= kSamples; ++i) list.push_back(ratio(weights, pi * i / kSamples) - 1.);
    return list;
}

/// How many samples, from long waves on, are within the tolerance.
std::size_t band(const std::vector<double>& error) {
    const auto outside = [](double e) { return !(std::abs(e) <= kPhaseTolerance * (1. + 1e-6)); };
    return std::size_t(std::ranges::find_if(error, outside) - error.begin());
}

/// How often the error reaches the tolerance with alternating signs, in the band and at the sample that ends it.
int alternations(const std::vector<double>& error) {
    int count = 0;
    double sign = 0.;
    for (std::size_t i = 0; i <= band(error); ++i)
        if (std::abs(error[i]) >= kPhaseTolerance * (1. - 1e-3) && error[i] * sign <= 0.) {
            ++count;
            sign = error[i];
        }
    return count;
}

/// max |p| after 4000 steps from noise, in a small box of zero faces.
double largest_after_run(const Scheme& scheme, double cfl, const Grid& grid = {2, {64, 1, 60}, {10., 1., 8.}, {}}) {
    Setup setup;
    setup.grid = grid;
    setup.scheme = scheme;
    setup.precision = Precision::float64;
    setup.threads = 1;
    const auto wavefield = test::make_uniform_wavefield(
        setup, cpu::make_medium, cfl * scheme.stability_limit_s(grid.derivative_spacings_m(), 2000.));
    std::vector<double> p;
    for (std::int64_t i = 0; i < setup.grid.points(); ++i) p.push_back(test::noise(std::uint64_t(i)) - 0.5);
    wavefield->upload(p, p);
    wavefield->advance(0, 4000);
    return wavefield->extremum().max_abs;
}

}  // namespace

TEST_CASE("the error stays within the tolerance over a band that no other weights of the order can widen") {
    for (int order = 2; order <= 16; order += 2) {
        CAPTURE(order);
        const auto second = errors(optimised_second_derivative_weights(order), second_ratio);
        const auto staggered = errors(optimised_staggered_weights(order), staggered_ratio);
        // r - 1 free weights and the end of the band: Chebyshev's alternation on r points is the mark of the optimum.
        CHECK(alternations(second) == order / 2);
        CHECK(alternations(staggered) == order / 2);
        const auto taylor = errors(second_derivative_weights(order), second_ratio);
        if (order == 2) {
            CHECK(band(second) == band(taylor));
        } else {
            CHECK(double(band(second)) >= 1.5 * double(band(taylor)));
            CHECK(std::abs(taylor[band(second)]) >= 5. * kPhaseTolerance);
        }
    }
}

TEST_CASE("the weights are consistent: a constant gives zero, and long waves are right to second order") {
    for (int order = 2; order <= 16; order += 2) {
        CAPTURE(order);
        const auto c = optimised_second_derivative_weights(order);
        const auto d = optimised_staggered_weights(order);
        REQUIRE(c.size() == std::size_t(order / 2 + 1));
        REQUIRE(d.size() == c.size());
        double constant = c[0], square = 0., slope = 0.;
        for (std::size_t k = 1; k < c.size(); ++k) {
            constant += 2. * c[k];
            square += c[k] * double(k * k);
            slope += d[k] * (2. * double(k) - 1.);
        }
        CHECK(std::abs(constant) <= 1e-14);
        CHECK(square == doctest::Approx(1.).epsilon(1e-13));
        CHECK(slope == doctest::Approx(1.).epsilon(1e-13));
    }
}

TEST_CASE("order 2 has no weight to spare: it is Taylor's") {
    CHECK(optimised_second_derivative_weights(2) == second_derivative_weights(2));
    CHECK(optimised_staggered_weights(2) == std::vector<double>{0., 1.});
}

TEST_CASE("Taylor weights are what they were, to the last bit") {
    for (int order = 2; order <= 16; order += 2)
        CHECK(make_scheme(Equation::star, order).weights == second_derivative_weights(order));
    const std::vector<double> order_8{-205. / 72., 8. / 5., -1. / 5., 8. / 315., -1. / 560.};
    for (std::size_t k = 0; k <= 4; ++k)
        CHECK(second_derivative_weights(8)[k] == doctest::Approx(order_8[k]).epsilon(1e-15));
}

TEST_CASE("orders that do not exist are refused") {
    for (const int order : {0, 3, 18}) {
        CHECK_THROWS_AS(optimised_second_derivative_weights(order), std::invalid_argument);
        CHECK_THROWS_AS(optimised_staggered_weights(order), std::invalid_argument);
    }
}

TEST_CASE("the stability limit is that of the weights: 0.99 of it stays bounded, 1.01 of it does not") {
    for (const Coefficients coefficients : {Coefficients::taylor, Coefficients::optimised})
        for (const int order : {2, 4, 8, 16}) {
            CAPTURE(order);
            const Scheme scheme = make_scheme(Equation::star, order, coefficients);
            CHECK(largest_after_run(scheme, 0.99) <= 20.);
            CHECK(!(largest_after_run(scheme, 1.01) <= 1e6));
        }
}

TEST_CASE("every kernel steps optimised coefficients to the bits of the reference, also with a density") {
    for (const Equation equation : test::kOperators)
        for (const std::size_t which : {1u, 12u})
            for (const int order : {4, 8, 16})
                for (const Precision precision : {Precision::float32, Precision::float64}) {
                    const test::Case& c = test::kCases[which];
                    Setup setup = setup_of(c, order, precision, equation);
                    setup.kernel = "reference";
                    const std::vector<double> taylor = run_case(c, setup, cpu::make_medium);
                    setup.scheme = make_scheme(equation, order, Coefficients::optimised);
                    const std::vector<double> expected = run_case(c, setup, cpu::make_medium);
                    CHECK(expected != taylor);
                    for (const std::string& kernel : cpu::kernels_of(equation)) {
                        setup.kernel = kernel;
                        CHECK_MESSAGE(run_case(c, setup, cpu::make_medium) == expected,
                                      c.name << ", " << name(equation) << ", order " << order << ", " << kernel);
                    }
                }
}

TEST_CASE("the stability limit of the compact stencil is that of its weights") {
    for (const Scheme& scheme : {make_scheme(Equation::compact, 2), make_compact_scheme({-6., 1., 0., 0.}),
                                 make_compact_scheme({-128. / 30., 14. / 30., 3. / 30., 1. / 30.})})
        for (const Grid& grid :
             {Grid{2, {64, 1, 60}, {10., 10., 10.}, {}}, Grid{3, {20, 19, 22}, {10., 10., 10.}, {}}}) {
            CAPTURE(scheme.compact.corner);
            CHECK(largest_after_run(scheme, 0.99, grid) <= 20.);
            CHECK(!(largest_after_run(scheme, 1.02, grid) <= 1e6));
        }
}

TEST_CASE("the phase velocity of a plane wave, with and without the error of time") {
    const Scheme scheme = make_scheme(Equation::star, 8, Coefficients::optimised);
    const std::vector<double> spacing{10., 8.};
    const double k = 2. * pi / 50.;
    for (const double angle : {0., 0.3, 0.9, pi / 2.}) {
        const std::vector<double> wave{k * std::cos(angle), k * std::sin(angle)};
        CHECK(std::abs(scheme.phase_velocity_ratio(wave, spacing, 0.) - 1.) <= kPhaseTolerance);
        const double step = 3., omega_dt = step * k * scheme.phase_velocity_ratio(wave, spacing, step);
        const double quarter = 0.25 * step * step * scheme.symbol(wave, spacing);
        CHECK(std::pow(std::sin(0.5 * omega_dt), 2) == doctest::Approx(quarter).epsilon(1e-13));
    }
    CHECK(std::isnan(scheme.phase_velocity_ratio({pi / 10., pi / 8.}, spacing, 8.)));
}
