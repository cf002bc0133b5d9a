/// \file
/// Kernels in the streams of cuda_runtime_api.h.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <tuple>

#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

/// \tparam T float or double: kernels in float flush denormals.
template <typename T, typename... Parameters, typename... Arguments>
void queue_on_host(cudaStream_t stream, dim3 grid, dim3 block, std::size_t shared_bytes, void (*kernel)(Parameters...),
                   const Arguments&... arguments) {
    HostLaunch launch;
    launch.grid = grid;
    launch.block = block;
    launch.shared_bytes = static_cast<std::int64_t>(shared_bytes);
    launch.flush_denormals = sizeof(T) == 4;
    cuda_on_host::enqueue(stream, [launch, kernel, values = std::tuple<Parameters...>(arguments...)] {
        std::apply([&](const auto&... each) { launch_on_host(launch, kernel, each...); }, values);
    });
}

}  // namespace onda::cuda
