/// \file
/// Whether a run takes single time steps or leaps.
#pragma once

#include <string>

namespace onda {

struct Plan;
struct Problem;

/// Sets the stepping that Plan::asked_stepping asks for, and the time axis that goes with it. "auto" leaps where that
/// is faster, and where everything that is asked for allows it. \param plan with device, scheme, survey, time axis and
/// boundary. \throws Error(config) where leaps are asked for and cannot be had, with the reason.
void set_stepping(Plan& plan);

/// A line for `onda check` on leaps; empty with single steps.
std::string describe_stepping(const Problem& problem);

}  // namespace onda
