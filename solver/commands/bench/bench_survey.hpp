/// \file
/// `onda bench survey`: shots a second over grids and batches.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench survey`.
Command add_bench_survey(CLI::App& bench);

}  // namespace onda
