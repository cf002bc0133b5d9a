/// \file
/// `onda bench encode`: blending shots with packed codes of +1 and -1, in every way.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench encode`.
Command add_bench_encode(CLI::App& bench);

}  // namespace onda
