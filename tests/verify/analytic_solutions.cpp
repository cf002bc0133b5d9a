// The exact solutions that the verification table trusts, each against an independent computation.
// Takes 1 s.
#include <cmath>
#include <complex>
#include <doctest/doctest.h>
#include <limits>
#include <numbers>

#include "kernels/equations/star/stencil.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/point_source.hpp"

using namespace onda;
using namespace onda::verify;

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kF0 = 20., kT0 = 1.5 / kF0, kC = 2000.;

double signature(double t) {
    return t < 0. ? 0. : ricker(kF0, kT0, t);
}

/// Spectrum of the Ricker wavelet: 2 f^2 / (sqrt(pi) f0^3) exp(-f^2 / f0^2) and the delay.
std::complex<double> spectrum(double f) {
    const double amplitude = 2. * f * f / (std::sqrt(kPi) * kF0 * kF0 * kF0) * std::exp(-f * f / (kF0 * kF0));
    return std::polar(amplitude, -2. * kPi * f * kT0);
}

/// p(t) = 2 Re int_0^inf S(f) (-i/4) H_0^(2)(2 pi f r / c) exp(2 pi i f t) df
double hankel_pressure(double r, double t) {
    constexpr double df = 0.01;
    std::complex<double> sum = 0.;
    for (double f = df; f < 8. * kF0; f += df) {
        const double argument = 2. * kPi * f * r / kC;
        const std::complex<double> hankel(std::cyl_bessel_j(0., argument), -std::cyl_neumann(0., argument));
        sum += spectrum(f) * std::complex<double>(0., -0.25) * hankel * std::polar(1., 2. * kPi * f * t);
    }
    return 2. * sum.real() * df;
}

/// A line source is a row of point sources: int s(t - R/c) / (4 pi R) dy, R^2 = r^2 + y^2.
double row_of_point_sources(double r, double t) {
    constexpr double dy = 0.05;
    double sum = 0.5 * greens_function_3d(signature, r, kC, t);
    for (double y = dy; std::hypot(r, y) < kC * t; y += dy)
        sum += greens_function_3d(signature, std::hypot(r, y), kC, t);
    return 2. * sum * dy;
}

}  // namespace

TEST_CASE("the 3-D Green's function is the delayed signature over 4 pi r") {
    CHECK(std::abs(greens_function_3d(signature, 300., kC, kT0 + 0.15) - 1. / (4. * kPi * 300.)) <= 1e-15);
    CHECK(greens_function_3d(signature, 300., kC, 0.1499) == 0.);
}

TEST_CASE("the 2-D Green's function equals the Hankel integral and a row of 3-D point sources") {
    double largest = 0., hankel_error = 0., row_error = 0.;
    for (double t = 0.1; t < 0.5; t += 0.017) {
        const double p = greens_function_2d(signature, 250., kC, t);
        largest = std::max(largest, std::abs(p));
        hankel_error = std::max(hankel_error, std::abs(p - hankel_pressure(250., t)));
        row_error = std::max(row_error, std::abs(p - row_of_point_sources(250., t)));
    }
    CHECK(largest > 0.02);
    CHECK(hankel_error <= 1e-7 * largest);
    CHECK(row_error <= 1e-7 * largest);
}

TEST_CASE("an axis mode is an eigenvector of the mirrored stencil of every order") {
    using enum Halo;
    constexpr std::int64_t n = 14;
    for (const auto& [low, high] : {std::pair{mirror_negative, mirror_negative},
                                    {mirror_positive, mirror_positive},
                                    {mirror_negative, mirror_positive},
                                    {mirror_positive, mirror_negative}})
        for (int order = 2; order <= kMaxSpaceOrder; order += 2) {
            const auto c = second_derivative_weights(order);
            const AxisMode mode = axis_mode(low, high, n, 5, order / 2);
            const auto value = [&, low_face = low, high_face = high](std::int64_t i) {
                if (i < 0) return (low_face == mirror_negative ? -1. : 1.) * mode.shape[std::size_t(-i)];
                if (i >= n) return (high_face == mirror_negative ? -1. : 1.) * mode.shape[std::size_t(2 * n - 2 - i)];
                return mode.shape[std::size_t(i)];
            };
            for (std::int64_t i = 0; i < n; ++i) {
                double second = c[0] * value(i);
                for (std::int64_t k = 1; k <= order / 2; ++k)
                    second += c[std::size_t(k)] * (value(i - k) + value(i + k));
                CHECK(std::abs(second + second_derivative_symbol(c, mode.kh) * value(i)) <= 1e-13);
            }
        }
}

