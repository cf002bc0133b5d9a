/// \file
/// The commands of `onda_judge`: what Onda predicts and chooses, beside what is measured.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

/// The seconds and the memory that the stages of `onda check` take, over configurations that are large in one way each.
Command add_judge_check(CLI::App& app);
/// The run times that `onda check` tells, beside those that runs take.
Command add_judge_forecast(CLI::App& app);
/// How near `backend.kernel: auto` comes to the best fixed choice.
Command add_judge_auto(CLI::App& app);

}  // namespace onda
