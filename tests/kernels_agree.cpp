// Promise: every kernel, strategy, instruction set and thread count gives the bits of the reference.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/stencil.hpp"
#include "tests/fields.hpp"

using namespace onda;

namespace {

struct Case {
    std::string name;
    Grid grid;
    FaceHalos halos;
    bool sponge = false;
    int steps = 12;
};

constexpr Halo kZero = Halo::zero, kFree = Halo::mirror_negative, kRigid = Halo::mirror_positive;

// Extents of one, of less than the radius, of no multiple of anything, and beyond one tile of the in-plane kernel.
const std::vector<Case> kCases{
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
    {"2-D, beyond one tile", {2, {1100, 1, 11}, {10., 10., 10.}, {}}, {kRigid, kFree, kZero, kZero, kFree, kZero}},
};

BackendSetup setup_of(const Case& c, int order, Precision precision) {
    BackendSetup setup;
    setup.grid = c.grid;
    setup.space_order = order;
    setup.weights = second_derivative_weights(order);
    setup.precision = precision;
    setup.halos = c.halos;
    if (c.sponge)
        for (const int axis : {0, 2}) {
            setup.sponge.taper[axis].assign(c.grid.n[axis], 1.);
            for (std::int64_t i = 0; i < 6; ++i)
                setup.sponge.taper[axis][c.grid.n[axis] - 1 - i] = 1. - 0.01 * static_cast<double>((6 - i) * (6 - i));
        }
    return setup;
}

/// \param scale of the signals.
Sources make_test_sources(const Grid& grid, double scale) {
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
NodeWeights receivers_on(const Grid& grid, NodeWeights few) {
    if (grid.points() < 1000) return few;
    for (std::int64_t i = 0; i < grid.points(); ++i) {
        few.node.push_back(i);
        few.weight.push_back(0.3);
        few.first.push_back(static_cast<std::int64_t>(few.node.size()));
    }
    return few;
}

/// p, p_prev and the traces after a run from noise of the size of `scale`.
std::vector<double> run(const Case& c, const BackendSetup& setup, double scale = 1.) {
    const double tiny = setup.precision == Precision::float32 ? 1e-38 : 1e-308;
    const std::unique_ptr<Backend> backend = cpu::make_backend(setup);
    const Grid& grid = c.grid;
    double h2 = 0.;
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis)) h2 += 1. / (grid.spacing_m[axis] * grid.spacing_m[axis]);
    const double dt = 0.7 / (3000. * std::sqrt(h2));
    backend->upload_model(
        [&](std::int64_t y, std::int64_t z, std::span<float> vp) {
            for (std::int64_t x = 0; x < grid.nx(); ++x)
                vp[x] = static_cast<float>(1500. + 1500. * test::noise(grid.at(x, y, z)));
        },
        dt);
    backend->reset();
    std::vector<double> p(grid.points()), p_previous(grid.points());
    for (std::int64_t i = 0; i < grid.points(); ++i) {
        p[i] = scale * (test::noise(i, 2) - 0.5);
        p_previous[i] = p[i] * (1. - 1e-3 * test::noise(i, 3));
        if (i % 7 == 0) p[i] = p_previous[i] = tiny * test::noise(i, 4);  // most of them denormal
    }
    backend->upload(p, p_previous);
    const Sources sources = make_test_sources(grid, scale);
    backend->set_sources(sources);
    const NodeWeights receivers = receivers_on(grid, sources.nodes);
    backend->set_receivers(receivers, c.steps + 1);
    backend->record(0);
    for (int n = 0; n < c.steps; ++n) {
        backend->fill_halos();
        backend->step();
        backend->absorb();
        backend->inject(n);
        backend->swap();
        backend->record(n + 1);
    }
    CHECK(backend->extremum().finite);
    std::vector<double> out(2 * grid.points() + receivers.rows() * (c.steps + 1));
    const std::span<double> all(out);
    backend->download(Window::whole(grid), all.first(grid.points()));
    backend->download_previous(Window::whole(grid), all.subspan(grid.points(), grid.points()));
    backend->download_traces(all.subspan(2 * grid.points()));
    return out;
}

std::uint64_t hash_of_run(const Case& c, const BackendSetup& setup, double scale = 1.) {
    const std::vector<double> result = run(c, setup, scale);
    return test::hash_of(std::span<const double>(result));
}

/// How many values are denormal in the precision of the run.
std::int64_t denormals(std::span<const double> values, Precision precision) {
    return std::ranges::count_if(values, [&](double value) {
        const int kind =
            precision == Precision::float32 ? std::fpclassify(static_cast<float>(value)) : std::fpclassify(value);
        return kind == FP_SUBNORMAL;
    });
}

}  // namespace

