/// \file
/// Hashes of the planes of a field, made on the device.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "kernels/cuda/field_operations.hpp"

namespace onda::cuda {

/// Whether hash_planes() takes planes of so many bytes: XXH3 has algorithms of their own for up to 240.
constexpr bool can_hash_planes(std::int64_t bytes) {
    return bytes > 240;
}

/// Queues hashes[i] = XXH3 with 64 bits, without a seed, of the values [y][x] of plane i of a window, x fastest, as
/// their bytes follow each other in a compact array. T is float or double. \param window of whole planes, first_row 0.
/// \throws Error if the launch fails.
template <typename T>
void hash_planes(const T* field, const WindowRows& window, std::uint64_t* hashes, cudaStream_t stream);

}  // namespace onda::cuda
