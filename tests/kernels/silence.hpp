/// \file
/// A wave that runs into a field at rest, where values end in what a precision cannot hold: for comparing bits ahead of
/// the front, where arithmetic that keeps denormals and arithmetic that flushes them differ.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/leap_support.hpp"

namespace onda::test {

/// A grid of a prime number of planes, the free surface and layers included, that cuts across z can share. Layers
/// along y are thin, so that few rows have nodes that leap.
inline const Case kSilent{
    "3-D, silent",     {3, {13, 8, 61}, {10., 10., 10.}, {}}, {kZero, kZero, kZero, kZero, kFree, kZero}, false, 40,
    {3, 3, 1, 1, 0, 4}};

/// Amplitudes for which some value ahead of the front is next to nothing, whatever the order of the operator.
inline std::vector<double> silent_scales(Precision precision) {
    if (precision == Precision::float64) return {1., 1e-290};
    return {1., 1e-14, 1e-28};
}

/// A receiver between nodes in every plane: eight nodes along z with signs that alternate, as a windowed sinc has.
inline NodeWeights receivers_in_every_plane(const Grid& grid) {
    NodeWeights receivers;
    for (std::int64_t z = 3; z + 4 < grid.nz(); ++z) {
        for (std::int64_t i = -3; i <= 4; ++i) {
            receivers.node.push_back(grid.at(grid.nx() / 2, grid.ny() / 2, z + i));
            receivers.weight.push_back(0.63 * (i % 2 == 0 ? 1. : -1.) / (static_cast<double>(i) - 0.5));
        }
        receivers.first.push_back(std::ssize(receivers.node));
    }
    return receivers;
}

/// What a run into a field at rest gives, as bits.
struct SilentRun {
    std::uint64_t traces, traces_in_float, p, p_in_float;
    bool operator==(const SilentRun&) const = default;
};

/// How many of these samples are next to nothing: normal numbers that are so small that what they were summed from may
/// be denormal, or denormal themselves.
inline std::int64_t faint(std::span<const double> values, Precision precision) {
    const double least = precision == Precision::float32 ? double{std::numeric_limits<float>::min()}
                                                         : std::numeric_limits<double>::min();
    return std::ranges::count_if(values, [&](double v) { return v != 0. && std::abs(v) < 1e4 * least; });
}

/// Runs a pulse near the top of kSilent's grid. \param medium of that grid. \param seen grows by the faint() samples of
/// the traces.
inline SilentRun run_into_silence(const std::shared_ptr<Medium>& medium, double scale, std::int64_t& seen) {
    const Grid& grid = kSilent.grid;
    const Problem& problem = medium->setup();
    const auto wavefield = medium->make_wavefield();
    Sources sources;
    sources.nodes = {{0, 2}, {grid.at(6, 4, 5), grid.at(6, 4, 6)}, {1., -0.7}};
    sources.signal.emplace_back();
    for (int n = 0; n < 20; ++n) sources.signal[0].push_back(scale * std::sin(0.3 * n));
    wavefield->set_sources(0, sources);
    const NodeWeights receivers = receivers_in_every_plane(grid);
    const std::int64_t samples = kSilent.steps / problem.stride() + 1;
    wavefield->set_receivers(0, receivers, samples);
    wavefield->record(0);
    wavefield->advance(0, kSilent.steps);
    std::vector<double> traces(static_cast<std::size_t>(receivers.rows() * samples)),
        p(static_cast<std::size_t>(grid.points()));
    std::vector<float> traces_in_float(traces.size()), p_in_float(p.size());
    wavefield->download_traces(std::span<double>(traces));
    wavefield->download_traces(std::span<float>(traces_in_float));
    wavefield->download(Window::whole(grid), std::span<double>(p));
    wavefield->download(Window::whole(grid), std::span<float>(p_in_float));
    seen += faint(traces, problem.precision);
    for (const auto* values : {&traces_in_float, &p_in_float})
        CHECK(std::ranges::none_of(*values, [](float v) { return std::fpclassify(v) == FP_SUBNORMAL; }));
    return {hash_of(std::span<const double>(traces)), hash_of(std::span<const float>(traces_in_float)),
            hash_of(std::span<const double>(p)), hash_of(std::span<const float>(p_in_float))};
}

/// Every way to step, operator, order and precision.
inline std::vector<Setup> silent_setups(const std::vector<int>& orders) {
    std::vector<Setup> setups;
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        for (const int order : orders) {
            for (const Equation equation : kOperators) setups.push_back(setup_of(kSilent, order, precision, equation));
            for (const auto applied_twice : kAppliedTwice) setups.push_back(applied_twice(kSilent, order, precision));
        }
        setups.push_back(setup_of(kSilent, 2, precision, Equation::compact));
    }
    for (Setup& setup : setups) setup.threads = 1;
    return setups;
}

}  // namespace onda::test
