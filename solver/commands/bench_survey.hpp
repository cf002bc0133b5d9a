/// \file
/// `onda bench survey`: shots a second over grids and batches.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

Command add_bench_survey(CLI::App& bench);

}  // namespace onda
