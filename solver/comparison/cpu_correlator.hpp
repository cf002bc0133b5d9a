/// \file
/// Correlation on the CPU, in double precision, by Kiss FFT.
#pragma once

#include <memory>

#include "solver/comparison/correlation.hpp"

namespace onda {

/// \param threads of its loops over lines; 0: as many as OpenMP gives. They change no bit.
std::unique_ptr<Correlator> make_cpu_correlator(const CorrelationShape& shape, int threads, int ordinal);

}  // namespace onda
