/// \file
/// Times kernels in turns with the twin, and prints one row each: the part of `onda bench` that knows no device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/setup.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

/// A column beside those that are measured.
struct BenchColumn {
    std::string heading, csv_name;
    int width = 8;
};

/// One row: what is timed, and its cells in the columns of the plan.
struct BenchCase {
    Setup setup;                ///< resolved
    std::optional<Setup> bare;  ///< what it takes turns with, instead of the twin: resolved
    std::vector<std::string> labels, remarks;
};

/// Everything that is to be timed on one grid of one device.
struct BenchPlan {
    const Device* device = nullptr;
    Setup twin;  ///< reads p[n], p[n-1] and the model, writes p[n+1], without neighbours: the memory's ceiling
    std::vector<BenchCase> cases;
    std::string rival = "twin";                              ///< heads the column of what every case takes turns with
    std::vector<BenchColumn> label_columns, remark_columns;  ///< before and after the measured ones
    int rounds = 0;
    std::string boundary;  ///< on every face of all cases; empty: none
    std::string roofline;  ///< picture to draw; empty: none
};

/// Measures every case, printing each row as it is done, and what the machine did meanwhile; rounds take 10 ms and
/// more, so that starting them does not show. Writes the files that were asked for. \throws Error(out_of_memory) before
/// anything is allocated; Error(cannot_create) before anything is measured.
void run_bench(const BenchPlan& plan, const BenchOutput& output);

}  // namespace onda
