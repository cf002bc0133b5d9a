// The weights of second derivatives sum to exactly zero in every precision, order, spacing and dimension, and are still
// those of the scheme; a constant field stays what it is in every kernel.
// Takes 1 s.
#include "kernels/equations/coefficients/zero_sum.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/fields.hpp"
#include "tests/kernels/kernel_cases.hpp"

using namespace onda;
using namespace onda::test;

namespace {

/// Exactly: weights of one quantum need far fewer digits than a long double has.
template <typename T>
long double sum_of(const Stencil<T>& s) {
    long double sum = s.centre;
    for (const auto& axis : s.axis)
        for (int k = 1; k <= s.radius; ++k) sum += 2.L * axis[k];
    return sum;
}

template <typename T>
long double compact_sum_of(const Stencil<T>& s) {
    const auto& [a, b, c, d] = s.compact;
    if (s.dimensions == 2) return (a + 2.L * b) + 2.L * (b + 2.L * c);
    return (a + 4.L * b + 4.L * c) + 2.L * (b + 4.L * c + 4.L * d);
}

/// symbol of the rounded weights over that of the scheme, minus 1, at its worst for waves along an axis down to 3
/// points per wavelength.
template <typename T>
double symbol_error(const Stencil<T>& s, const Scheme& scheme, int axis, double spacing_m) {
    double worst = 0.;
    for (double kh = 0.01; kh <= 2.; kh += 0.05) {
        std::vector<double> weights{0.};
        for (int k = 1; k <= s.radius; ++k)
            weights.push_back(static_cast<double>(s.axis[axis][k]) * spacing_m * spacing_m);
        worst = std::max(worst, std::abs(second_derivative_symbol(weights, kh) / scheme.axis_symbol(kh) - 1.));
    }
    return worst;
}

/// Spacings from 0.1 mm to 10 km, on axes that differ by up to `most`.
std::array<double, 3> spacings(std::uint64_t seed, double most) {
    const double finest = std::pow(10., 8. * noise(seed, 1) - 4.);
    std::array<double, 3> h{};
    for (std::uint64_t a = 0; a < 3; ++a) h[a] = finest * std::pow(most, noise(seed, 2 + a));
    return h;
}

/// \param unit relative rounding error of T.
template <typename T>
void check_star(const Scheme& scheme, int dimensions, double unit) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
        const auto h = spacings(seed, seed % 4 == 0 ? 1. : 5.);
        const auto s = make_stencil<T>(scheme, h, dimensions);
        CAPTURE(scheme.description());
        CAPTURE(seed);
        REQUIRE(sum_of(s) == 0.L);
        const double finest = dimensions == 3 ? std::min({h[0], h[1], h[2]}) : std::min(h[0], h[2]);
        for (const int axis : {0, 1, 2})
            if (dimensions == 3 || axis != 1)
                REQUIRE(symbol_error(s, scheme, axis, h[axis]) <= 24. * unit * std::pow(h[axis] / finest, 2));
    }
}

}  // namespace

TEST_CASE("star weights sum to exactly zero and have the symbol of the scheme") {
    for (const Coefficients coefficients : {Coefficients::taylor, Coefficients::optimised})
        for (int order = 2; order <= kMaxSpaceOrder; order += 2)
            for (const int dimensions : {2, 3}) {
                if (order == 2 && coefficients == Coefficients::optimised) continue;
                const Scheme scheme = make_scheme(Equation::star, order, coefficients);
                check_star<float>(scheme, dimensions, 0x1p-24);
                check_star<double>(scheme, dimensions, 0x1p-53);
            }
}

TEST_CASE("round spacings, as people use them, sum to exactly zero, too") {
    for (const double h : {0.04, 0.1, 1., 2., 2.5, 5., 6.25, 7.5, 10., 12.5, 15., 20., 25., 30., 50., 100.})
        for (int order = 2; order <= kMaxSpaceOrder; order += 2)
            for (const int dimensions : {2, 3}) {
                const Scheme scheme = make_scheme(Equation::star, order);
                CHECK(sum_of(make_stencil<float>(scheme, {h, h, h}, dimensions)) == 0.L);
                CHECK(sum_of(make_stencil<float>(scheme, {h, 0.7 * h, 0.3 * h}, dimensions)) == 0.L);
            }
}

TEST_CASE("compact weights sum to exactly zero and keep what long waves see") {
    const Scheme skew =
        make_compact_scheme({-6. + 12. * 0.1 - 8. * 0.07, 1. - 4. * 0.1 + 4. * 0.07, 0.1 - 2. * 0.07, 0.07});
    for (const Scheme& scheme : {make_scheme(Equation::compact, 2), skew})
        for (const int dimensions : {2, 3})
            for (std::uint64_t seed = 0; seed < 15; ++seed) {
                const double h = spacings(seed, 1.)[0];
                const auto single = make_stencil<float>(scheme, {h, h, h}, dimensions);
                REQUIRE(compact_sum_of(single) == 0.L);
                REQUIRE(compact_sum_of(make_stencil<double>(scheme, {h, h, h}, dimensions)) == 0.L);
                const auto& [a, b, c, d] = single.compact;
                const double seen =
                    dimensions == 3 ? double(b) + 4. * double(c) + 4. * double(d) : double(b) + 2. * double(c);
                REQUIRE(std::abs(seen * h * h - 1.) <= 12. * 0x1p-24);
            }
}

TEST_CASE("spacings whose weights the precision does not hold are refused") {
    const Scheme scheme = make_scheme(Equation::star, 8);
    for (const double h : {1e-25, 1e25, 0., std::nan("")}) {
        CAPTURE(h);
        CHECK_THROWS_AS(make_stencil<float>(scheme, {h, h, h}, 3), std::invalid_argument);
        CHECK_THROWS_AS(make_stencil<float>(make_scheme(Equation::compact, 2), {h, h, h}, 3), std::invalid_argument);
    }
    CHECK_NOTHROW(make_stencil<double>(scheme, {1e25, 1e25, 1e25}, 3));
}

TEST_CASE("a constant field stays constant, to the last bit, in every kernel") {
    for (const int dimensions : {2, 3})
        for (const Equation equation : {Equation::star, Equation::compact, Equation::variable_density})
            for (const int order : {2, 4, 8, 12, 16})
                for (const Precision precision : {Precision::float32, Precision::float64})
                    for (const std::string& kernel : cpu::kernels_of(equation)) {
                        if (equation == Equation::compact && order > 2) continue;
                        Case room{"room", {dimensions, {19, dimensions == 3 ? 11 : 1, 13}, {9., 9., 9.}, {}}, {}};
                        for (std::size_t face = 0; face < 6; ++face)
                            if (dimensions == 3 || face / 2 != 1) room.halos[face] = kRigid;
                        Setup setup = setup_of(room, order, precision, equation);
                        setup.kernel = kernel;
                        setup.threads = 2;
                        const auto wavefield = make_uniform_wavefield(setup, cpu::make_medium);
                        const std::vector<double> ones(static_cast<std::size_t>(room.grid.points()), 1.);
                        wavefield->upload(ones, ones);
                        wavefield->advance(0, 25);
                        std::vector<double> p(ones.size());
                        wavefield->download(Window::whole(room.grid), std::span<double>(p));
                        CAPTURE(kernel);
                        CAPTURE(setup.scheme.description());
                        CHECK(p == ones);
                    }
}