TEST_CASE("every kernel, instruction set and thread count gives the bits of the reference") {
    std::size_t compared = 0;
    for (const Case& c : kCases)
        for (int order = 2; order <= 16; order += 2)
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                BackendSetup setup = setup_of(c, order, precision);
                setup.kernel = "reference";
                setup.isa = cpu::isa_names().back();
                setup.threads = 1;
                const std::uint64_t expected = hash_of_run(c, setup);
                for (const std::string& isa : cpu::isa_names())
                    for (const KernelInfo& kernel : cpu::kernel_names()) {
                        // The plain build emulates fma in software where the baseline has none: two orders suffice.
                        if (isa == "generic" && order != 4 && order != 16) continue;
                        setup.kernel = kernel.name;
                        setup.isa = isa;
                        setup.threads = 1 + static_cast<int>(compared % 4);
                        ++compared;
                        CHECK_MESSAGE(hash_of_run(c, setup) == expected, c.name << ", order " << order << ", "
                                                                                << kernel.name << ", " << isa << ", "
                                                                                << setup.threads << " threads");
                    }
            }
    // Two orders for the plain build, eight for each instruction set above it; two precisions.
    const std::size_t orders = 2 + 8 * (cpu::isa_names().size() - 1);
    CHECK(compared == kCases.size() * orders * 2 * cpu::kernel_names().size());
}

TEST_CASE("denormals: zero in float, kept in double, in fields and traces of every kernel") {
    for (const std::size_t which : {1u, 7u})
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            const Case& c = kCases[which];
            const bool is_float = precision == Precision::float32;
            // Values on both sides of the smallest normal number, 1.2e-38 or 2.2e-308.
            const double scale = is_float ? 1e-37 : 1e-307;
            BackendSetup setup = setup_of(c, 8, precision);
            setup.kernel = "reference";
            const std::vector<double> result = run(c, setup, scale);
            const auto fields = std::span(result).first(2 * c.grid.points());
            const auto traces = std::span(result).subspan(2 * c.grid.points());
            for (const auto values : {fields, traces}) {
                CHECK((denormals(values, precision) == 0) == is_float);
                CHECK(std::ranges::count(values, 0.) < std::ssize(values));
            }
            for (const std::string& isa : cpu::isa_names())
                for (const KernelInfo& kernel : cpu::kernel_names()) {
                    setup.kernel = kernel.name;
                    setup.isa = isa;
                    setup.threads = 3;
                    CHECK_MESSAGE(run(c, setup, scale) == result, c.name << ", " << kernel.name << ", " << isa);
                }
        }
}

TEST_CASE("unknown kernels, instruction sets and orders are refused with the list of what there is") {
    BackendSetup setup = setup_of(kCases[0], 8, Precision::float32);
    setup.kernel = "inplane-fulll";
    CHECK_THROWS_WITH_AS(cpu::make_backend(setup),
                         "kernel 'inplane-fulll' is not among the CPU kernels: use auto, reference, vectorised, "
                         "inplane-classic, inplane-vertical, inplane-horizontal, inplane-full",
                         std::invalid_argument);
    setup.kernel = "auto";
    setup.isa = "sse9";
    CHECK_THROWS_AS(cpu::make_backend(setup), std::invalid_argument);
    setup.isa = "auto";
    setup.space_order = 18;
    CHECK_THROWS_AS(cpu::make_backend(setup), std::invalid_argument);
}

TEST_CASE("the extremum finds the largest value, and the first NaN or infinity") {
    const BackendSetup setup = setup_of(kCases[0], 4, Precision::float32);
    const Grid& grid = setup.grid;
    const auto backend = cpu::make_backend(setup);
    backend->reset();
    std::vector<double> p(grid.points(), 0.25);
    p[grid.at(5, 7, 11)] = -3.;
    backend->upload(p, p);
    CHECK(backend->extremum().max_abs == 3.);
    CHECK(backend->extremum().node == grid.at(5, 7, 11));
    CHECK(backend->extremum().finite);
    p[grid.at(1, 2, 3)] = std::nan("");
    backend->upload(p, p);
    CHECK(!backend->extremum().finite);
    CHECK(backend->extremum().node == grid.at(1, 2, 3));
}

TEST_CASE("what is held is what was predicted") {
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            const BackendSetup setup = setup_of(c, 8, precision);
            CHECK(cpu::make_backend(setup)->allocated_bytes() == cpu::predicted_bytes(setup));
        }
    BackendSetup large;
    large.grid = {3, {1024, 1024, 1024}, {10., 10., 10.}, {}};
    CHECK(static_cast<double>(cpu::predicted_bytes(large)) <= 12.5 * static_cast<double>(large.grid.points()));
}
