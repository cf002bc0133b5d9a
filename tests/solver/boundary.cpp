// Each face gets the halo rule and the strip of its kind.
// Takes 3 s.
#include "solver/discretisation/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numbers>
#include <spdlog/fmt/fmt.h>  // before the first `using namespace onda`, whose operator+ clang would try on its integers

#include "io/text/error.hpp"
#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/sponge.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/wavefield.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

Grid grid_of_nodes(int dimensions, std::array<std::int64_t, 3> n) {
    Grid grid;
    grid.dimensions = dimensions;
    grid.n = n;
    grid.spacing_m = {10., 20., 5.};
    return grid;
}

BoundaryConfig faces_of(const std::string& kind) {
    return {kind, kind, kind, kind, kind, kind, "inside", 20, 1e-6, {}, 20, 1e-3};
}

Waves waves(double vp_max_m_s, double dt_s) {
    return {make_scheme(Equation::star, 8), vp_max_m_s, dt_s, 20.};
}

std::string boundary_error(const BoundaryConfig& config, const Grid& grid) {
    return message_of([&] { static_cast<void>(make_boundary(config, grid, waves(3000., 0.001), {})); },
                      ExitCode::config);
}

}  // namespace

TEST_CASE("every kind of the table is accepted on every face, in any combination") {
    const Grid grid = grid_of_nodes(3, {64, 64, 64});
    std::string BoundaryConfig::*const members[6] = {&BoundaryConfig::x_min, &BoundaryConfig::x_max,
                                                     &BoundaryConfig::y_min, &BoundaryConfig::y_max,
                                                     &BoundaryConfig::z_min, &BoundaryConfig::z_max};
    for (const BoundaryKind& on_one : boundary_kinds())
        for (const BoundaryKind& elsewhere : boundary_kinds())
            for (int face = 0; face < 6; ++face) {
                BoundaryConfig config = faces_of(std::string(elsewhere.name));
                config.*members[face] = on_one.name;
                const Boundary boundary = make_boundary(config, grid, waves(3000., 0.001), {});
                for (int f = 0; f < 6; ++f) {
                    const BoundaryKind& expected = f == face ? on_one : elsewhere;
                    CHECK(boundary.halos[f] == expected.halo);
                    CHECK(make_faces(config, grid, {}).nodes_inside[f] == (expected.strip != nullptr ? 20 : 0));
                    CHECK(boundary.strips.get<Cpml>().face[f].width() == (expected.name == "cpml" ? 20 : 0));
                    const auto& taper = boundary.strips.get<Sponge>().taper[f / 2];
                    const double at_face = taper.empty() ? 1. : f % 2 == 0 ? taper.front() : taper.back();
                    CHECK((at_face < 1.) == (expected.name == "sponge"));
                }
            }
}

TEST_CASE("a wave that crosses the strip twice loses the designed factor") {
    const Grid grid = grid_of_nodes(3, {100, 100, 100});
    const BoundaryConfig config = faces_of("sponge");
    const double dt = 0.0005, vp = 3000.;
    const Boundary boundary = make_boundary(config, grid, waves(vp, dt), {});
    for (int axis = 0; axis < 3; ++axis) {
        const auto& taper = boundary.strips.get<Sponge>().taper[axis];
        REQUIRE(taper.size() == 100u);
        double log_loss = 0.;  // the wave spends h / (vp dt) steps on each node, going in and coming back
        for (int i = 0; i < 20; ++i) {
            CHECK(taper[i] < taper[i + 1]);
            CHECK(taper[i] == taper[99 - i]);
            log_loss += 2. * grid.spacing_m[axis] / (vp * dt) * std::log(taper[i]);
        }
        for (int i = 20; i < 80; ++i) CHECK(taper[i] == 1.);
        CHECK(std::exp(log_loss) == doctest::Approx(1e-3).epsilon(0.6));  // a sum for an integral over 20 nodes
        CHECK(std::exp(log_loss) <= 1e-3);
    }
}

