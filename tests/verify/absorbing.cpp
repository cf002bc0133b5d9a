// Takes 45 s.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "solver/verify/experiment.hpp"
#include "tests/verify/promises.hpp"

using namespace onda;

TEST_CASE("R6: layers and sponges reflect no more than is documented, and nothing grows in them") {
    check_promises("R6");
}

TEST_CASE("a kernel that does not have the operator of a row leaves that row to another") {
    const auto group = verification_group("R6");
    const auto row = std::ranges::find(
        group.promises, "cpml, order 2, 0 degrees, 16 nodes per wavelength, variable density", &Promise::name);
    REQUIRE(row != group.promises.end());
    CHECK(check_promise(*row, {.kernel = "inplane-full"}).kept);
}

namespace {

/// Axis a of a turned box is axis turn[a] of the one that was.
using Turn = std::array<std::size_t, 3>;

template <typename T>
std::array<T, 3> turned(const std::array<T, 3>& axes, const Turn& turn) {
    return {axes[turn[0]], axes[turn[1]], axes[turn[2]]};
}

/// Other nodes, spacings and faces on every axis; mirrors on two faces, layers on the others.
verify::Experiment turned_box(const Scheme& scheme, const Turn& turn) {
    const bool compact = scheme.equation == Equation::compact;
    const std::array<const char*, 6> kinds{"cpml", "free_surface", "cpml", "cpml", "rigid", "cpml"};
    BoundaryConfig b;
    b.cpml_width = 7;
    const std::array faces{&b.x_min, &b.x_max, &b.y_min, &b.y_max, &b.z_min, &b.z_max};
    for (std::size_t face = 0; face < 6; ++face) *faces[face] = kinds[2 * turn[face / 2] + face % 2];
    verify::Experiment e;
    e.grid.n = turned<std::int64_t>({25, 21, 23}, turn);
    e.grid.spacing_m = turned<double>(compact ? std::array{10., 10., 10.} : std::array{10., 12., 8.}, turn);
    e.scheme = scheme;
    e.dt_s = 0.9 * verify::stable_dt_s(e.grid, scheme, 2500.);
    e.steps = 250;
    const Boundary boundary = make_boundary(b, e.grid, {scheme, 2500., e.dt_s, 30.}, {});
    e.halos = boundary.halos;
    e.strips = boundary.strips;
    return e;
}

/// Seismograms of a shot in a medium that differs at every node, some of them from within layers.
std::vector<double> turned_shot(const Scheme& scheme, const Turn& turn) {
    const verify::Experiment e = turned_box(scheme, turn);
    const auto rows = [&](double low, double high) -> RowReader {
        return [&turn, low, high](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::int64_t x = 0; x < std::ssize(row); ++x) {
                const std::array<std::int64_t, 3> node{x, y, z};
                std::int64_t seed = 0;
                for (std::size_t a = 0; a < 3; ++a)
                    seed += node[a] * std::array<std::int64_t, 3>{1, 1000, 1000000}[turn[a]];
                row[std::size_t(x)] = float(low + (high - low) * verify::scatter(seed));
            }
        };
    };
    const auto at = [&](double x, double y, double z) {  // in nodes
        Position position = turned<double>({x, y, z}, turn);
        for (std::size_t a = 0; a < 3; ++a) position[a] *= e.grid.spacing_m[a];
        return position;
    };
    const std::array source{SourcePoint{at(12.3, 10.2, 8.4)}};
    const std::array receivers{at(13, 11, 12), at(2, 10, 11), at(12.5, 2, 10), at(11, 18, 9), at(20, 4, 20.3)};
    const auto backend = verify::make_wavefield(e, rows(2000., 2500.), {}, rows(1500., 2500.));
    return verify::seismograms(*backend, e, verify::smooth_ricker(30.), source, receivers);
}

}  // namespace

TEST_CASE("layers are alike along x, y and z: a box that is turned gives the same seismograms") {
    for (const Scheme& scheme : {make_scheme(Equation::star, 8), make_scheme(Equation::variable_density, 8),
                                 make_scheme(Equation::compact, 2)}) {
        CAPTURE(scheme.description());
        const std::vector<double> expected = turned_shot(scheme, {0, 1, 2});
        double largest = 0.;
        for (const double p : expected) largest = verify::worse(largest, std::abs(p));
        CHECK(largest > 0.);
        for (const Turn& turn : {Turn{0, 2, 1}, Turn{1, 0, 2}, Turn{1, 2, 0}, Turn{2, 0, 1}, Turn{2, 1, 0}}) {
            const std::vector<double> p = turned_shot(scheme, turn);
            double apart = 0.;
            for (std::size_t i = 0; i < p.size(); ++i) apart = verify::worse(apart, std::abs(p[i] - expected[i]));
            CHECK(apart <= 1e-12 * largest);
        }
    }
}
