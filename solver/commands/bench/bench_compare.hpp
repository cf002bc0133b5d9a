/// \file
/// `onda bench compare`: whether one benchmark is faster than another.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench compare`.
Command add_bench_compare(CLI::App& bench);

}  // namespace onda
