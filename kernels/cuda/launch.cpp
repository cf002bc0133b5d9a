// What launchers share.
#include <algorithm>

#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

void allow_shared_memory(const void* kernel, int shared_bytes) {
    ONDA_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
}

Resources resources_of(const void* kernel, int threads, int shared_bytes) {
    allow_shared_memory(kernel, shared_bytes);
    cudaFuncAttributes attributes{};
    ONDA_CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));
    Resources resources;
    resources.registers = attributes.numRegs;
    resources.threads = threads;
    resources.spilled_bytes = static_cast<std::int64_t>(attributes.localSizeBytes);
    resources.shared_bytes = shared_bytes + static_cast<std::int64_t>(attributes.sharedSizeBytes);
    ONDA_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resources.blocks_per_multiprocessor, kernel, threads,
                                                                static_cast<std::size_t>(shared_bytes)));
    return resources;
}

int multiprocessors() {
    int device = 0, count = 0;
    ONDA_CUDA_TRY(cudaGetDevice(&device));
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

int planes_a_block(std::int64_t planes, std::int64_t tiles, std::int64_t resident, int radius, int longest) {
    std::int64_t best = planes, best_cost = -1;
    const std::int64_t most = std::max<std::int64_t>(1, planes / std::max(1, 2 * radius));
    const std::int64_t fewest = (planes + longest - 1) / longest;
    // Up to twice as many where there are many anyway: else the last round of blocks would often be a small one.
    const std::int64_t many = std::max(std::min<std::int64_t>(most, 64), std::min(most, 2 * fewest));
    for (std::int64_t chunks = fewest; chunks <= std::max(fewest, many); ++chunks) {
        const std::int64_t chunk = (planes + chunks - 1) / chunks;
        const std::int64_t rounds = (tiles * chunks + resident - 1) / resident;
        const std::int64_t cost = rounds * (chunk + radius);  // half of the planes read twice are found in the L2 cache
        if (best_cost < 0 || cost < best_cost) {
            best = chunk;
            best_cost = cost;
        }
    }
    return static_cast<int>(best);
}

}  // namespace onda::cuda
