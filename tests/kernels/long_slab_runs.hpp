/// \file
/// Shots on slabs of GPUs whose steps are queued many at a time, for comparing their bits.
#pragma once

#include <algorithm>
#include <doctest/doctest.h>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/slabs.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/state.hpp"

namespace onda::test {

/// Layers on most faces, and room for three slabs.
inline const Case kTallGrid{
    "3-D, layers, tall", {3, {19, 12, 53}, {8., 8., 8.}, {}}, {kZero, kZero, kZero, kZero, kFree, kZero}, false, 128,
    {3, 4, 2, 0, 0, 3}};

/// Receivers near the top and the bottom, none across a cut, that record for so many samples.
inline NodeWeights receivers_off_cuts(const Grid& grid) {
    NodeWeights receivers;
    for (const std::int64_t z : {1, 3, 33}) {
        for (const std::int64_t x : {4, 5}) {
            receivers.node.push_back(grid.at(x, 6, z));
            receivers.weight.push_back(0.4);
        }
        receivers.first.push_back(std::ssize(receivers.node));
    }
    return receivers;
}

/// The state of a noisy shot after its steps, then its traces.
struct LongRun {
    State state;
    std::vector<double> traces;
    bool operator==(const LongRun&) const = default;
};

/// \param samples of the traces, which may end before the steps do. Steps are queued in two pieces, each more than a
/// graph takes, and the sources are set anew in between.
inline LongRun run_long(Wavefield& wavefield, const Case& c, Precision precision, std::int64_t samples) {
    const NodeWeights receivers = receivers_off_cuts(c.grid);
    start_noisy_shot(wavefield, c, precision);
    wavefield.set_receivers(0, receivers, samples);
    wavefield.record(0);
    const std::int64_t piece = wavefield.problem().stride() * 52;
    wavefield.advance(0, piece);
    wavefield.set_sources(0, make_test_sources(c.grid, 2.));
    wavefield.advance(piece, piece);
    LongRun run{save(wavefield), std::vector<double>(static_cast<std::size_t>(receivers.rows() * samples))};
    wavefield.download_traces(std::span<double>(run.traces), 0);
    CHECK(wavefield.extremum().finite);
    return run;
}

/// Compares runs on slabs with those of an uncut grid on the CPU. \param devices of the slabs.
inline void compare_long_runs(const std::vector<int>& devices, const Setup& setup, std::int64_t samples) {
    const Case& c = kTallGrid;
    const auto cut = [&](const Setup& whole, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(whole, readers, dt_s, equal_slabs(c.grid.nz(), static_cast<int>(devices.size())),
                                [&](std::size_t slab, const Setup& part, const MediumReaders& rows, double dt) {
                                    Setup placed = part;
                                    placed.ordinal = devices[slab];
                                    return cuda::make_medium(placed, rows, dt);
                                });
    };
    const auto run = [&](const MakeMedium& make_medium) {
        return run_long(*make_noisy_medium(setup, make_medium)->make_wavefield(), c, setup.precision, samples);
    };
    CHECK(run(cut) == run(cpu::make_medium));
}

/// The set-ups that are compared: every way to step.
inline std::vector<Setup> long_run_setups() {
    const Case& c = kTallGrid;
    return {setup_of(c, 8, Precision::float32), setup_of(c, 2, Precision::float64),
            setup_of(c, 8, Precision::float32, Equation::variable_density), leap_setup(c, 2, Precision::float32),
            fourth_order_setup(c, 2, Precision::float32)};
}

}  // namespace onda::test
