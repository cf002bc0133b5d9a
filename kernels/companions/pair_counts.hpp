/// \file
/// Pairs of normal numbers, their sums and counts: the kernel EP of the NAS Parallel Benchmarks (Bailey et al. 1994,
/// RNR-94-007) on any device. Pair i is made of the uniform numbers at 2 i and 2 i + 1.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/companions/positioned_random.hpp"
#include "kernels/host_device.hpp"

namespace onda {

/// Pairs are counted in batches, whose sums are added in the order of the batches: so no bit of a result depends on who
/// counted which.
inline constexpr std::int64_t kBatchPairs = 1 << 16;
inline constexpr int kPairCounts = 10;

/// What is kept of pairs (X, Y) of normal numbers.
struct PairSums {
    double sx = 0., sy = 0.;  ///< the sums of X and Y
    /// Pairs with a largest magnitude, max(|X|, |Y|), in [l, l + 1); the last one has all from there on.
    std::array<std::int64_t, kPairCounts> counts{};

    [[nodiscard]] std::int64_t accepted() const;
    friend bool operator==(const PairSums&, const PairSums&) = default;
};

/// Two independent normal numbers.
struct NormalPair {
    double x, y;

    /// Which of the counts it belongs to.
    [[nodiscard]] ONDA_HOST_DEVICE int count() const {
        const double a = std::fabs(x), b = std::fabs(y), largest = a < b ? b : a;
        return largest < kPairCounts ? static_cast<int>(largest) : kPairCounts - 1;
    }
};

/// A point of the square (-1, 1)^2, of which the polar method (Marsaglia & Bray 1964, SIAM Review 6(3)) makes a pair of
/// normal numbers if it lies in the unit circle, which has pi / 4 of the area.
struct PolarPoint {
    double x = 0., y = 0., square = 0.;  ///< square = x^2 + y^2, above 0: no number of PositionedRandom is 1/2

    /// Of two uniform numbers in (0, 1). The same bits everywhere.
    ONDA_HOST_DEVICE static PolarPoint from(double u1, double u2) {
        const double x = 2. * u1 - 1., y = 2. * u2 - 1.;
        return {x, y, x * x + y * y};
    }
    [[nodiscard]] ONDA_HOST_DEVICE bool is_accepted() const { return square <= 1.; }
    /// Has the last bits of the logarithm of the device.
    [[nodiscard]] ONDA_HOST_DEVICE NormalPair normal() const {
        const double scale = std::sqrt(-2. * std::log(square) / square);
        return {x * scale, y * scale};
    }
};

/// Consecutive batches.
struct BatchRange {
    std::int64_t first = 0, count = 0;
};

/// The sum of sums of batches, in their order.
PairSums sum_in_order(std::span<const PairSums> batches);

/// One device that counts pairs. Used by one thread at a time.
class PairCounter {
public:
    virtual ~PairCounter() = default;
    /// The numbers of batches that are worth a call: fewer leave the device idle, more keep others waiting.
    struct Claim {
        std::int64_t fewest, most;
    };
    [[nodiscard]] virtual Claim claim() const = 0;
    /// The sums of each batch of a range. \param batches at most claim().most. \param sums one for each batch.
    /// \throws cuda::Error.
    virtual void count(const PositionedRandom& random, BatchRange batches, std::span<PairSums> sums) = 0;
};

namespace cpu {
/// Counts on the thread that calls it, pair after pair, with the logarithm of the host's library.
std::unique_ptr<PairCounter> make_pair_counter();
}  // namespace cpu

namespace cuda {
/// Counts on a GPU: 256 threads a batch, whose sums are joined by a tree. Sums are the same on every GPU of one CUDA
/// version, and differ in their last bits from those of the CPU: another order, another logarithm. Counts are those of
/// the CPU, unless a last bit takes a magnitude over a whole number, as of 10^9 pairs one does in about one run of
/// 10^6. \throws cuda::Error; std::runtime_error in a build without CUDA.
std::unique_ptr<PairCounter> make_pair_counter(int ordinal);
}  // namespace cuda

}  // namespace onda
