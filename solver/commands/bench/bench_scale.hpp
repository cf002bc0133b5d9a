/// \file
/// `onda bench scale`: how steps scale over devices and processes that share a grid.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench scale`.
Command add_bench_scale(CLI::App& bench);

}  // namespace onda
