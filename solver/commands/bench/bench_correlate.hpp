/// \file
/// onda bench correlate: a template turned, correlated with a volume and searched for peaks, beside published times.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

Command add_bench_correlate(CLI::App& bench);

}  // namespace onda