TEST_CASE("a layer leaves of a wave that crosses it twice what was asked for") {
    const Grid grid = grid_of_nodes(3, {100, 100, 100});
    const double dt = 0.0005, vp = 3000.;
    const Boundary boundary = make_boundary(faces_of("cpml"), grid, waves(vp, dt), {});
    const double offset = factor_of(make_scheme(Equation::star, 8)).offset;
    for (int face = 0; face < 6; ++face) {
        const CpmlFace& layer = boundary.strips.get<Cpml>().face[face];
        REQUIRE(layer.width() == 20);
        double sum = 0.;  // of the damping d = -log(b) / dt - alpha, times the spacing
        for (int t = 0; t < 20; ++t)
            for (const bool is_psi : {true, false}) {
                const double x = (t + (is_psi ? offset : 1.)) / 20.;
                const double b = (is_psi ? layer.b_psi : layer.b_zeta)[t], a = (is_psi ? layer.a_psi : layer.a_zeta)[t];
                const double alpha = std::numbers::pi * 20. * (1. - x), d = -std::log(b) / dt - alpha;
                CHECK(d > 0.);
                CHECK(a == doctest::Approx(d / (d + alpha) * (b - 1.)).epsilon(1e-6));
                if (!is_psi) sum += d * grid.spacing_m[face / 2];
            }
        // a sum over 20 nodes for the integral of x^2, 8 % too large
        CHECK(2. * sum / vp == doctest::Approx(1.077 * std::log(1e6)).epsilon(0.01));
    }
}

namespace {

/// The largest |p| after each of so many times 65,536 steps of order 2 in single precision, of noise in a channel with
/// rigid walls and layers at its ends.
std::vector<double> largest_in_layers(const BoundaryConfig& config, double frequency_hz, int pieces) {
    Setup setup;
    setup.grid = {2, {3, 1, 100}, {10., 1., 10.}, {}};
    setup.scheme = make_scheme(Equation::star, 2);
    setup.threads = 1;
    const double vp_m_s = 2000.;
    const double dt_s = 0.9 * setup.scheme.stability_limit_in_layers_s({10., 10.}, vp_m_s);
    const Boundary boundary = make_boundary(config, setup.grid, {setup.scheme, vp_m_s, dt_s, frequency_hz}, {});
    setup.halos = boundary.halos;
    setup.strips = boundary.strips;
    const RowReader vp = [](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, 2000.f); };
    const auto wavefield = cpu::make_medium(setup, {vp}, dt_s)->make_wavefield();
    std::vector<double> p(static_cast<std::size_t>(setup.grid.points()));
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = std::sin(static_cast<double>(i * i));
    wavefield->upload(p, p);
    std::vector<double> largest;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
        wavefield->advance(65'536 * piece, 65'536);
        largest.push_back(wavefield->extremum().max_abs);
    }
    return largest;
}

}  // namespace

TEST_CASE("layers for waves of any length do not grow from rounding in single precision") {
    BoundaryConfig config = faces_of("rigid");
    config.z_min = config.z_max = "cpml";
    for (const double nodes_per_wavelength : {550., 2000., 1e6}) {
        CAPTURE(nodes_per_wavelength);
        const double frequency_hz = 2000. / 10. / nodes_per_wavelength;
        const std::vector<double> largest = largest_in_layers(config, frequency_hz, 3);
        for (std::size_t i = 1; i < largest.size(); ++i) CHECK(largest[i] < largest[i - 1]);
    }
}

TEST_CASE("near its face a layer lets a thousandth of what is at rest through") {
    for (const double reflection : {1e-3, 1e-6, 1e-30})
        for (const std::int64_t width : {10, 20, 100})
            for (const double frequency_hz : {1e-6, 0.5, 20.})
                for (const bool is_set : {false, true}) {
                    BoundaryConfig config = faces_of("cpml");
                    config.cpml_width = width;
                    config.cpml_reflection = reflection;
                    Waves wanted = waves(3000., 0.001);
                    if (is_set)
                        config.cpml_frequency_hz = frequency_hz;
                    else
                        wanted.frequency_hz = frequency_hz;
                    const CpmlFace face =
                        make_boundary(config, grid_of_nodes(2, {300, 1, 300}), wanted, {}).strips.get<Cpml>().face[0];
                    // The factor of zeta at the last node but one: 1 + a / (1 - b) is alpha / (d + alpha).
                    const auto at = static_cast<std::size_t>(width) - 2;
                    CAPTURE(width);
                    CHECK(1. + face.a_zeta[at] / (1. - face.b_zeta[at]) > 0.9e-3);
                }
}

TEST_CASE("2-D has no y faces") {
    const Grid grid = grid_of_nodes(2, {64, 1, 64});
    const Boundary sponge = make_boundary(faces_of("sponge"), grid, waves(3000., 0.001), {});
    CHECK(sponge.strips.get<Sponge>().taper[1].empty());
    CHECK(sponge.strips.get<Sponge>().taper[0].size() == 64u);
    const FaceHalos mirrors = make_faces(faces_of("free_surface"), grid, {}).halos;
    CHECK(mirrors[2] == Halo::zero);
    CHECK(mirrors[3] == Halo::zero);
    CHECK(mirrors[4] == Halo::mirror_negative);
}

