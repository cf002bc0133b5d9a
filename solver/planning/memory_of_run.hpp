/// \file
/// The memory that a run takes, as rows of whoever holds it.
#pragma once

#include "kernels/plan/allocations.hpp"

namespace onda {

struct Plan;

/// All that a run will allocate: the host's rows, and those of its devices as one row for each item of the forecast.
Allocations memory_of_run(const Plan& plan);

}  // namespace onda
