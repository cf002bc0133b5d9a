// What launchers share: the plan of a march, and what is known of a compiled kernel.
#include <algorithm>

#include "kernels/cuda/chunk_plan.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {
int multiprocessors() {
    int device = 0, count = 0;
    ONDA_CUDA_TRY(cudaGetDevice(&device));
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

bool launches_can_overlap() {
#if defined(CUDART_VERSION) && CUDART_VERSION >= 12030
    static const int driver = [] {
        int version = 0;
        ONDA_CUDA_TRY(cudaDriverGetVersion(&version));
        return version;
    }();
    int device = 0, major = 0;
    ONDA_CUDA_TRY(cudaGetDevice(&device));
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 9 && driver >= 12030;
#else
    return false;
#endif
}

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

MarchPlan plan_march(const void* kernel, const MarchShape& shape, const Grid& grid) {
    const Resources has = resources_of(kernel, shape.block_x * shape.block_y, shape.shared_bytes);
    const int tiles_x = blocks_for(grid.nx(), shape.width), tiles_y = blocks_for(grid.ny(), shape.height);
    const std::int64_t resident =
        static_cast<std::int64_t>(std::max(1, has.blocks_per_multiprocessor)) * multiprocessors();
    MarchPlan plan;
    plan.chunks = best_chunks({.planes = grid.nz(),
                               .tiles = std::int64_t{tiles_x} * tiles_y,
                               .resident = resident,
                               .reach = shape.reach,
                               .longest = shape.longest});
    plan.shape.grid = dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(tiles_y),
                           static_cast<unsigned>(chunk_count(plan.chunks, grid.nz())));
    plan.shape.block = dim3(static_cast<unsigned>(shape.block_x), static_cast<unsigned>(shape.block_y));
    plan.shape.shared_bytes = static_cast<std::size_t>(shape.shared_bytes);
    return plan;
}

StepFacts march_facts(const void* kernel, const MarchShape& shape, const MarchWork& work, const Grid& grid, int volumes,
                      int element_bytes) {
    const MarchPlan plan = plan_march(kernel, shape, grid);
    const int threads = shape.block_x * shape.block_y;
    const double tiles_x = plan.shape.grid.x, tiles_y = plan.shape.grid.y, chunks = plan.shape.grid.z;
    StepFacts facts = facts_of_streams(grid, element_bytes, work.arrays);
    facts.compiled = resources_of(kernel, threads, shape.shared_bytes);
    facts.launches = volumes;
    count_blocks(facts, plan.chunks, static_cast<std::int64_t>(tiles_x * tiles_y), grid.nz(), 2. * shape.reach);
    facts.ahead = work.ahead;
    double values = loaded_values(grid, tiles_x, tiles_y, chunks, work.p);
    if (work.rho.x > 0) values += loaded_values(grid, tiles_x, tiles_y, chunks, work.rho);
    facts.l2_bytes = element_bytes * (values + streams_beside(work.arrays, work.rho) * facts.points);
    // The planes beside a chunk come once for each of its sides; half of them are found in the L2 cache.
    facts.refetch_bytes = element_bytes * static_cast<double>(grid.nx() * grid.ny()) * shape.reach * (chunks - 1.);
    facts.window_bytes = facts.footprint_bytes;
    // Planes beyond those that are updated arrive whole; about half of the work on them is left out.
    const double arriving = tiles_x * tiles_y * (static_cast<double>(grid.nz()) + 2. * shape.reach * chunks);
    const double computed = tiles_x * tiles_y * (static_cast<double>(grid.nz()) + shape.reach * chunks);
    constexpr int instructions_of_copy = 12;  // place in the tile, whether it lies inside, both addresses, the copy
    facts.shared_bytes = computed * threads * work.shared_bytes + arriving * work.frame_bytes;
    facts.engine_lines = arriving * work.engine_lines;
    facts.instructions = computed * threads * work.instructions + arriving * work.copied_pieces * instructions_of_copy;
    facts.operations = computed * threads * work.operations;
    return all_volumes(facts, volumes);
}

}  // namespace onda::cuda
