/// \file
/// `onda bench ep`: the random numbers of the program, counted and timed.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench ep`.
Command add_bench_ep(CLI::App& bench);

}  // namespace onda
