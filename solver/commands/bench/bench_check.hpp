/// \file
/// Times `onda check` over configurations that are large in one way each.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench check`.
Command add_bench_check(CLI::App& bench);

}  // namespace onda
