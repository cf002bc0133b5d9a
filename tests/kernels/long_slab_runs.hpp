/// \file
/// Shots on slabs of GPUs whose steps are queued many at a time, for comparing their bits.
#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/leap_support.hpp"
#include "tests/kernels/state.hpp"

namespace onda::test {

/// Layers on most faces, room for three slabs, and more rows than a tile of the in-plane kernel has, so that one of
/// them is not full.
inline const Case kTallGrid{
    "3-D, layers, tall", {3, {19, 12, 41}, {8., 8., 8.}, {}}, {kZero, kZero, kZero, kZero, kFree, kZero}, false, 128,
    {3, 4, 2, 0, 0, 3}};

/// Receivers in the first slab and the last one, none across a cut.
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

/// Sources that act at every step of a run.
inline Sources lasting_sources(const Grid& grid, double scale) {
    Sources sources = make_test_sources(grid, scale);
    for (std::vector<double>& signal : sources.signal)
        for (int n = 0; n < 400; ++n) signal.push_back(1e3 * scale * std::sin(0.4 * n));
    return sources;
}

/// What shots leave behind: the state of each, its traces and a value on the way.
using LongRun = std::vector<std::pair<State, std::vector<double>>>;

/// Two shots, one after the other, of so many updates, a multiple of the steps of a graph and some. In the second one
/// the sources are set anew on the way. \param samples of the traces, which may end before the updates do.
inline LongRun run_long(Wavefield& wavefield, const Case& c, Precision precision, std::int64_t samples,
                        std::int64_t updates) {
    const NodeWeights receivers = receivers_off_cuts(c.grid);
    const std::int64_t steps = wavefield.problem().stride() * updates;
    LongRun run;
    for (const double scale : {1., 2.}) {
        wavefield.reset();
        start_noisy_shot(wavefield, c, precision, scale);
        wavefield.set_sources(0, lasting_sources(c.grid, scale));
        wavefield.set_receivers(0, receivers, samples);
        wavefield.record(0);
        wavefield.enqueue(0, steps);
        std::vector<double> traces(static_cast<std::size_t>(receivers.rows() * samples) + 1);
        // The last slab is asked first: it must know of the steps that another one was told to begin with.
        const std::int64_t low_node = c.grid.at(6, 4, c.grid.nz() - 5);
        wavefield.fields().sample({&low_node, 1}, std::span(traces).last(1));
        wavefield.wait();
        if (scale == 2.) {
            wavefield.fields().exchange_planes();  // as images do, whatever the steps have queued
            wavefield.set_sources(0, lasting_sources(c.grid, 3.));
            wavefield.advance(steps, steps);
        }
        wavefield.download_traces(std::span(traces).first(traces.size() - 1), 0);
        run.emplace_back(save(wavefield), traces);
        CHECK(wavefield.extremum().finite);
    }
    return run;
}

/// Compares runs on slabs with those of an uncut grid on the CPU. \param devices of the slabs. \param kernel of theirs.
inline void compare_long_runs(const std::vector<int>& devices, const Setup& setup, std::int64_t samples,
                              std::int64_t updates, const std::string& kernel = "auto") {
    const Case& c = kTallGrid;
    const auto cut = [&](const Setup& whole, const MediumReaders& readers, double dt_s) {
        return make_slab_medium(whole, readers, dt_s, equal_slabs(c.grid.nz(), static_cast<int>(devices.size())),
                                [&](std::size_t slab, const Setup& part, const MediumReaders& rows, double dt) {
                                    Setup placed = part;
                                    placed.ordinal = devices[slab];
                                    placed.kernel = kernel;
                                    return cuda::make_medium(placed, rows, dt);
                                });
    };
    const auto run = [&](const MakeMedium& make_medium) {
        return run_long(*make_noisy_medium(setup, make_medium)->make_wavefield(), c, setup.precision, samples, updates);
    };
    CHECK(run(cut) == run(cpu::make_medium));
}

/// The set-ups that are compared: every way to step.
inline std::vector<Setup> long_run_setups() {
    const Case& c = kTallGrid;
    return {setup_of(c, 8, Precision::float32),
            setup_of(c, 2, Precision::float64),
            setup_of(c, 8, Precision::float32, Equation::variable_density),
            leap_setup(c, 2, Precision::float32),
            fourth_order_setup(c, 2, Precision::float32),
            setup_of(c, 8, Precision::float32, Equation::attenuation),
            setup_of(c, 2, Precision::float32, Equation::vti),
            setup_of(c, 2, Precision::float32, Equation::tti)};
}

}  // namespace onda::test
