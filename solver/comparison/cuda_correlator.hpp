/// \file
/// Correlation on a GPU, in single precision, by cuFFT.
#pragma once

#include <memory>
#include <string>

#include "solver/comparison/correlation.hpp"

namespace onda {

/// Why there is none, and what to do: no GPU, no cuFFT; empty if there is.
std::string problem_of_cuda_correlator(int ordinal);
std::unique_ptr<Correlator> make_cuda_correlator(const CorrelationShape& shape, int threads, int ordinal);
int count_cuda_correlators();

}  // namespace onda
