// Half-step weights are what they claim; a density that is the same everywhere changes nothing; jumps of the density do
// not make waves grow.
// Takes 4 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "kernels/equations/star/stencil.hpp"
#include "solver/model/density.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"

using namespace onda;
using namespace onda::verify;

namespace {

Experiment box(int order, double cfl_fraction, std::int64_t steps) {
    Experiment e;
    e.grid.dimensions = 2;
    e.grid.n = {43, 1, 38};
    e.grid.spacing_m = {10., 10., 8.};
    e.scheme = make_scheme(Equation::variable_density, order);
    e.halos[4] = Halo::mirror_negative;
    e.halos[0] = Halo::mirror_positive;
    e.dt_s = cfl_fraction * stable_dt_s(e.grid, e.scheme, 2000.);
    e.steps = steps;
    return e;
}

/// log10 of the largest |p| after a random field of amplitude 1 at rest, zero on a free surface.
double growth_in(const Experiment& e, const RowReader& rho) {
    const auto backend = make_wavefield(e, constant_velocity(2000.), {}, rho);
    const bool free_surface = e.halos[4] == Halo::mirror_negative;
    std::vector<double> p;
    for (std::int64_t i = 0; i < e.grid.points(); ++i)
        p.push_back(free_surface && e.grid.node(i)[2] == 0 ? 0. : 2. * scatter(i + 7) - 1.);
    backend->upload(p, p);
    backend->advance(0, e.steps);
    backend->download(Window::whole(e.grid), std::span<double>(p));
    double largest = 0.;
    for (const double value : p) largest = worse(largest, std::abs(value));
    return std::log10(largest);
}

/// That in a medium where every node has one of two densities by chance. \param pairs whether neighbours along x share
/// theirs, the worst pattern known.
double growth(const Experiment& e, double ratio, bool pairs) {
    return growth_in(e, [&](std::int64_t y, std::int64_t z, std::span<float> row) {
        for (std::int64_t x = 0; x < std::ssize(row); ++x) {
            const bool heavy = pairs ? x / 2 % 2 == 0 : scatter(e.grid.at(x, y, z)) < 0.5;
            row[static_cast<std::size_t>(x)] = static_cast<float>(heavy ? 1000. * ratio : 1000.);
        }
    });
}

std::vector<double> trace(const Scheme& scheme) {
    const std::array source{SourcePoint{}};
    const std::array<Position, 1> receiver{Position{400., 0., 300.}};
    Experiment e;
    e.grid = silent_grid(2, {10., 10., 10.}, {}, source, receiver, 1100.);
    e.scheme = scheme;
    e.dt_s = 1e-3;
    e.steps = 540;
    const auto backend = make_wavefield(e, constant_velocity(2000.), {});
    return seismograms(*backend, e, smooth_ricker(8.), source, receiver);
}

}  // namespace

TEST_CASE("half-step weights differentiate polynomials up to their order exactly") {
    for (int order = 2; order <= kMaxSpaceOrder; order += 2) {
        const auto d = staggered_weights(order);
        REQUIRE(static_cast<int>(d.size()) == order / 2 + 1);
        for (int power = 1; power <= order - 1; power += 2) {  // even powers cancel
            double sum = 0.;
            for (std::size_t k = 1; k < d.size(); ++k) sum += 2. * d[k] * std::pow(double(k) - 0.5, power);
            CHECK(sum == doctest::Approx(power == 1 ? 1. : 0.).epsilon(1e-9));
        }
        CHECK(staggered_symbol(d, 1e-3) == doctest::Approx(1e-6).epsilon(1e-6));
    }
    CHECK_THROWS_AS(staggered_weights(3), std::invalid_argument);
    CHECK_THROWS_AS(staggered_weights(18), std::invalid_argument);
}

TEST_CASE("the same density everywhere gives the seismogram of constant density") {
    // Both operators are exact to their order; 9 points per wavelength at the end of the band.
    CHECK(relative_l2(trace(make_scheme(Equation::variable_density, 16)), trace(make_scheme(Equation::star, 16))) <=
          1e-6);
    CHECK(relative_l2(trace(make_scheme(Equation::variable_density, 8)), trace(make_scheme(Equation::star, 8))) <=
          2e-3);
}

