/// \file
/// `onda bench forecast`: the run times that `onda check` tells, beside those that runs take.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// `onda bench forecast`.
Command add_bench_forecast(CLI::App& bench);

}  // namespace onda
