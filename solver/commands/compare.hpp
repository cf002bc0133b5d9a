/// \file
/// onda compare: how two files differ, by what shift they align, and where in a volume a template is.
#pragma once

#include "solver/commands/commands.hpp"

namespace onda {

Command add_compare(CLI::App& app);

}  // namespace onda
