// Slabs whose steps are queued as graphs, on one GPU or several, give the bits of the uncut grid on the CPU; so do they
// where a driver refuses such graphs.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

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
