/// \file
/// What is counted of an operation that takes more than one instruction.
#pragma once

namespace onda::cuda {

/// A reciprocal in double precision: so many operations beyond the eight of single precision. The hardware finds the
/// first bits alone; refining them and rounding as IEEE 754 asks takes the rest. From steps of variable density at
/// orders 2 to 16 on an H200.
inline constexpr int kLongReciprocal = 32;

}  // namespace onda::cuda
