/// \file
/// Where boxes of nodes begin that no kernel exceeds.
#pragma once

namespace onda {

/// Kernels that apply the operator twice write nothing in front of a box of nodes that begins on a multiple of this
/// along x; others they may exceed, by part of a vector.
inline constexpr int kWholeVectors = 32;

}  // namespace onda
