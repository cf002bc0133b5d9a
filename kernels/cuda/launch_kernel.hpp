/// \file
/// The launch of a kernel, in one place, so that the host can stand in for the device (tests/cuda_on_host).
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/runtime.hpp"
#if defined(ONDA_CUDA_ON_HOST)
#include "launch_on_host.hpp"
#endif

namespace onda::cuda {

struct LaunchShape {
    dim3 grid, block;
    std::size_t shared_bytes = 0;
};

/// Queues kernel<<<grid, block, shared_bytes, stream>>>(arguments…). \tparam T what it computes in. \throws Error if it
/// cannot be launched.
template <typename T, typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
            const Arguments&... arguments) {
#if defined(ONDA_CUDA_ON_HOST)
    queue_on_host<T>(stream, shape.grid, shape.block, shape.shared_bytes, kernel, arguments...);
#else
    // clang-format 14 does not know launches in headers.
    // clang-format off
    kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(arguments...);
    // clang-format on
#endif
    ONDA_CUDA_TRY(cudaGetLastError());
}

}  // namespace onda::cuda
