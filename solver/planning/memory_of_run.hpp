/// \file
/// The memory that a run takes, as rows of whoever holds it.
#pragma once

#include <cstdint>

#include "kernels/plan/allocations.hpp"

namespace onda {

struct Plan;

/// What of the program's files and its libraries' is in memory when a run takes most: 22 to 31 MB were seen, by what
/// has run, by the distribution, and by the sizes of the pages in which the page cache happens to hold them.
inline constexpr std::int64_t kMappedFilesBytes = 25'300'000;

/// All that a run will allocate: the host's rows, and those of its devices as one row for each item of the forecast.
Allocations memory_of_run(const Plan& plan);

}  // namespace onda
