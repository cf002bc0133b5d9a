/// \file
/// The tables of the thesis on the GPU at hand.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench thesis`.
Command add_bench_thesis(CLI::App& bench);

}  // namespace onda
