/// \file
/// The random numbers of the program, each a function of a seed and of its position: any partition of a sequence, on
/// any device and in any process, is the same numbers to the bit.
///
/// The generator is that of the NAS Parallel Benchmarks (Bailey et al. 1994, RNR-94-007): x <- 5^13 x mod 2^46, of
/// which k steps at once are a multiplication by 5^(13 k) mod 2^46. What it is good for, and what not:
/// - An odd state has a period of 2^44: positions count modulo 2^44.
/// - Of the bits of a state bit b has a period of 2^(b - 1) only: signs come from the highest one.
/// - Positions that lie a large power of two apart are correlated: at a distance of 2^j numbers differ in the highest
///   44 - j bits alone. Whoever draws for shots, traces and samples counts through them without gaps, as
///   (shot * traces + trace) * samples + sample, and never puts the shot into high bits of the position.
/// - Sequences of all seeds are parts of one circle of 2^44 numbers, or of the same circle with u replaced by 1 - u. Of
///   s sequences of n numbers some two overlap with a probability of about s^2 n / 2^45.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace onda {

/// The arithmetic of the generator. Products of states wrap modulo 2^64, which leaves their lower 46 bits as they are.
struct NasGenerator {
    static constexpr int kBits = 46;
    static constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
    static constexpr std::uint64_t kMultiplier = 1220703125;  ///< 5^13
    static constexpr std::uint64_t kPeriod = std::uint64_t{1} << (kBits - 2);

    ONDA_HOST_DEVICE static constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a * b & kMask; }
    /// What a state is multiplied by in so many steps: 5^(13 steps) mod 2^46, in at most 88 multiplications.
    ONDA_HOST_DEVICE static constexpr std::uint64_t multiplier_of(std::uint64_t steps) {
        std::uint64_t result = 1, square = kMultiplier;
        for (steps %= kPeriod; steps != 0; steps >>= 1) {
            if (steps & 1) result = times(result, square);
            square = times(square, square);
        }
        return result;
    }
    /// The number of a state, exact: in (0, 1), since an odd state is neither 0 nor 2^46.
    ONDA_HOST_DEVICE static double uniform(std::uint64_t state) { return static_cast<double>(state) * 0x1p-46; }
};

/// Consecutive numbers of a sequence, for a multiplication each.
class RandomCursor {
public:
    /// \param state of the first number.
    ONDA_HOST_DEVICE explicit RandomCursor(std::uint64_t state) : state_(state) {}
    /// The number at this position, in (0, 1); the next call gives the next one.
    ONDA_HOST_DEVICE double next() {
        const double number = NasGenerator::uniform(state_);
        state_ = NasGenerator::times(state_, NasGenerator::kMultiplier);
        return number;
    }

private:
    std::uint64_t state_;
};

/// The sequence of random numbers of a seed, addressed by position from 0 on.
class PositionedRandom {
public:
    /// \param seed any. Its bits are mixed by a bijection (the output function of SplitMix64; Steele, Lea & Flood
    /// 2014), so that similar seeds begin far apart; the upper 45 bits of the result and a 1 below them are the odd
    /// state that the sequence begins with.
    ONDA_HOST_DEVICE explicit PositionedRandom(std::uint64_t seed)
        : PositionedRandom(AtState{}, mixed(seed + 0x9e3779b97f4a7c15U) >> (64 - NasGenerator::kBits) | 1) {}
    /// The sequence of the NAS Parallel Benchmarks, whose seed 271828183 is the state before the first number.
    ONDA_HOST_DEVICE static PositionedRandom nas() {
        return {AtState{}, NasGenerator::times(271828183, NasGenerator::kMultiplier)};
    }

    /// A uniform number in (0, 1), a multiple of 2^-46: the same bits everywhere.
    [[nodiscard]] ONDA_HOST_DEVICE double at(std::uint64_t position) const {
        return NasGenerator::uniform(state_at(position));
    }
    /// The numbers from a position on.
    [[nodiscard]] ONDA_HOST_DEVICE RandomCursor from(std::uint64_t position) const {
        return RandomCursor(state_at(position));
    }
    /// +1 or -1, each with a probability of a half: +1 where at(position) is above 1/2. The same everywhere.
    [[nodiscard]] ONDA_HOST_DEVICE int sign(std::uint64_t position) const {
        return state_at(position) >> (NasGenerator::kBits - 1) ? 1 : -1;
    }
    /// A normal number of mean 0 and variance 1, of the uniform ones at 2 position and 2 position + 1 (Box & Muller
    /// 1958). The same bits wherever the mathematical library is the same; those of GPUs and hosts may differ in the
    /// last bits of logarithm and cosine.
    [[nodiscard]] ONDA_HOST_DEVICE double normal(std::uint64_t position) const {
        constexpr double kTurn = 6.283185307179586476925;
        RandomCursor cursor = from(2 * position);
        const double radius = std::sqrt(-2. * std::log(cursor.next()));
        return radius * std::cos(kTurn * cursor.next());
    }

private:
    struct AtState {};
    ONDA_HOST_DEVICE PositionedRandom(AtState, std::uint64_t first) : first_(first) {}
    ONDA_HOST_DEVICE static std::uint64_t mixed(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    [[nodiscard]] ONDA_HOST_DEVICE std::uint64_t state_at(std::uint64_t position) const {
        return NasGenerator::times(first_, NasGenerator::multiplier_of(position));
    }

    std::uint64_t first_;  ///< the state at position 0
};

}  // namespace onda
