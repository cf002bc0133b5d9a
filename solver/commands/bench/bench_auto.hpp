/// \file
/// `onda bench auto`: how near `backend.kernel: auto` comes to the best fixed choice.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench auto`.
Command add_bench_auto(CLI::App& bench);

}  // namespace onda
