/// \file
/// What a plane costs the block of a kernel that leaps.
#pragma once

#include "kernels/cuda/step_facts.hpp"

namespace onda::cuda {

/// What a block does for a plane of its tile, counted: see StepFacts.
struct LeapWork {
    double p_values = 0., k_values = 0.;  ///< loaded through the L2 cache; p[n-2] and p[n+2] are not among them
    double shared_bytes = 0., engine_lines = 0., operations = 0., instructions = 0.;
    int ahead = 0;  ///< planes on their way
};

}  // namespace onda::cuda
