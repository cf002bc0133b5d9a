// How a leap is divided among blocks, and what it asks of a GPU.
#include <algorithm>
#include <cstdint>

#include "kernels/cuda/chunk_plan.hpp"
#include "kernels/cuda/leap/leap_launch.hpp"
#include "kernels/equations/star/whole_vectors.hpp"

namespace onda::cuda {
namespace {

/// Where tiles begin along x: on a line of memory, or, if that saves a tile, on any sector of one. A box that begins on
/// whole vectors of every kernel is not exceeded (kernels/plan/shell.hpp).
int first_tile(const LeapShape& shape, const NodeBox& box) {
    if (box.low[0] % kWholeVectors == 0) return static_cast<int>(box.low[0]);
    const auto from = [&](int align) { return box.low[0] / align * align; };
    const auto tiles = [&](std::int64_t first) { return blocks_for(box.high[0] - first, shape.width); };
    const std::int64_t line = from(shape.align_x), sector = from(std::max(1, shape.align_x / 4));
    return static_cast<int>(tiles(sector) < tiles(line) ? sector : line);
}

}  // namespace

LeapPlan plan_leap(const void* kernel, const LeapShape& shape, const NodeBox& box) {
    const Resources has = resources_of(kernel, shape.threads_x * shape.threads_y, shape.shared_bytes);
    LeapPlan plan;
    plan.first_x = first_tile(shape, box);
    const int tiles_x = blocks_for(box.high[0] - plan.first_x, shape.width),
              tiles_y = blocks_for(box.extent(1), shape.height);
    const std::int64_t resident = std::int64_t{std::max(1, has.blocks_per_multiprocessor)} * multiprocessors();
    plan.chunks = best_chunks({.planes = box.extent(2),
                               .tiles = std::int64_t{tiles_x} * tiles_y,
                               .resident = resident,
                               .reach = 4 * shape.radius});
    plan.shape.grid = dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(tiles_y),
                           static_cast<unsigned>(chunk_count(plan.chunks, box.extent(2))));
    plan.shape.block = dim3(static_cast<unsigned>(shape.threads_x), static_cast<unsigned>(shape.threads_y));
    plan.shape.shared_bytes = static_cast<std::size_t>(shape.shared_bytes);
    return plan;
}

StepFacts leap_facts(const void* kernel, const LeapShape& shape, const LeapWork& work, const Grid& grid,
                     const NodeBox& box, int volumes, int element_bytes) {
    StepFacts facts = facts_of_streams(grid, element_bytes, {});
    facts.steps = 2;
    facts.compiled = resources_of(kernel, shape.threads_x * shape.threads_y, shape.shared_bytes);
    facts.launches = volumes;
    if (box.empty()) return all_volumes(facts, volumes);
    const LeapPlan plan = plan_leap(kernel, shape, box);
    const double tiles = static_cast<double>(plan.shape.grid.x) * plan.shape.grid.y, chunks = plan.shape.grid.z;
    const auto planes_of_grid = static_cast<double>(box.extent(2));
    count_blocks(facts, plan.chunks, static_cast<std::int64_t>(tiles), box.extent(2), 4. * shape.radius);
    facts.ahead = work.ahead;
    const double of_p = tiles * (planes_of_grid + 4. * shape.radius * chunks);
    const double of_k = tiles * (planes_of_grid + 2. * shape.radius * chunks);
    const double nodes = static_cast<double>(box.extent(0)) * static_cast<double>(box.extent(1)) * planes_of_grid;
    facts.l2_bytes = element_bytes * (of_p * work.p_values + of_k * work.k_values + 2. * nodes);
    facts.refetch_bytes =
        element_bytes * static_cast<double>(grid.nx() * grid.ny()) * 3. * shape.radius * (chunks - 1.);
    facts.window_bytes = facts.footprint_bytes;
    facts.engine_lines = of_p * work.engine_lines;
    facts.shared_bytes = of_k * work.shared_bytes;
    facts.instructions = of_k * work.instructions;
    facts.operations = of_k * work.operations;
    return all_volumes(facts, volumes);
}

}  // namespace onda::cuda
