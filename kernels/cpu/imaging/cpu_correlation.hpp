/// \file
/// Correlations in the memory of the host.
#pragma once

#include <memory>

#include "kernels/imaging/correlation.hpp"
#include "kernels/plan/allocations.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

/// A correlation of so many shots. \param setup lives as long as it does. \throws std::bad_alloc.
template <typename T>
std::unique_ptr<Correlation> make_correlation(const Setup& setup, int shots, std::int64_t slots, Correlated what,
                                              const OffsetLines& lines);

}  // namespace onda::cpu
