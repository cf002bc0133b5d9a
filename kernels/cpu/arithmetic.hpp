/// \file
/// Chains of fused multiply-adds that stay in registers: what the arithmetic of a processor reaches at most.
#pragma once

#include <cstdint>

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {

/// Runs independent chains x = x factor + term, each so many times. \param sum takes a value that depends on all of
/// them. \returns floating-point operations, a fused multiply-add counted as two.
template <typename Isa, typename T>
std::int64_t fma_chains(std::int64_t times, T factor, T term, T* sum);

}  // namespace onda::cpu
