/// \file
/// What a GPU can do, each part of it alone: short kernels that are bound by one thing.
#pragma once

#include <cstdint>

namespace onda::cuda {

struct ProbedRates {
    double dram_bytes_s = 0., l2_bytes_s = 0., shared_bytes_s = 0.;  ///< reads and writes alike
    double instructions_s = 0., double_operations_s = 0.;            ///< of threads
    double l2_latency_s = 0., dram_latency_s = 0.;                   ///< of one load that nothing hides
};

/// Takes about two seconds and an eighth of the memory that is free, at most 2 GB. \param ordinal of a GPU that can be
/// used. \throws Error.
ProbedRates probe(int ordinal, int multiprocessors, std::int64_t free_bytes);

}  // namespace onda::cuda
