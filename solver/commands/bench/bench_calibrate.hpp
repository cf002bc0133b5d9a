/// \file
/// `onda bench calibrate`: measures what the model of a device must know, and how far its predictions are off.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

Command add_bench_calibrate(CLI::App& bench);

}  // namespace onda
