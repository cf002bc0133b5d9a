/// \file
/// Times kernels in turns with the twin, and prints one row each: the part of `onda bench` that knows no device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/setup.hpp"
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
};

/// The fastest velocity of the medium that is timed.
inline constexpr double kBenchFastest_m_s = 3000.;
/// The time step of a measurement: half the stability limit for kernels. The twin is no wave equation and would grow by
/// (v dt)^2 a step: with a tiny step its values stay what they are.
double bench_time_step_s(const Setup& setup);

/// Puts a boundary, of BoundaryKind, on every face of a set-up.
void put_on_every_face(Setup& setup, const std::string& boundary);

/// Measures every case, printing each row as it is done; rounds take 10 ms and more, so that starting them does not
/// show. \returns the table as CSV. \throws Error(out_of_memory) before anything is allocated.
std::string run_bench(const BenchPlan& plan);

}  // namespace onda
