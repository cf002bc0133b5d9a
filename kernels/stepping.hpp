/// \file
/// Time-stepping modes, apart from the set-up, so that kernels may know them.
#pragma once

namespace onda {

/// How a wavefield goes from one time level to the next: every level from the two before it, or every second level from
/// the two even ones before it (kernels/equations/star/leap.hpp). The same solution, with other rounding errors.
enum class Stepping { single, leap };

/// How often a kernel applies the spatial operator to go on: once, or twice, as leaps and steps of order 4 in time do.
enum class Applications { once, twice };

}  // namespace onda
