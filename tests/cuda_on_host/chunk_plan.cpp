// The chunks of planes that blocks march through cover every plane once, none is longer than allowed, and the last
// block ends no later than with chunks of any equal length.
// Takes 1 s.
#include "kernels/cuda/chunk_plan.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <functional>
#include <queue>
#include <vector>

using namespace onda::cuda;

namespace {

/// The planes of each chunk, in the order in which blocks begin.
std::vector<std::int64_t> lengths_of(const Chunks& chunks, std::int64_t planes) {
    std::vector<std::int64_t> lengths;
    std::int64_t begin = 0;
    for (std::int64_t which = 0; which < chunk_count(chunks, planes); ++which) {
        const std::int64_t length = which < chunks.long_chunks ? chunks.chunk : chunks.short_chunk;
        lengths.push_back(std::min(length, planes - begin));
        begin += length;
    }
    return lengths;
}

/// When the last block ends, if each begins as soon as there is room.
std::int64_t end_of(const std::vector<std::int64_t>& lengths, const Marches& m) {
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> free;
    for (std::int64_t room = 0; room < m.resident; ++room) free.push(0);
    std::int64_t end = 0;
    for (const std::int64_t length : lengths)
        for (std::int64_t tile = 0; tile < m.tiles; ++tile) {
            const std::int64_t done = free.top() + length + m.reach;
            free.pop();
            free.push(done);
            end = std::max(end, done);
        }
    return end;
}

}  // namespace

TEST_CASE("chunks cover every plane once, and end no later than equal ones") {
    int uneven = 0;
    for (const std::int64_t planes : {1, 7, 64, 200, 768})
        for (const std::int64_t tiles : {1, 12, 256, 700})
            for (const std::int64_t resident : {1, 132, 264})
                for (const std::int64_t reach : {1, 4, 15})
                    for (const std::int64_t longest : {96, 384}) {
                        const Marches m{planes, tiles, resident, reach, longest};
                        const Chunks chunks = best_chunks(m);
                        const std::vector<std::int64_t> lengths = lengths_of(chunks, planes);
                        CAPTURE(planes);
                        CAPTURE(tiles);
                        CAPTURE(resident);
                        CAPTURE(reach);
                        std::int64_t covered = 0;
                        for (const std::int64_t length : lengths) {
                            CHECK(length > 0);
                            CHECK(length <= longest);
                            covered += length;
                        }
                        CHECK(covered == planes);
                        if (lengths.front() != lengths.back()) ++uneven;
                        const std::int64_t fewest = (planes + longest - 1) / longest;
                        const std::int64_t most = std::max(fewest, planes / reach);
                        for (std::int64_t count = fewest; count <= std::min<std::int64_t>(most, 64); ++count) {
                            const auto equal = static_cast<int>((planes + count - 1) / count);
                            const int needed = static_cast<int>((planes + equal - 1) / equal);
                            // The plan takes the last of equal chunks for whole.
                            const std::vector<std::int64_t> whole(static_cast<std::size_t>(needed), equal);
                            CHECK(end_of(lengths, m) <= end_of(whole, m));
                        }
                    }
    CHECK(uneven > 0);
}

TEST_CASE("the facts of a launch have all planes of its chunks, and what these load beyond them") {
    const auto total = [](const Chunks& chunks, std::int64_t planes) {
        StepFacts facts;
        count_blocks(facts, chunks, 10, planes, 8.);
        CHECK(facts.blocks == 10 * chunk_count(chunks, planes));
        CHECK(facts.planes_of_blocks() ==
              doctest::Approx(10. *
                              (static_cast<double>(planes) + 8. * static_cast<double>(chunk_count(chunks, planes)))));
        return facts;
    };
    CHECK(total({50, 4, 50}, 200).short_blocks == 0);
    CHECK(total({50, 4, 50}, 190).planes == 47.5 + 8.);  // the last is cut
    const StepFacts uneven = total({60, 3, 10}, 200);
    CHECK(uneven.planes == 68.);
    CHECK(uneven.short_blocks == 20);
    CHECK(uneven.short_planes == 18.);
}
