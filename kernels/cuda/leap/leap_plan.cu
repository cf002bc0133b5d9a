// How a leap is divided among blocks, and what it asks of a GPU.
#include <algorithm>
#include <cstdint>

#include "kernels/cuda/leap/leap_launch.hpp"

namespace onda::cuda {
namespace {

int multiprocessors() {
    int device = 0, count = 0;
    ONDA_CUDA_TRY(cudaGetDevice(&device));
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

/// Blocks of one kind: how many, and how long each takes, in planes.
struct Blocks {
    std::int64_t count = 0, planes = 0;
};

/// When the last block ends, if each begins as soon as there is room: `resident` at a time, the long ones first.
std::int64_t end_of(Blocks longer, Blocks shorter, std::int64_t resident) {
    const std::int64_t rounds = longer.count / resident, late = longer.count % resident;
    const std::int64_t early_end = rounds * longer.planes, late_end = early_end + (late > 0 ? longer.planes : 0);
    const auto done_by = [&](std::int64_t time) {
        const auto of = [&](std::int64_t rooms, std::int64_t free) {
            return rooms * std::max<std::int64_t>(0, (time - free) / shorter.planes);
        };
        return of(resident - late, early_end) + of(late, late_end);
    };
    if (shorter.count == 0) return late_end;
    std::int64_t end = INT64_MAX;
    for (const std::int64_t free : {early_end, late_end}) {
        std::int64_t time = free;
        while (done_by(time) < shorter.count) time += shorter.planes;
        end = std::min(end, time);
    }
    return std::max(end, late_end);
}

/// Chunks of planes: `long_chunks` of `chunk`, then others of `short_chunk`, of which the last may be cut.
struct Chunks {
    int chunk = 0, long_chunks = 0, short_chunk = 0, short_chunks = 0;
};

/// \param tiles of a plane; \param resident blocks at a time on the whole GPU; \param reach planes that a block loads
/// beyond those it updates.
Chunks best_chunks(std::int64_t planes, std::int64_t tiles, std::int64_t resident, int reach) {
    Chunks best;
    std::int64_t best_end = INT64_MAX;
    const auto consider = [&](std::int64_t chunk, std::int64_t long_chunks, std::int64_t short_chunk) {
        const std::int64_t left = std::max<std::int64_t>(0, planes - long_chunks * chunk);
        const std::int64_t short_chunks = left == 0 ? 0 : (left + short_chunk - 1) / short_chunk;
        const std::int64_t end =
            end_of({tiles * long_chunks, chunk + reach}, {tiles * short_chunks, short_chunk + reach}, resident);
        if (end >= best_end) return;
        best_end = end;
        best = {static_cast<int>(chunk), static_cast<int>(long_chunks), static_cast<int>(short_chunk),
                static_cast<int>(short_chunks)};
    };
    const std::int64_t most = std::clamp<std::int64_t>(planes / std::max(1, reach), 1, 64);
    for (std::int64_t chunks = 1; chunks <= most; ++chunks) {
        const std::int64_t equal = (planes + chunks - 1) / chunks;
        consider(equal, (planes + equal - 1) / equal, equal);
        constexpr int parts = 16;  // of a chunk: where the short ones begin
        for (int part = 1; part < parts && chunks <= 8; ++part)
            for (int shorter = 1; shorter <= 3; ++shorter) {
                const std::int64_t chunk = equal * part / parts + (planes - equal) / chunks;
                const std::int64_t left = planes - chunks * chunk, each = (left + shorter - 1) / shorter;
                if (chunk > 0 && left > 0 && each <= chunk) consider(chunk, chunks, each);
            }
    }
    return best;
}

/// Where tiles begin along x: on a line of memory, or, if that saves a tile, on any sector of one.
int first_tile(const LeapShape& shape, const NodeBox& box) {
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
    const Chunks chunks = best_chunks(box.extent(2), std::int64_t{tiles_x} * tiles_y, resident, 4 * shape.radius);
    plan.chunk = chunks.chunk;
    plan.long_chunks = chunks.long_chunks;
    plan.short_chunk = chunks.short_chunk;
    plan.shape.grid = dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(tiles_y),
                           static_cast<unsigned>(chunks.long_chunks + chunks.short_chunks));
    plan.shape.block = dim3(static_cast<unsigned>(shape.threads_x), static_cast<unsigned>(shape.threads_y));
    plan.shape.shared_bytes = static_cast<std::size_t>(shape.shared_bytes);
    return plan;
}

StepFacts leap_facts(const void* kernel, const LeapShape& shape, const LeapWork& work, const Grid& grid,
                     const NodeBox& box, int volumes, int element_bytes) {
    StepFacts facts = facts_of_streams(grid, element_bytes, 1);
    facts.steps = 2;
    facts.compiled = resources_of(kernel, shape.threads_x * shape.threads_y, shape.shared_bytes);
    facts.launches = volumes;
    if (box.empty()) return all_volumes(facts, volumes);
    const LeapPlan plan = plan_leap(kernel, shape, box);
    const double tiles = static_cast<double>(plan.shape.grid.x) * plan.shape.grid.y, chunks = plan.chunks();
    const auto planes_of_grid = static_cast<double>(box.extent(2));
    facts.blocks = static_cast<std::int64_t>(tiles * chunks);
    facts.planes = planes_of_grid / chunks + 4. * shape.radius;
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
