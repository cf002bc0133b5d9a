/// \file
/// `onda bench cg`: the benchmark CG of the NAS Parallel Benchmarks.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench cg`.
Command add_bench_cg(CLI::App& bench);

}  // namespace onda
