// For tests that need a GPU.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "kernels/cuda/cuda.hpp"

namespace onda::test {

/// Without a GPU the whole program is skipped (ctest shows "Skipped"), or fails if ONDA_REQUIRE_GPU is set.
inline void need_gpu() {
    const std::string& problem = cuda::gpu_state().problem;
    if (problem.empty()) return;
    const bool required = std::getenv("ONDA_REQUIRE_GPU") != nullptr;
    std::printf("%s: %s\n", required ? "ONDA_REQUIRE_GPU is set" : "skipped", problem.c_str());
    std::exit(required ? 1 : 77);
}

}  // namespace onda::test
