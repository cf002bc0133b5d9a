// Sources and receivers anywhere: exact on nodes, accurate between them, mirrored at free surfaces and rigid walls.
// Takes less than a second.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <numbers>

#include "solver/survey/positions.hpp"
#include "solver/survey/survey.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

constexpr FaceHalos kOpen{};

Grid grid_3d(std::array<std::int64_t, 3> n) {
    Grid grid;
    grid.n = n;
    grid.spacing_m = {10., 12.5, 5.};
    grid.origin_m = {100., -50., 20.};
    return grid;
}

Grid grid_2d(std::int64_t nx, std::int64_t nz) {
    Grid grid;
    grid.dimensions = 2;
    grid.n = {nx, 1, nz};
    grid.spacing_m = {10., 1., 5.};
    return grid;
}

Position at(const Grid& grid, double x, double y, double z) {
    return {grid.origin_m[0] + x * grid.spacing_m[0], grid.origin_m[1] + y * grid.spacing_m[1],
            grid.origin_m[2] + z * grid.spacing_m[2]};
}

NodeWeights one(const Position& position, const Grid& grid, const FaceHalos& halos, PointKind kind) {
    return point_weights(std::span(&position, 1), grid, halos, kind);
}

/// A field in node coordinates, at any (x, y, z).
using Field = std::function<double(double, double, double)>;

double sample(const NodeWeights& weights, const Grid& grid, const Field& field) {
    double sum = 0.;
    for (std::size_t i = 0; i < weights.node.size(); ++i) {
        const std::int64_t node = weights.node[i];
        const auto [x, y, z] = grid.node(node);
        sum += weights.weight[i] * field(double(x), double(y), double(z));
    }
    return sum;
}

