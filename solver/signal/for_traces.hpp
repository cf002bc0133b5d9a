/// \file
/// A loop over traces, by all threads.
#pragma once

#include <cstdint>

#include "solver/program/loop_failure.hpp"

namespace onda {

/// Runs body(trace) for each of so many traces, in parallel. \throws what one of them throws.
template <typename Body>
void for_traces(std::int64_t count, const Body& body) {
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t trace = 0; trace < count; ++trace) failure.guard([&] { body(trace); });
    failure.rethrow();
}

}  // namespace onda
