// Slabs whose steps are queued as graphs, on one GPU or several, give the bits of the uncut grid on the CPU; so do they
// where a driver refuses such graphs.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "tests/kernels/imaging_support.hpp"
#include "tests/kernels/long_slab_runs.hpp"

using namespace onda;
using namespace onda::test;

TEST_CASE("steps of slabs that graphs repeat give the bits of the CPU, also where traces end before the steps") {
    const auto compare = [](const std::vector<int>& devices, const Setup& setup, std::int64_t samples,
                            std::int64_t updates, std::size_t graphs, const std::string& kernel = "auto") {
        CAPTURE(devices.size());
        const std::size_t before = cuda_on_host::launched_graphs;
        compare_long_runs(devices, setup, samples, updates, kernel);
        CHECK(cuda_on_host::launched_graphs == before + graphs);
    };
    const std::vector<Setup> setups = long_run_setups();
    cuda_on_host::run_late = true;
    // Three pieces of 54 updates: a graph in each, and of leaps, of which a graph has half as many, two.
    for (const Setup& setup : setups)
        if (setup.precision == Precision::float32 && setup.scheme.equation == Equation::star)
            compare({0, 1, 0}, setup, 400, 54, setup.stepping == Stepping::leap ? 6 : 3);
    // By the kernel that takes least here: which one it is, graphs do not see.
    const Setup quick = setup_of(kTallGrid, 2, Precision::float32);
    compare({1, 0}, quick, 53, 104, 4, "direct");  // two graphs in each piece
    cuda_on_host::run_late = false;
    compare({0, 0}, quick, 400, 54, 3, "direct");
}

TEST_CASE("pieces of steps that come again are repeated by graphs, with the work between them, at the bits of calls") {
    const Case& c = kImagingCases.front();
    const std::vector<std::int64_t> pieces{2, 2, 2};
    const auto run = [&](const MakeMedium& make_medium, bool by_pieces) {
        const auto wavefield = make_noisy_medium(setup_of(c, 2, Precision::float32), make_medium)->make_wavefield();
        const auto correlation = wavefield->fields().make_correlation(1, Correlated::pressures_and_squares);
        start_noisy_shot(*wavefield, c, Precision::float32);
        wavefield->record(0);
        correlation->keep(wavefield->fields(), 0);
        const RepeatedWork between([&] { correlation->meet(wavefield->fields(), 0, 1); });
        for (std::int64_t n = 0; n < c.steps; n += 6) {
            if (by_pieces)
                wavefield->enqueue_pieces(n, pieces, between);
            else
                wavefield->Wavefield::enqueue_pieces(n, pieces, between);
            correlation->meet(wavefield->fields(), 0, 1);
        }
        wavefield->wait();
        std::vector<double> all = results_of(*wavefield, c);
        for (const double value : images_of(*correlation, c.grid, 1)) all.push_back(value);
        return all;
    };
    const std::vector<double> expected = run(cpu::make_medium, false);
    cuda_on_host::run_late = true;
    for (const bool by_pieces : {false, true}) {
        const std::size_t before = cuda_on_host::launched_graphs;
        CHECK(run(cuda::make_medium, by_pieces) == expected);
        // The first of four by calls.
        CHECK(cuda_on_host::launched_graphs == before + (by_pieces ? 3 : 0));
    }
    cuda_on_host::run_late = false;
}

TEST_CASE("where a driver refuses graphs of several GPUs, or GPUs do not reach each other, calls take their place") {
    cuda_on_host::run_late = true;
    for (bool* const possible : {&cuda_on_host::captures_several_devices, &cuda_on_host::has_peer_access}) {
        *possible = false;
        const std::size_t before = cuda_on_host::launched_graphs;
        compare_long_runs({0, 1}, setup_of(kTallGrid, 2, Precision::float32), 400, 52, "direct");
        CHECK(cuda_on_host::launched_graphs == before);
        *possible = true;
    }
}