std::vector<double> dense(const NodeWeights& weights, std::int64_t points) {
    std::vector<double> all(points, 0.);
    for (std::size_t i = 0; i < weights.node.size(); ++i) all[weights.node[i]] += weights.weight[i];
    return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace

TEST_CASE("a position on a node is that node with weight one") {
    const Grid grid = grid_3d({30, 20, 25});
    for (const PointKind kind : {PointKind::source, PointKind::receiver})
        for (const auto& node : {std::array<int, 3>{0, 0, 0}, {29, 19, 24}, {7, 3, 11}}) {
            const auto weights = one(at(grid, node[0], node[1], node[2]), grid, kOpen, kind);
            REQUIRE(weights.rows() == 1);
            REQUIRE(weights.node.size() == 1u);
            CHECK(weights.node[0] == grid.at(node[0], node[1], node[2]));
            CHECK(weights.weight[0] == 1.);
        }
    const auto partly = one(at(grid, 7., 3.3, 11.), grid, kOpen, PointKind::receiver);
    CHECK(partly.node.size() == 8u);  // off the node along y alone
}

TEST_CASE("a 2-D grid has no weights along y, and rows stay apart") {
    const Grid grid = grid_2d(30, 30);
    const std::vector<Position> positions{at(grid, 10.5, 0., 12.25), at(grid, 4., 0., 5.), at(grid, 4.5, 0., 5.)};
    const auto weights = point_weights(positions, grid, kOpen, PointKind::source);
    CHECK(weights.first == std::vector<std::int64_t>{0, 64, 65, 73});
    CHECK(*std::max_element(weights.node.begin(), weights.node.end()) < grid.points());
}

TEST_CASE("plane waves between nodes are sampled as Hicks says, in every direction") {
    const Grid grid = grid_3d({24, 24, 24});
    // Points per wavelength and what the eight-node weights reach there.
    for (const auto& row : {std::pair{4., 2.5e-3}, {6., 1.5e-3}, {10., 1.5e-3}}) {
        const double points_per_wavelength = row.first, limit = row.second;
        double largest = 0.;
        for (int i = 0; i < 400; ++i) {
            const double x = 8. + 0.137 * (i % 37), y = 9. + 0.219 * (i % 23), z = 10. + 0.173 * (i % 19);
            const double theta = 0.4 * i, up = 2. * (i % 50) / 49. - 1., k = 2. * pi / points_per_wavelength;
            const double kx = k * std::sqrt(1. - up * up) * std::cos(theta), kz = k * up;
            const double ky = k * std::sqrt(1. - up * up) * std::sin(theta);
            const Field wave = [&](double a, double b, double c) {
                return std::cos(kx * a + ky * b + kz * c + 0.3 * i);
            };
            const auto weights = one(at(grid, x, y, z), grid, kOpen, PointKind::receiver);
            largest = std::max(largest, std::abs(sample(weights, grid, wave) - wave(x, y, z)));
        }
        CAPTURE(points_per_wavelength);
        CHECK(largest <= limit);
    }
}

TEST_CASE("between nodes the error falls with the square of the spacing: no floor however fine the grid") {
    const Grid grid = grid_3d({24, 24, 24});
    // Up to where the window's own ripple counts, 8 points per wavelength.
    const auto largest_error = [&](double points_per_wavelength) {
        double largest = 0.;
        for (int i = 0; i < 200; ++i) {
            const double x = 8. + 0.137 * (i % 37), y = 9. + 0.219 * (i % 23), z = 10. + 0.173 * (i % 19);
            const double theta = 0.4 * i, up = 2. * (i % 50) / 49. - 1., k = 2. * pi / points_per_wavelength;
            const double across = k * std::sqrt(1. - up * up);
            const Field wave = [&](double a, double b, double c) {
                return std::cos(across * std::cos(theta) * a + across * std::sin(theta) * b + k * up * c + 0.3 * i);
            };
            const auto weights = one(at(grid, x, y, z), grid, kOpen, PointKind::receiver);
            largest = std::max(largest, std::abs(sample(weights, grid, wave) - wave(x, y, z)));
        }
        return largest;
    };
    for (const double points : {20., 40., 100., 1000.}) {
        CAPTURE(points);
        CHECK(largest_error(points) <= 5e-4 * std::pow(20. / points, 2));
    }
    CHECK(largest_error(1e7) <= 1e-14);
}

TEST_CASE("weights sum to one and lie where the position is, sources and receivers, folded at mirrors, too") {
    const Grid grid = grid_3d({24, 24, 24});
    const FaceHalos rigid{Halo::mirror_positive, Halo::mirror_positive, Halo::mirror_positive,
                          Halo::mirror_positive, Halo::mirror_positive, Halo::mirror_positive};
    for (int i = 0; i < 50; ++i) {
        const double x = 0.3 + 0.45 * i, y = 22.7 - 0.4 * i, z = 0.1 * i + 0.05;
        const Position position = at(grid, x, y, z);
        CHECK(sample(one(position, grid, rigid, PointKind::receiver), grid,
                     [](double, double, double) { return 1.; }) == doctest::Approx(1.).epsilon(1e-14));
        // A source's weight on a rigid wall counts twice, for half a cell.
        double total = 0.;
        const auto source = one(position, grid, rigid, PointKind::source);
        for (std::size_t k = 0; k < source.node.size(); ++k) {
            const auto node = grid.node(source.node[k]);
            double share = 1.;
            for (const std::int64_t n : node) share *= n == 0 || n == 23 ? 0.5 : 1.;
            total += share * source.weight[k];
        }
        CHECK(total == doctest::Approx(1.).epsilon(1e-14));
    }
    const auto inside = one(at(grid, 11.37, 12.81, 10.44), grid, kOpen, PointKind::receiver);
    CHECK(sample(inside, grid, [](double x, double, double) { return x; }) == doctest::Approx(11.37).epsilon(1e-13));
    CHECK(sample(inside, grid, [](double, double y, double) { return y; }) == doctest::Approx(12.81).epsilon(1e-13));
    CHECK(sample(inside, grid, [](double, double, double z) { return z; }) == doctest::Approx(10.44).epsilon(1e-13));
}

TEST_CASE("near a mirror a receiver samples the mirrored field as if the grid went on") {
    const Grid grid = grid_3d({21, 22, 23});
    const FaceHalos halos{Halo::mirror_positive, Halo::mirror_negative, Halo::mirror_negative,
                          Halo::mirror_positive, Halo::mirror_negative, Halo::mirror_negative};
    // Even or odd about the planes at node 0 and the last node of each axis: x rigid-free, y free-rigid, z free-free.
    const Field field = [](double x, double y, double z) {
        return std::cos(1.5 * pi * x / 20.) * std::sin(2.5 * pi * y / 21.) * std::sin(5. * pi * z / 22.);
    };
    Grid longer = grid;  // eight nodes more on every side hold the same field
    for (int a = 0; a < 3; ++a) {
        longer.n[a] += 16;
        longer.origin_m[a] -= 8. * grid.spacing_m[a];
    }
    const Field shifted = [&](double x, double y, double z) { return field(x - 8., y - 8., z - 8.); };
    for (const auto& p :
         {Position{0.4, 0.3, 0.2}, {19.7, 20.2, 21.9}, {2.6, 18.5, 3.1}, {0., 21., 0.5}, {10., 9., 8.}}) {
        const Position position = at(grid, p[0], p[1], p[2]);
        const double folded = sample(one(position, grid, halos, PointKind::receiver), grid, field);
        const double unfolded = sample(one(position, longer, kOpen, PointKind::receiver), longer, shifted);
        CHECK(std::abs(folded - unfolded) <= 1e-14);
        CHECK(std::abs(folded - field(p[0], p[1], p[2])) <= 2e-3);
    }
}

TEST_CASE("near a mirror a source is itself and its image") {
    const std::int64_t n = 20;
    const Grid grid = grid_2d(5, n), longer = grid_2d(5, 2 * n - 1);  // the plane is the longer grid's middle node
    for (const Halo halo : {Halo::mirror_positive, Halo::mirror_negative})
        for (const double depth : {0., 0.3, 1., 2.7, 6.2}) {
            CAPTURE(depth);
            FaceHalos halos{};
            halos[4] = halo;
            const double sign = halo == Halo::mirror_positive ? 1. : -1.;
            const auto own =
                dense(one(at(longer, 2., 0., n - 1 + depth), longer, kOpen, PointKind::source), 5 * (2 * n - 1));
            const auto image =
                dense(one(at(longer, 2., 0., n - 1 - depth), longer, kOpen, PointKind::source), 5 * (2 * n - 1));
            std::vector<double> expected;
            for (std::int64_t i = 5 * (n - 1); i < 5 * (2 * n - 1); ++i) expected.push_back(own[i] + sign * image[i]);
            const auto folded = dense(one(at(grid, 2., 0., depth), grid, halos, PointKind::source), 5 * n);
            CHECK(largest_difference(folded, expected) <= 1e-14);
        }
}

TEST_CASE("on the plane: a free surface takes no source, a rigid wall doubles it for every wall of the corner") {
    const Grid grid = grid_3d({20, 20, 20});
    FaceHalos halos{};
    halos[4] = Halo::mirror_negative;
    CHECK(one(at(grid, 5.5, 6., 0.), grid, halos, PointKind::source).node.empty());
    CHECK(one(at(grid, 5.5, 6., 0.), grid, halos, PointKind::receiver).rows() == 1);
    halos.fill(Halo::mirror_positive);
    CHECK(one(at(grid, 0., 19., 0.), grid, halos, PointKind::source).weight == std::vector<double>{8.});
    CHECK(one(at(grid, 0., 19., 0.), grid, halos, PointKind::receiver).weight == std::vector<double>{1.});
}

TEST_CASE("beyond other faces weights are dropped") {
    const Grid grid = grid_2d(20, 20);
    const auto weights = one(at(grid, 0.5, 0., 10.), grid, kOpen, PointKind::source);
    CHECK(weights.node.size() == 5u);  // nodes -3 … 4 without -3, -2, -1
    const Field constant = [](double, double, double) { return 1.; };
    CHECK(std::abs(sample(weights, grid, constant) - 1.) >= 1e-2);
}

TEST_CASE("source and receiver weights are reciprocal under the mirrored operator") {
    // A = p+ from p on a line with second-order mirrors; x^T A^m f must not change when source and receiver swap.
    const std::int64_t n = 12;
    const Grid grid = grid_2d(5, n);
    for (const auto& faces : {std::pair{Halo::mirror_positive, Halo::mirror_negative},
                              {Halo::mirror_positive, Halo::mirror_positive},
                              {Halo::mirror_negative, Halo::zero}}) {
        const Halo low = faces.first, high = faces.second;
        FaceHalos halos{};
        halos[4] = low;
        halos[5] = high;
        const auto column = [&](double z, PointKind kind) {
            std::vector<double> line;
            const auto all = dense(one(at(grid, 2., 0., z), grid, halos, kind), 5 * n);
            for (std::int64_t i = 0; i < n; ++i) line.push_back(all[2 + 5 * i]);
            return line;
        };
        const auto beyond = [&](Halo halo, double inner) {
            return halo == Halo::zero ? 0. : halo == Halo::mirror_positive ? inner : -inner;
        };
        const auto propagate = [&](double from, double to) {
            std::vector<double> p = column(from, PointKind::source);
            for (int step = 0; step < 15; ++step) {
                std::vector<double> next(n);
                for (std::int64_t i = 0; i < n; ++i) {
                    const double before = i > 0 ? p[i - 1] : beyond(low, p[1]);
                    const double after = i < n - 1 ? p[i + 1] : beyond(high, p[n - 2]);
                    next[i] = 0.4 * p[i] + 0.3 * (before + after);
                }
                if (low == Halo::mirror_negative) next[0] = 0.;
                if (high == Halo::mirror_negative) next[n - 1] = 0.;
                p = next;
            }
            const auto receiver = column(to, PointKind::receiver);
            double sum = 0.;
            for (std::int64_t i = 0; i < n; ++i) sum += receiver[i] * p[i];
            return sum;
        };
        for (const auto& pair : {std::pair{0.4, 3.7}, {0., 1.3}, {10.6, 5.5}, {0.7, 10.9}, {3., 4.}}) {
            const double a = pair.first, b = pair.second;
            if (a == 0. && low == Halo::mirror_negative) continue;  // nothing there
            CAPTURE(a);
            CAPTURE(b);
            CHECK(std::abs(propagate(a, b) - propagate(b, a)) <= 1e-15);
            CHECK(std::abs(propagate(a, b)) >= 1e-6);
        }
    }
}

TEST_CASE("derivatives of plane waves are exact to 2e-4 of them from 6 points per wavelength on, on and off nodes") {
    const Grid grid = grid_3d({30, 30, 30});
    // Along the axis alone; across it the error of the interpolation comes on top. On nodes there is none.
    for (const auto& row : {std::pair{4., 1.6e-3}, {5., 1e-4}, {6., 6e-5}, {8., 2e-4}, {10., 2.5e-4}, {20., 1e-4}}) {
        const double k = 2. * pi / row.first;
        for (const int axis : {0, 1, 2}) {
            double largest = 0.;
            for (int i = 0; i <= 40; ++i) {
                std::array<double, 3> place{14., 15., 13.};
                const auto a = static_cast<std::size_t>(axis);
                place[a] += i / 40.;
                const Position position = at(grid, place[0], place[1], place[2]);
                const Field wave = [&](double x, double y, double z) {
                    return std::sin(k * std::array{x, y, z}[a] + 0.3 * i);
                };
                NodeWeights slope = receiver_rows(std::span(&position, 1), grid, kOpen, std::array{axis});
                REQUIRE(slope.rows() == 2);
                slope.node.erase(slope.node.begin(), slope.node.begin() + slope.first[1]);
                slope.weight.erase(slope.weight.begin(), slope.weight.begin() + slope.first[1]);
                const double exact = k / grid.spacing_m[a] * std::cos(k * place[a] + 0.3 * i);
                largest = std::max(largest, std::abs(sample(slope, grid, wave) - exact) * grid.spacing_m[a] / k);
            }
            CAPTURE(row.first);
            CHECK(largest <= row.second);
        }
    }
}

TEST_CASE("derivatives of parabolas are exact anywhere, about mirrors, too, and nodes are no more than was counted") {
    const Grid grid = grid_3d({30, 26, 28});
    FaceHalos halos{};
    halos[0] = Halo::mirror_positive;
    halos[4] = Halo::mirror_negative;
    for (int i = 0; i < 60; ++i) {
        const double x = i % 3 == 0 ? 0. : 0.213 * (i % 31), y = 10. + (i % 2 == 0 ? 0. : 0.171 * (i % 23)),
                     z = i % 5 == 0 ? 0. : 0.119 * (i % 43);
        const Position position = at(grid, x, y, z);
        const std::array axes{0, 1, 2};
        const NodeWeights rows = receiver_rows(std::span(&position, 1), grid, halos, axes);
        REQUIRE(rows.rows() == 4);
        // Even about x = 0, odd about z = 0, as the mirrors have it.
        const Field field = [](double a, double b, double c) {
            return (1. + 0.1 * a * a) * (2. + 0.3 * b - 0.01 * b * b) * 0.7 * c;
        };
        const std::array<double, 3> exact{0.2 * x * (2. + 0.3 * y - 0.01 * y * y) * 0.7 * z,
                                          (1. + 0.1 * x * x) * (0.3 - 0.02 * y) * 0.7 * z,
                                          (1. + 0.1 * x * x) * (2. + 0.3 * y - 0.01 * y * y) * 0.7};
        for (const int axis : axes) {
            const auto a = static_cast<std::size_t>(axis);
            NodeWeights slope;
            const auto first = rows.first[a + 1], end = rows.first[a + 2];
            slope.node.assign(rows.node.begin() + first, rows.node.begin() + end);
            slope.weight.assign(rows.weight.begin() + first, rows.weight.begin() + end);
            CAPTURE(i);
            CAPTURE(axis);
            CHECK(end - first <= most_slope_nodes(grid, 1, weighted_nodes(grid, position)));
            // Between nodes the interpolation across the axis is exact for linear fields alone.
            const bool is_parabola_across = axis != 0 && x != std::round(x);
            const bool also_along_y = axis != 1 && y != std::round(y);
            if (!is_parabola_across && !also_along_y)
                CHECK(std::abs(sample(slope, grid, field) * grid.spacing_m[a] - exact[a]) < 1e-9);
        }
        if (x == 0.) {
            double through_wall = 0.;
            for (auto k = rows.first[1]; k < rows.first[2]; ++k)
                through_wall = std::max(through_wall, std::abs(rows.weight[static_cast<std::size_t>(k)]));
            CHECK(through_wall == 0.);
        }
        if (z == 0.) CHECK(rows.first[2] == rows.first[1]);  // nothing moves along a free surface
    }
}
