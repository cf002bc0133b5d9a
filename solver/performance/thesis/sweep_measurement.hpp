/// \file
/// Measures the thesis' tables on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/setup.hpp"
#include "solver/performance/bench_report.hpp"
#include "solver/performance/thesis/tile_sweep.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

struct SweepTask {
    Setup setup;                       ///< grid, scheme and ordinal; its kernel is not looked at
    std::vector<std::int64_t> tx, tz;  ///< threads of the tiles; the times come with tz outermost, as in the thesis
    std::vector<std::string> kernels;  ///< that are timed beside those of the thesis and the twin
    int rounds = 5;                    ///< of each; fewer, three at least, where they take longer than a second
};
inline constexpr int kFewestSweepRounds = 3;

/// What a measurement leaves: the tables, and every round of every kernel.
struct MeasuredSweep {
    TileSweep sweep;
    std::vector<BenchRow> rows;
};

/// Median seconds of a step for every tile and strategy that the GPU can compute.
/// \param device that of CUDA. \param tell is given what there is so far: once when the other kernels are done, then
/// after each tile. \param between_rounds is called after each round.
/// \throws std::invalid_argument for a kernel, an order or a grid that there is not; Error(out_of_memory) before
/// anything is allocated.
MeasuredSweep measure_sweep(
    const Device& device, const SweepTask& task, const std::function<void(const TileSweep& so_far)>& tell,
    const std::function<void()>& between_rounds = [] {});

}  // namespace onda
