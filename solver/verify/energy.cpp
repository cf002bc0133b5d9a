#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <spdlog/fmt/fmt.h>
#include <string>

#include "kernels/equations/star/stencil.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/verify/field_energy.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr double kUpperVp = 1500., kLowerVp = 3000.;
constexpr std::int64_t kEnergySteps = 1000, kEvery = 50;

constexpr double kUpperDensity = 1000., kLowerDensity = 2400.;

double two_layers(const Grid& grid, std::int64_t z, double upper = kUpperVp, double lower = kLowerVp) {
    return z < grid.nz() / 2 ? upper : lower;
}
double density(const Grid& grid, std::int64_t z) {
    return two_layers(grid, z, kUpperDensity, kLowerDensity);
}

Experiment lossless_box(int dimensions, const Scheme& scheme, Precision precision) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = dimensions == 3 ? std::array<std::int64_t, 3>{27, 23, 30} : std::array<std::int64_t, 3>{61, 1, 70};
    e.grid.spacing_m = {10., 8., 9.};
    e.scheme = scheme;
    e.precision = precision;
    // every kind of lossless face: free surface on top, one rigid wall, zero elsewhere
    e.halos[4] = Halo::mirror_negative;
    e.halos[1] = Halo::mirror_positive;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kLowerVp);
    e.steps = kEnergySteps;
    e.every_level = true;
    return e;
}

/// A pulse at rest in the middle of the box, wide enough for order 2 to carry it and not symmetric about anything.
std::vector<double> pulse(const Experiment& e) {
    const Grid& grid = e.grid;
    std::vector<double> p;
    for (std::int64_t z = 0; z < grid.nz(); ++z)
        for (std::int64_t y = 0; y < grid.ny(); ++y)
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                const double dx = double(x) - 0.4 * double(grid.nx()), dy = double(y) - 0.55 * double(grid.ny() - 1),
                             dz = double(z) - 0.45 * double(grid.nz());
                const bool on_free_surface = node_share(e, {x, y, z}) == 0.;  // where the pressure is zero and stays so
                p.push_back(on_free_surface ? 0. : std::exp(-(dx * dx + dy * dy + dz * dz) / 9.));
            }
    return p;
}

/// max_n |E_n / E_0 - 1| over kEnergySteps steps.
Measurement energy_drift(const Experiment& e, const VerifyOptions& options) {
    const auto rows = [&e](double (*value)(const Grid&, std::int64_t)) -> RowReader {
        return [&e, value](std::int64_t, std::int64_t z, std::span<float> row) {
            std::fill(row.begin(), row.end(), float(value(e.grid, z)));
        };
    };
    const auto backend = make_wavefield(e, rows([](const Grid& grid, std::int64_t z) { return two_layers(grid, z); }),
                                        options, rows(density));
    Propagator propagator(*backend, Sources{}, NodeWeights{}, e.time_axis());
    std::vector<double> now = pulse(e), previous(now);
    backend->upload(now, previous);
    propagator.advance(1);
    const NodeValue vp = [&e](const Node& node) { return two_layers(e.grid, node[2]); };
    const NodeValue rho = [&e](const Node& node) { return density(e.grid, node[2]); };
    const auto energy = [&] {
        backend->download(Window::whole(e.grid), std::span<double>(now));
        backend->fields().download(Window::whole(e.grid), previous, 0, kPreviousLevel);
        return e.scheme.time_order == 4 ? leap_energy(e, vp, now, previous)
                                        : staggered_energy(e, vp, rho, now, previous);
    };
    const double initial = energy();
    Measurement drift;
    while (propagator.step() + kEvery <= kEnergySteps) {
        propagator.advance(kEvery);
        drift.value = worse(drift.value, std::abs(energy() / initial - 1.));
    }
    return drift;
}

constexpr double kLowestQ = 5., kHighestQ = 300.;

/// Values of the first state of a wavefield of doubles.
std::vector<double> memory_of(const Wavefield& wavefield) {
    std::vector<double> values;
    wavefield.visit(0, [&values](const StatePart& part, std::int64_t, std::span<std::byte> planes) {
        if (part.name != "r") return;
        const std::size_t before = values.size();
        values.resize(before + planes.size() / sizeof(double));
        std::memcpy(values.data() + before, planes.data(), planes.size());
    });
    return values;
}