TEST_CASE("zero faces have an exact mode at order 2 and refuse others") {
    const AxisMode mode = axis_mode(Halo::zero, Halo::zero, 9, 3, 1);
    for (std::size_t i = 1; i < 8; ++i) {
        const double second = mode.shape[i - 1] - 2. * mode.shape[i] + mode.shape[i + 1];
        CHECK(std::abs(second + (2. - 2. * std::cos(mode.kh)) * mode.shape[i]) <= 1e-14);
    }
    CHECK(std::abs(mode.shape[1] - 2. * std::cos(mode.kh) * mode.shape[0]) <= 1e-14);
    CHECK_THROWS_AS(axis_mode(Halo::zero, Halo::zero, 9, 3, 2), std::invalid_argument);
    CHECK_THROWS_AS(axis_mode(Halo::zero, Halo::mirror_positive, 9, 3, 1), std::invalid_argument);
}

TEST_CASE("the discrete frequency tends to c k and solves the dispersion relation") {
    const std::vector<double> h{10., 5.};
    const std::vector<double> fine{3e-5, 8e-5};
    const Scheme star = make_scheme(Equation::star, 2);
    CHECK(std::abs(discrete_frequency(star, fine, h, kC, 1e-3) / (kC * std::hypot(fine[0], fine[1])) - 1.) <= 1e-7);
    const double symbol = (2. - 2. * std::cos(1.1)) / 100. + (2. - 2. * std::cos(0.7)) / 25.;
    const double omega = discrete_frequency(star, {1.1 / 10., 0.7 / 5.}, h, kC, 1e-3);
    CHECK(std::abs(2. * std::cos(omega * 1e-3) - (2. - kC * kC * 1e-6 * symbol)) <= 1e-14);
}

TEST_CASE("the symbol of the compact stencil is that of its 27 weights; in 2-D, of the 9 on a field constant along y") {
    const Scheme compact = make_scheme(Equation::compact, 2);
    const auto& w = compact.compact;
    for (const std::array<double, 3>& kh : {std::array{0.3, 0.5, 1.1}, {2.9, 0.1, 1.7}, {1.2, 0., 0.8}}) {
        double sum = 0.;
        for (int z = -1; z <= 1; ++z)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x) {
                    const int steps = std::abs(x) + std::abs(y) + std::abs(z);
                    const double weight = steps == 0 ? w.centre : steps == 1 ? w.face : steps == 2 ? w.edge : w.corner;
                    sum -= weight * std::cos(kh[0] * x + kh[1] * y + kh[2] * z);
                }
        CHECK(compact.symbol({kh[0] / 10., kh[1] / 10., kh[2] / 10.}, {10., 10., 10.}) ==
              doctest::Approx(sum / 100.).epsilon(1e-13));
        if (kh[1] == 0.)
            CHECK(compact.symbol({kh[0] / 10., kh[2] / 10.}, {10., 10.}) == doctest::Approx(sum / 100.).epsilon(1e-13));
    }
    // the largest eigenvalue is 16 / 3: sqrt(3) / 2 cells a step, against 1 / sqrt(3) of the star
    CHECK(compact.stability_limit_s({10., 10., 10.}, 2000.) == doctest::Approx(std::sqrt(3.) / 2. * 10. / 2000.));
    CHECK(compact.stability_limit_s({10., 10.}, 2000.) == doctest::Approx(std::sqrt(3.) / 2. * 10. / 2000.));
}

TEST_CASE("two walls make three images, with the product of their signs") {
    FaceHalos walls{};
    walls[0] = Halo::mirror_positive;
    walls[4] = Halo::mirror_negative;
    const auto all = with_images({{{20., 0., 30.}, 2., 0}}, walls);
    REQUIRE(all.size() == 4);
    double total = 0., moment = 0.;
    for (const SourcePoint& source : all) {
        total += source.amplitude;
        moment += source.amplitude * source.position_m[2];
        CHECK(std::abs(source.position_m[0]) == 20.);
    }
    CHECK(total == 0.);
    CHECK(moment == 2. * 2. * 60.);
}

TEST_CASE("the relative L2 error is a norm that no NaN passes") {
    const std::vector<double> exact{3., 4.}, close{3., 4.5}, zero{0., 0.};
    CHECK(std::abs(relative_l2(close, exact) - 0.1) <= 1e-15);
    CHECK(std::isnan(relative_l2(zero, zero)));
    CHECK(std::isnan(relative_l2(std::vector<double>{3., std::numeric_limits<double>::quiet_NaN()}, exact)));
}
