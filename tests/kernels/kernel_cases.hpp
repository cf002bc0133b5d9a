/// \file
/// Awkward grids with every boundary, sources and receivers, for comparing kernels by their bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/sponge.hpp"
#include "kernels/medium.hpp"
#include "kernels/wavefield.hpp"
#include "tests/kernels/fields.hpp"

namespace onda::test {

struct Case {
    std::string name;
    Grid grid;
    FaceHalos halos;
    bool sponge = false;
    int steps = 12;
    std::array<std::int64_t, 6> layers{};  ///< nodes of the perfectly matched layer of each face
};

inline constexpr Halo kZero = Halo::zero, kFree = Halo::mirror_negative, kRigid = Halo::mirror_positive;

// Extents of one, of less than the radius, of no multiple of anything, and beyond one tile of the in-plane kernel.
inline const std::vector<Case> kCases{
    {"3-D, zero faces", {3, {37, 19, 23}, {10., 10., 10.}, {}}, {}},
    {"3-D, unequal spacings, free top, sponge",
     {3, {45, 13, 31}, {7.5, 12., 9.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     true},
    {"3-D, all mirrors", {3, {21, 35, 9}, {10., 8., 11.}, {}}, {kRigid, kFree, kFree, kRigid, kFree, kRigid}},
    {"3-D, several tiles",
     {3, {139, 71, 12}, {10., 10., 10.}, {}},
     {kZero, kRigid, kZero, kFree, kRigid, kZero},
     true,
     5},
    {"3-D, thinner than the radius",
     {3, {3, 2, 5}, {10., 10., 10.}, {}},
     {kFree, kRigid, kRigid, kZero, kFree, kRigid}},
    {"3-D, one node", {3, {1, 1, 1}, {10., 10., 10.}, {}}, {}},
    {"3-D, one plane", {3, {33, 17, 1}, {10., 10., 10.}, {}}, {}},
    {"2-D, free top, sponge", {2, {61, 1, 47}, {10., 10., 6.}, {}}, {kZero, kZero, kZero, kZero, kFree, kZero}, true},
    {"3-D, layers all around", {3, {47, 29, 31}, {10., 8., 9.}, {}}, {}, false, 16, {9, 9, 9, 9, 9, 9}},
    {"3-D, layers of every width beside mirrors and a sponge",
     {3, {41, 23, 37}, {10., 10., 10.}, {}},
     {kZero, kRigid, kZero, kZero, kFree, kZero},
     true,
     16,
     {5, 0, 1, 7, 0, 2}},
    {"3-D, layers wider than a warp", {3, {101, 11, 9}, {10., 10., 10.}, {}}, {}, false, 20, {33, 41, 3, 4, 9, 0}},
    {"3-D, layers that fill the grid", {3, {8, 13, 7}, {10., 10., 10.}, {}}, {}, false, 40, {4, 4, 13, 0, 0, 7}},
    {"2-D, layers, free top",
     {2, {61, 1, 47}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     false,
     40,
     {20, 8, 0, 0, 0, 6}},
    {"2-D, layers above and below", {2, {101, 1, 47}, {10., 10., 6.}, {}}, {}, false, 40, {20, 8, 0, 0, 6, 7}},
    {"2-D, beyond one tile", {2, {1100, 1, 11}, {10., 10., 10.}, {}}, {kRigid, kFree, kZero, kZero, kFree, kZero}},
    // Fewer planes than the radius, whose mirror images give the halo values that are not zero.
    {"3-D, two planes between mirrors",
     {3, {33, 17, 2}, {10., 10., 10.}, {}},
     {kZero, kFree, kZero, kRigid, kRigid, kRigid}},
};

/// A case with the spacing of x on every axis.
inline Case with_equal_spacings(Case c) {
    c.grid.spacing_m.fill(c.grid.spacing_m[0]);
    return c;
}

/// The operators that every order has.
inline constexpr std::array kOperators{Equation::star, Equation::variable_density};
/// The same, and those whose nodes remember or have two stresses.
inline constexpr std::array kAllOperators{Equation::star,
                                          Equation::variable_density,
                                          Equation::attenuation,
                                          Equation::attenuation_of_two,
                                          Equation::attenuation_density,
                                          Equation::attenuation_density_of_two,
                                          Equation::drag,
                                          Equation::drag_density,
                                          Equation::vti,
                                          Equation::tti,
                                          Equation::vti_of_gradients};
/// Those that are not among kOperators.
inline constexpr std::span kFurtherOperators = std::span(kAllOperators).subspan(kOperators.size());

/// Decay and strength that differ at every value.
inline CpmlFace layer_of(std::int64_t width) {
    CpmlFace face;
    for (std::int64_t t = 0; t < width; ++t) {
        const double depth = static_cast<double>(t + 1) / static_cast<double>(width);
        for (auto* b : {&face.b_psi, &face.b_zeta}) b->push_back(0.9 - 0.3 * depth);
        for (auto* a : {&face.a_psi, &face.a_zeta}) a->push_back(-0.3 * depth * depth - 1e-3 * static_cast<double>(t));
    }
    return face;
}

/// \param order of star operators.
inline Setup setup_of(const Case& c, int order, Precision precision, Equation equation = Equation::star) {
    Setup setup;
    setup.grid = c.grid;
    setup.scheme = make_scheme(equation, order);
    setup.precision = precision;
    setup.halos = c.halos;
    if (c.sponge)
        for (const int axis : {0, 2}) {
            std::vector<double>& taper = setup.strips.edit<Sponge>().taper[axis];
            taper.assign(c.grid.n[axis], 1.);
            for (std::int64_t i = 0; i < 6; ++i)
                taper[c.grid.n[axis] - 1 - i] = 1. - 0.01 * static_cast<double>((6 - i) * (6 - i));
        }
    for (int face = 0; face < 6; ++face)
        if (c.layers[face] > 0 && equation->factor != nullptr)
            setup.strips.edit<Cpml>().face[face] = layer_of(c.layers[face]);
    return setup;
}

/// \param scale of the signals.
inline Sources make_test_sources(const Grid& grid, double scale) {
    // Two sources share nodes, so that the order of injection shows.
    Sources sources;
    for (int row = 0; row < 2; ++row) {
        for (std::int64_t i = 0; i < 5; ++i) {
            sources.nodes.node.push_back((grid.points() / 2 + 3 * i + row) % grid.points());
            sources.nodes.weight.push_back(0.3 * static_cast<double>(i + 1) - 0.7);
        }
        sources.nodes.first.push_back(static_cast<std::int64_t>(sources.nodes.node.size()));
        std::vector<double> signal;
        for (int n = 0; n < 40; ++n) signal.push_back(1e4 * scale * std::sin(0.4 * n + row));
        sources.signal.push_back(signal);
    }
    return sources;
}

/// `few`, and a receiver on every node if that is enough to be shared among threads.
inline NodeWeights receivers_on(const Grid& grid, NodeWeights few) {
    if (grid.points() < 1000) return few;
    for (std::int64_t i = 0; i < grid.points(); ++i) {
        few.node.push_back(i);
        few.weight.push_back(0.3);
        few.first.push_back(static_cast<std::int64_t>(few.node.size()));
    }
    return few;
}

/// Computes steps n = 0 … steps - 1 and records what they give.
using Advance = void (*)(Wavefield& wavefield, std::int64_t steps);
inline void advance_all(Wavefield& wavefield, std::int64_t steps) {
    wavefield.advance(0, steps);
}

/// cpu::make_medium or cuda::make_medium.
using MakeMedium =
    std::function<std::shared_ptr<Medium>(const Setup& setup, const MediumReaders& readers, double dt_s)>;

inline RowReader uniform(float value) {
    return [value](std::int64_t, std::int64_t, std::span<float> row) { std::ranges::fill(row, value); };
}
/// One shot at rest in 2000 m/s and, where they may vary, 1000 kg/m3 and a Q of 50.
inline std::unique_ptr<Wavefield> make_uniform_wavefield(const Setup& setup, const MakeMedium& make_medium,
                                                         double dt_s = 1e-3) {
    MediumReaders readers{uniform(2000.f)};
    if (has_parameter(setup.scheme.equation, "rho")) readers.push_back(uniform(1000.f));
    if (has_parameter(setup.scheme.equation, "q")) readers.push_back(uniform(50.f));
    if (has_parameter(setup.scheme.equation, "epsilon")) readers.insert(readers.end(), {uniform(0.2f), uniform(0.1f)});
    if (has_parameter(setup.scheme.equation, "theta")) readers.insert(readers.end(), {uniform(0.5f), uniform(0.7f)});
    return make_medium(setup, readers, dt_s)->make_wavefield();
}

/// Bytes allocated for a wavefield and its medium.
inline std::int64_t allocated_bytes(const Wavefield& wavefield) {
    return wavefield.medium().allocated_bytes() + wavefield.allocated_bytes();
}

/// Noise between two values, another at every node and for every seed.
inline RowReader noisy_reader(const Grid& grid, double low, double high, std::uint64_t seed) {
    return [=](std::int64_t y, std::int64_t z, std::span<float> row) {
        for (std::int64_t x = 0; x < grid.nx(); ++x)
            row[x] = static_cast<float>(low + (high - low) * noise(grid.at(x, y, z), seed));
    };
}

/// Epsilon of -0.1 to 0.3, and delta at most that.
inline MediumReaders noisy_anisotropy(const Grid& grid) {
    const RowReader epsilon = noisy_reader(grid, -0.1, 0.3, 7), less = noisy_reader(grid, -0.05, 0.2, 8);
    return {epsilon, [epsilon, less](std::int64_t y, std::int64_t z, std::span<float> delta) {
                std::vector<float> differences(delta.size());
                epsilon(y, z, delta);
                less(y, z, differences);
                for (std::size_t x = 0; x < delta.size(); ++x) delta[x] -= std::max(0.f, differences[x]);
            }};
}

/// Noise: 1500 to 3000 m/s, 1000 to 2700 kg/m3, Q of 60 to 300, noisy_anisotropy(), any tilt, at 0.7 of the stability
/// limit of order 2.
inline std::shared_ptr<Medium> make_noisy_medium(const Setup& setup, const MakeMedium& make_medium) {
    const Grid grid = setup.grid;
    double h2 = 0.;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis)) h2 += 1. / (grid.spacing_m[axis] * grid.spacing_m[axis]);
    MediumReaders readers{noisy_reader(grid, 1500., 3000., 1)};
    if (has_parameter(setup.scheme.equation, "rho")) readers.push_back(noisy_reader(grid, 1000., 2700., 5));
    if (has_parameter(setup.scheme.equation, "q")) readers.push_back(noisy_reader(grid, 60., 300., 6));
    if (has_parameter(setup.scheme.equation, "epsilon"))
        for (const RowReader& reader : noisy_anisotropy(grid)) readers.push_back(reader);
    if (has_parameter(setup.scheme.equation, "theta"))
        readers.insert(readers.end(), {noisy_reader(grid, -1.5, 1.5, 9), noisy_reader(grid, -3., 3., 10)});
    return make_medium(setup, readers, 0.7 / (3000. * std::sqrt(h2)));
}

/// Noise of the size of `scale` in p[n] and p[n-1], test sources, and receivers that have recorded sample 0.
/// \param seed another makes another shot.
inline void start_noisy_shot(Wavefield& wavefield, const Case& c, Precision precision, double scale = 1., int shot = 0,
                             std::uint64_t seed = 0) {
    const double tiny = precision == Precision::float32 ? 1e-38 : 1e-308;
    const Grid& grid = c.grid;
    std::vector<double> p(grid.points()), p_previous(grid.points());
    for (std::int64_t i = 0; i < grid.points(); ++i) {
        p[i] = scale * (noise(i, 2 + 10 * seed) - 0.5);
        p_previous[i] = p[i] * (1. - 1e-3 * noise(i, 3));
        if (i % 7 == 0) p[i] = p_previous[i] = tiny * noise(i, 4);  // most of them denormal
    }
    wavefield.upload(p, p_previous, shot);
    const Sources sources = make_test_sources(grid, scale * (1. + 0.1 * static_cast<double>(seed)));
    wavefield.set_sources(shot, sources);
    wavefield.set_receivers(shot, receivers_on(grid, sources.nodes), c.steps + 1);
}

/// What start_noisy_shot() asks of a wavefield.
inline ShotSize size_of_noisy_shot(const Case& c) {
    const Sources sources = make_test_sources(c.grid, 1.);
    const NodeWeights receivers = receivers_on(c.grid, sources.nodes);
    ShotSize size;
    size.source_nodes = std::ssize(sources.nodes.node);
    size.sources = sources.nodes.rows();
    size.signal_samples = std::ssize(sources.signal.front());
    size.receiver_nodes = std::ssize(receivers.node);
    size.receivers = receivers.rows();
    size.trace_samples = c.steps + 1;
    return size;
}

/// p, p_prev and the traces of a shot.
inline std::vector<double> results_of(const Wavefield& wavefield, const Case& c, int shot = 0) {
    const Grid& grid = c.grid;
    const std::int64_t receivers = receivers_on(grid, make_test_sources(grid, 1.).nodes).rows();
    std::vector<double> out(2 * grid.points() + receivers * (c.steps + 1));
    const std::span<double> all(out);
    wavefield.download(Window::whole(grid), all.first(grid.points()), shot);
    wavefield.fields().download(Window::whole(grid), all.subspan(grid.points(), grid.points()), shot, kPreviousLevel);
    wavefield.download_traces(all.subspan(2 * grid.points()), shot);
    return out;
}

/// p, p_prev and the traces after a run from noise of the size of `scale`.
inline std::vector<double> run_case(const Case& c, const Setup& setup, const MakeMedium& make_medium, double scale = 1.,
                                    Advance advance = advance_all) {
    const auto wavefield = make_noisy_medium(setup, make_medium)->make_wavefield();
    start_noisy_shot(*wavefield, c, setup.precision, scale);
    wavefield->record(0);
    advance(*wavefield, c.steps);
    CHECK(wavefield->extremum().finite);
    return results_of(*wavefield, c);
}

/// The largest value, the first of equal ones, and the first NaN. \param wavefield of the grid of kCases[0], reset.
inline void check_extremum(Wavefield& wavefield) {
    const Grid& grid = kCases[0].grid;
    std::vector<double> p(grid.points(), 0.25);
    p[grid.at(5, 7, 11)] = -3.;
    p[grid.at(6, 7, 12)] = 3.;
    wavefield.upload(p, p);
    CHECK(wavefield.extremum().max_abs == 3.);
    CHECK(wavefield.extremum().node == grid.at(5, 7, 11));
    CHECK(wavefield.extremum().finite);
    p[grid.at(1, 2, 3)] = std::nan("");
    wavefield.upload(p, p);
    CHECK(!wavefield.extremum().finite);
    CHECK(wavefield.extremum().node == grid.at(1, 2, 3));
}

}  // namespace onda::test
