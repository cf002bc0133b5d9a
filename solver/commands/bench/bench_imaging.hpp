/// \file
/// `onda bench imaging`: what gradients cost beside the forward runs that they contain.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench imaging`.
Command add_bench_imaging(CLI::App& bench);

}  // namespace onda