TEST_CASE("the stability limit holds for jumps of the density: any at order 2, of ten at all orders") {
    for (const bool pairs : {false, true}) {
        for (const double ratio : {3., 1000.}) CHECK(growth(box(2, 0.9999, 3000), ratio, pairs) <= 3.5);
        for (const int order : {4, 8, 16}) {
            CAPTURE(order);
            CHECK(growth(box(order, 0.97, 3000), 10., pairs) <= 3.5);
            CHECK(growth(box(order, 0.90, 3000), 30., pairs) <= 3.5);
        }
    }
    for (const int order : {2, 8, 16}) {
        CHECK(growth(box(order, 0.999, 3000), 1., false) <= 3.5);
        CHECK_FALSE(growth(box(order, 1.01, 3000), 1., false) <= 20.);
    }
}

namespace {

/// That where the density changes along x alone, and x alone counts: the nodes along z are far apart. \param heavy
/// nodes of a period that have `ratio` times the density of the others.
double growth_along_x(const Scheme& scheme, double cfl_fraction, double ratio, const std::vector<bool>& heavy) {
    Experiment e = box(2, 1., 3000);
    e.scheme = scheme;
    e.grid.n = {48, 1, 20};
    e.grid.spacing_m[2] = 1e4;
    e.halos = {};
    e.dt_s = cfl_fraction * stable_dt_s(e.grid, e.scheme, 2000.);
    return growth_in(e, [&](std::int64_t, std::int64_t, std::span<float> row) {
        for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = static_cast<float>(heavy[x % heavy.size()] ? 1000. * ratio : 1000.);
    });
}

}  // namespace

TEST_CASE("dt is stable up to the fractions that are told to be safe, and not far above them") {
    std::vector<bool> plane(48, false);
    std::fill(plane.begin() + 24, plane.end(), true);
    const std::vector<std::vector<bool>> patterns{
        {false, true}, {false, false, true}, {false, true, true}, {false, false, true, true}, plane};
    const auto scheme = [](int order, Coefficients coefficients) {
        return make_scheme(Equation::variable_density, order, coefficients);
    };
    for (const Coefficients coefficients : {Coefficients::taylor, Coefficients::optimised})
        for (const double ratio : {2., 10., 20., 100.})
            for (const int order : {2, 8, 16})
                for (const auto& heavy : patterns) {
                    CAPTURE(ratio);
                    CAPTURE(order);
                    CAPTURE(heavy.size());
                    CHECK(growth_along_x(scheme(order, coefficients), safe_cfl_fraction(ratio), ratio, heavy) <= 4.5);
                }
    for (const auto& row : {std::pair{10., 0.97}, {20., 0.93}, {100., 0.73}}) {
        const double ratio = row.first, fraction = row.second;
        CAPTURE(ratio);
        CHECK_FALSE(growth_along_x(scheme(16, Coefficients::optimised), fraction, ratio, {false, true, false}) <= 10.);
    }
    // Air over rock needs another axis, which the jump leaves as it is.
    const Scheme taylor = scheme(16, Coefficients::taylor);
    CHECK_FALSE(growth_along_x(taylor, safe_cfl_fraction(830.), 830., plane) <= 10.);
    CHECK(growth_along_x(taylor, 0.62, 830., plane) <= 5.);
}

TEST_CASE("a plane below air is stable at the fraction that is told, on equal spacings") {
    const auto growth_at = [](double cfl_fraction) {
        Experiment e = box(16, 1., 3000);
        e.grid.spacing_m = {10., 10., 10.};
        e.dt_s = cfl_fraction * stable_dt_s(e.grid, e.scheme, 2000.);
        return growth_in(e, [](std::int64_t, std::int64_t z, std::span<float> row) {
            std::fill(row.begin(), row.end(), z < 16 ? 1.2f : 1000.f);
        });
    };
    CHECK(growth_at(safe_cfl_fraction(1000. / 1.2)) <= 5.);
    CHECK_FALSE(growth_at(0.8) <= 10.);
}