namespace {

/// p after some steps of a smooth start in a channel between two mirrors, x by z; by z alone in a medium of two
/// densities.
std::vector<double> after_steps(Equation equation, std::int64_t nz, Halo low, Halo high,
                                const std::function<double(std::int64_t x, std::int64_t z)>& start,
                                const std::function<double(std::int64_t z)>& rho) {
    Setup setup;
    setup.grid = {2, {24, 1, nz}, {10., 1., 10.}, {}};
    setup.scheme = make_scheme(equation, 16);
    setup.precision = Precision::float64;
    setup.halos = {Halo::zero, Halo::zero, Halo::zero, Halo::zero, low, high};
    setup.threads = 1;
    const RowReader vp = [](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, 2000.f); };
    const auto fill_rho = [&](std::int64_t, std::int64_t z, std::span<float> row) {
        std::ranges::fill(row, static_cast<float>(rho(z)));
    };
    MediumReaders readers{vp};
    if (has_parameter(setup.scheme.equation, "rho")) readers.emplace_back(fill_rho);
    const auto wavefield = cpu::make_medium(setup, readers, 1e-3)->make_wavefield();
    std::vector<double> p;
    for (std::int64_t i = 0; i < setup.grid.points(); ++i)
        p.push_back(start(setup.grid.node(i)[0], setup.grid.node(i)[2]));
    wavefield->upload(p, p);
    wavefield->advance(0, 40);
    wavefield->download(Window::whole(setup.grid), std::span<double>(p));
    return p;
}

}  // namespace

TEST_CASE("mirrors closer together than the stencil is wide reflect as often as it reaches") {
    constexpr std::int64_t n = 5, wide = 4 * (n - 1) + 1;  // order 16 reads 8 nodes on either side, with densities 15
    for (const Equation equation : {Equation::star, Equation::variable_density})
        for (const Halo low : {Halo::mirror_positive, Halo::mirror_negative})
            for (const Halo high : {Halo::mirror_positive, Halo::mirror_negative}) {
                const auto sign = [](Halo halo) { return halo == Halo::mirror_negative ? -1. : 1.; };
                const std::function<double(std::int64_t, std::int64_t)> start = [&](std::int64_t x, std::int64_t z) {
                    if (z >= n) return sign(high) * start(x, 2 * (n - 1) - z);
                    if (z < 0) return sign(low) * start(x, -z);
                    if ((z == 0 && sign(low) < 0.) || (z == n - 1 && sign(high) < 0.)) return 0.;
                    return std::sin(1. + static_cast<double>(x)) + static_cast<double>(z * z);
                };
                const std::function<double(std::int64_t)> rho = [&](std::int64_t z) {
                    return z >= n ? rho(2 * (n - 1) - z) : z < 0 ? rho(-z) : 1000. + 300. * static_cast<double>(z);
                };
                // Unfolded about its walls the field goes on beyond them, where no mirror is near.
                const auto narrow = after_steps(equation, n, low, high, start, rho);
                const auto unfolded = after_steps(equation, wide, low, low, start, rho);
                for (std::size_t i = 0; i < narrow.size(); ++i)
                    CHECK(narrow[i] == doctest::Approx(unfolded[i]).epsilon(1e-11));
            }
}

TEST_CASE("faults name the key, the value and what to do") {
    const std::string narrow = boundary_error(faces_of("sponge"), grid_of_nodes(3, {64, 39, 64}));
    CHECK(contains(narrow, "boundary.sponge_width"));
    CHECK(contains(narrow, "two sponges of 20 nodes do not fit into the 39 nodes along y; use 19 or less"));
    CHECK(boundary_error(faces_of("sponge"), grid_of_nodes(3, {64, 40, 64})) == "no error");

    BoundaryConfig config = faces_of("rigid");
    config.z_max = "cpmll";
    CHECK(contains(boundary_error(config, grid_of_nodes(3, {64, 64, 64})),
                   "boundary.z_max: 'cpmll': must be one of zero, free_surface, rigid, sponge, cpml"));
    config = faces_of("sponge");
    config.sponge_reflection = 1.;
    CHECK(contains(boundary_error(config, grid_of_nodes(3, {64, 64, 64})), "boundary.sponge_reflection"));
    const std::string thick = boundary_error(faces_of("cpml"), grid_of_nodes(3, {64, 39, 64}));
    CHECK(contains(thick, "boundary.cpml_width"));
    CHECK(contains(thick, "two perfectly matched layers of 20 nodes do not fit into the 39 nodes along y"));
    config = faces_of("cpml");
    config.cpml_reflection = 0.;
    CHECK(contains(boundary_error(config, grid_of_nodes(3, {64, 64, 64})), "boundary.cpml_reflection"));
    config = faces_of("sponge");
    config.sponge_width = 0;
    CHECK(boundary_error(config, grid_of_nodes(3, {64, 64, 64})) != "no error");
}
