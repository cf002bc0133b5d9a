#include "kernels/companions/pair_counts.hpp"

#include <numeric>

namespace onda {

std::int64_t PairSums::accepted() const {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

PairSums sum_in_order(std::span<const PairSums> batches) {
    PairSums all;
    for (const PairSums& batch : batches) {
        all.sx += batch.sx;
        all.sy += batch.sy;
        for (std::size_t l = 0; l < all.counts.size(); ++l) all.counts[l] += batch.counts[l];
    }
    return all;
}

namespace cpu {
namespace {

constexpr int kPiecePairs = 256;  // whose points, 6 kB, stay in the first cache

/// Adds the next pairs, in their order. First come the points, on which no branch depends, then the logarithms of those
/// accepted, which the processor overlaps: pair by pair it would guess wrong at a fifth of them, and take twice as
/// long.
void add_piece(RandomCursor& cursor, PairSums& sums) {
    std::array<PolarPoint, kPiecePairs> accepted;
    std::size_t count = 0;
    for (int pair = 0; pair < kPiecePairs; ++pair) {
        const double u1 = cursor.next(), u2 = cursor.next();
        accepted[count] = PolarPoint::from(u1, u2);
        count += accepted[count].is_accepted() ? 1 : 0;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const NormalPair normal = accepted[i].normal();
        sums.sx += normal.x;
        sums.sy += normal.y;
        ++sums.counts[static_cast<std::size_t>(normal.count())];
    }
}

PairSums count_batch(const PositionedRandom& random, std::int64_t batch) {
    RandomCursor cursor = random.from(static_cast<std::uint64_t>(2 * kBatchPairs * batch));
    PairSums sums;
    for (std::int64_t piece = 0; piece < kBatchPairs / kPiecePairs; ++piece) add_piece(cursor, sums);
    return sums;
}

class CpuPairCounter final : public PairCounter {
public:
    [[nodiscard]] Claim claim() const override { return {1, 16}; }  // 16 take some 40 ms
    void count(const PositionedRandom& random, BatchRange batches, std::span<PairSums> sums) override {
        for (std::int64_t i = 0; i < batches.count; ++i)
            sums[static_cast<std::size_t>(i)] = count_batch(random, batches.first + i);
    }
};

}  // namespace

std::unique_ptr<PairCounter> make_pair_counter() {
    return std::make_unique<CpuPairCounter>();
}

}  // namespace cpu
}  // namespace onda
