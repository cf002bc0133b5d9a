/// \file
/// What the CUDA backend tells the rest of the program of a compiled kernel and of a call that failed. It stands apart
/// from kernels/cuda/cuda.hpp so that no kernel is compiled again when the description of a set-up changes.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace onda::cuda {

/// What the compiler made of one compiled instance of a kernel, for `onda bench gpu`.
struct Resources {
    int registers = 0, threads = 0, blocks_per_multiprocessor = 0;
    std::int64_t spilled_bytes = 0;  ///< local memory a thread
    std::int64_t shared_bytes = 0;   ///< a block
};

/// A CUDA call or kernel that failed: what() names the call, CUDA's own words and the likely remedy. After one, the
/// device's results are not to be used.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, bool memory_is_short = false)
        : std::runtime_error(message), out_of_memory(memory_is_short) {}
    bool out_of_memory;  ///< the GPU has too little free memory
};

}  // namespace onda::cuda
