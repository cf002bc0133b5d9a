/// \file
/// `onda bench roofline`: draws what a benchmark has measured.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench roofline`.
Command add_bench_roofline(CLI::App& bench);

}  // namespace onda
