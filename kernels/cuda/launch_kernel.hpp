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
    /// Whether the kernel may begin before the launch before it on the stream has ended: it waits by itself,
    /// wait_for_launch_before(). Where GPU or run-time library cannot overlap launches, it does not begin early.
    bool overlaps = false;
};

/// Whether launches can overlap on the GPU of this thread, in graphs too.
bool launches_can_overlap();

/// Queues kernel<<<grid, block, shared_bytes, stream>>>(arguments…). \tparam T what it computes in. \throws Error if it
/// cannot be launched.
template <typename T, typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape& shape, cudaStream_t stream,
            const Arguments&... arguments) {
#if defined(ONDA_CUDA_ON_HOST)
    queue_on_host<T>(stream, shape.grid, shape.block, shape.shared_bytes, kernel, arguments...);
#else
    if (!shape.overlaps || !launches_can_overlap()) {
        // clang-format 14 does not know launches in headers.
        // clang-format off
        kernel<<<shape.grid, shape.block, shape.shared_bytes, stream>>>(arguments...);
        // clang-format on
    } else {
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = shape.grid;
        config.blockDim = shape.block;
        config.dynamicSmemBytes = shape.shared_bytes;
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = 1;
        ONDA_CUDA_TRY(cudaLaunchKernelEx(&config, kernel, arguments...));
    }
#endif
    ONDA_CUDA_TRY(cudaGetLastError());
}

}  // namespace onda::cuda
