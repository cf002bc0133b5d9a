/// \file
/// A kernel that traps.
#pragma once

namespace onda::test {

/// Launches it on a GPU, which is of no use to this process from then on. \throws cuda::Error.
void let_gpu_trap(int ordinal);

}  // namespace onda::test