/// The largest rise of the energy from one step to the next, of the initial energy, where every node has a Q of its
/// own.
Measurement largest_rise(Equation equation, int dimensions, int order, const VerifyOptions& options) {
    Scheme scheme = make_scheme(equation, order);
    scheme.relaxation = {20., 8., 50., dimensions == 3 ? kMostMechanisms : 2};
    Experiment e = lossless_box(dimensions, scheme, Precision::float64);
    const std::array lowest{kLowestQ};
    e.dt_s *= kLowerVp / e.scheme.stiffest_m_s(kLowerVp, lowest, e.dt_s);
    const RowReader vp = [&e](std::int64_t, std::int64_t z, std::span<float> row) {
        std::fill(row.begin(), row.end(), float(two_layers(e.grid, z)));
    };
    const RowReader q = [&e](std::int64_t y, std::int64_t z, std::span<float> row) {
        for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = float(kLowestQ * std::pow(kHighestQ / kLowestQ, scatter(e.grid.at(std::int64_t(x), y, z))));
    };
    const auto backend = make_wavefield(e, vp, options, constant_velocity(2000.), q);
    const auto points = std::size_t(e.grid.points());
    std::vector<std::int64_t> nodes(points);
    std::iota(nodes.begin(), nodes.end(), 0);
    std::vector<double> k(points), g(points), a(points);
    backend->medium().values_at(0, nodes, k);
    backend->medium().values_at(1, nodes, g);
    const auto of_class = fit_of(backend->problem(), e.dt_s)->of_class(0);
    for (std::size_t i = 0; i < points; ++i) {
        const auto [x, y, z] = e.grid.node(nodes[i]);
        a[i] = of_class[std::size_t(node_class(x, y, z))];
    }
    Propagator propagator(*backend, Sources{}, NodeWeights{}, e.time_axis());
    std::vector<double> now = pulse(e), previous(now);
    backend->upload(now, previous);
    double initial = 0., before = 0.;
    Measurement rise;
    for (std::int64_t n = 0; n < kEnergySteps; ++n) {
        propagator.advance(1);
        backend->download(Window::whole(e.grid), std::span<double>(now));
        backend->fields().download(Window::whole(e.grid), previous, 0, kPreviousLevel);
        const double energy = relaxing_energy(e, {k, g, a}, now, previous, memory_of(*backend));
        if (n == 0) initial = energy;
        if (n > 0) rise.value = worse(rise.value, (energy - before) / initial);
        before = energy;
    }
    rise.detail = fmt::format("{:.2g} of it is left", before / initial);
    // A field that keeps its energy would pass: half of it must be gone.
    if (!(before < 0.5 * initial)) rise.value = std::nan("");
    return rise;
}

}  // namespace

PromiseGroup energy_conservation() {
    PromiseGroup group;
    group.id = "R7";
    group.title = "Conservation of energy";
    group.quantity = "largest relative drift in 1,000 steps";
    group.method =
        "Between steps the leapfrog scheme keeps E = 1/2 sum (p[n+1] - p[n])^2 / (vp dt)^2 - 1/2 sum p[n+1] L(p[n]) "
        "exactly, for any model, as L is symmetric (nodes on a rigid wall count half). Two layers of 1,500 and 3,000 "
        "m/s in a box with a free surface, a rigid wall and zero faces, unequal spacings, a pulse at rest to begin "
        "with, dt = 0.9 of the stability limit. With variable density the layers have 1,000 and 2,400 kg/m3, and E = "
        "1/2 sum (p[n+1] - p[n])^2 / (rho (vp dt)^2) - 1/2 sum p[n+1] div(1/rho grad p[n]). The energy is summed by a "
        "plain loop in double precision. Steps of order 4 in time keep E = 1/2 sum (p[n+1] - p[n])^2 / (vp dt)^2 - "
        "1/2 sum p[n+1] (L + L (vp dt)^2 L / 12) p[n]. Where nodes absorb, with Q from 5 to 300 at random, E has the "
        "energy of what "
        "they remember beside it, and never rises from one step to the next (docs/theory.md).";
    const auto add = [&group](int dimensions, const Scheme& scheme, Precision precision) {
        const char* const prefix = scheme.equation == Equation::star ? "" : "variable density, ";
        group.promises.push_back({prefix + std::to_string(dimensions) + "-D, order " +
                                      std::to_string(scheme.space_order) +
                                      (scheme.time_order == 4 ? ", order 4 in time, " : ", ") + name(precision),
                                  precision == Precision::float64 ? 1e-12 : 5e-6,
                                  scheme.space_order == 8 && dimensions == 2, [=](const VerifyOptions& options) {
                                      return energy_drift(lossless_box(dimensions, scheme, precision), options);
                                  }});
        // Order 16 has the weights of 2-D, and 3-D the faces of order 8.
        group.promises.back().takes_long =
            scheme.equation == Equation::variable_density && dimensions == 3 && scheme.space_order == 16;
    };
    for (const Equation equation : {Equation::star, Equation::variable_density})
        for (const Precision precision : {Precision::float64, Precision::float32})
            for (const int dimensions : {2, 3})
                for (const int order : {2, 8, 16}) add(dimensions, make_scheme(equation, order), precision);
    for (const Precision precision : {Precision::float64, Precision::float32})
        for (const int dimensions : {2, 3})
            for (const int order : {2, 8, 16}) add(dimensions, of_order_4_in_time(order), precision);
    for (const Equation equation : {Equation::attenuation, Equation::drag})
        for (const int dimensions : {2, 3})
            for (const int order : {2, 8, 16})
                group.promises.push_back({std::string(name(equation)) + ", " + std::to_string(dimensions) +
                                              "-D, order " + std::to_string(order) + ", double: largest rise",
                                          1e-14, order == 8 && dimensions == 2, [=](const VerifyOptions& options) {
                                              return largest_rise(equation, dimensions, order, options);
                                          }});
    return group;
}

}  // namespace onda::verify
