// How planes are divided among blocks that march along z.
#include "kernels/cuda/chunk_plan.hpp"

#include <algorithm>

namespace onda::cuda {
namespace {

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

}  // namespace

std::int64_t chunk_count(const Chunks& chunks, std::int64_t planes) {
    const std::int64_t left = planes - std::int64_t{chunks.long_chunks} * chunks.chunk;
    return chunks.long_chunks + (left > 0 ? (left + chunks.short_chunk - 1) / chunks.short_chunk : 0);
}

void count_blocks(StepFacts& facts, const Chunks& chunks, std::int64_t tiles, std::int64_t planes, double beyond) {
    const std::int64_t count = chunk_count(chunks, planes), shorter = count - chunks.long_chunks;
    facts.blocks = tiles * count;
    facts.short_blocks = tiles * shorter;
    if (shorter == 0) {
        facts.planes = static_cast<double>(planes) / static_cast<double>(count) + beyond;
        return;
    }
    const std::int64_t left = planes - std::int64_t{chunks.long_chunks} * chunks.chunk;
    facts.planes = chunks.chunk + beyond;
    facts.short_planes = static_cast<double>(left) / static_cast<double>(shorter) + beyond;
}

Chunks best_chunks(const Marches& m) {
    Chunks best;
    std::int64_t best_end = INT64_MAX;
    const auto consider = [&](std::int64_t chunk, std::int64_t long_chunks, std::int64_t short_chunk) {
        if (chunk > m.longest) return;
        const std::int64_t left = std::max<std::int64_t>(0, m.planes - long_chunks * chunk);
        const std::int64_t short_chunks = left == 0 ? 0 : (left + short_chunk - 1) / short_chunk;
        const std::int64_t end = end_of({m.tiles * long_chunks, chunk + m.reach},
                                        {m.tiles * short_chunks, short_chunk + m.reach}, m.resident);
        if (end >= best_end) return;
        best_end = end;
        best = {static_cast<int>(chunk), static_cast<int>(long_chunks), static_cast<int>(short_chunk)};
    };
    const std::int64_t fewest = (m.planes + m.longest - 1) / m.longest;
    const std::int64_t most = std::clamp<std::int64_t>(m.planes / std::max<std::int64_t>(1, m.reach), 1, 64);
    for (std::int64_t chunks = 1; chunks <= std::max(fewest, most); ++chunks) {
        const std::int64_t equal = (m.planes + chunks - 1) / chunks;
        consider(equal, (m.planes + equal - 1) / equal, equal);
        constexpr int parts = 16;  // of a chunk: where the short ones begin
        for (int part = 1; part < parts && chunks <= 8; ++part)
            for (int shorter = 1; shorter <= 3; ++shorter) {
                const std::int64_t chunk = equal * part / parts + (m.planes - equal) / chunks;
                const std::int64_t left = m.planes - chunks * chunk, each = (left + shorter - 1) / shorter;
                if (chunk > 0 && left > 0 && each <= chunk) consider(chunk, chunks, each);
            }
    }
    return best;
}

}  // namespace onda::cuda
