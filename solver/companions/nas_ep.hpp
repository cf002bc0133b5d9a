/// \file
/// The benchmark EP of the NAS Parallel Benchmarks: sums and counts of pairs of normal numbers, over threads, GPUs and
/// processes, compared with what is published.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/companions/pair_counts.hpp"
#include "solver/ranks/ranks.hpp"

namespace onda {

/// A size of the benchmark, with its published results: the sums that NPB verifies up to version 3.3 (3.4 sums
/// magnitudes), and counts: those of A and B are in RNR-94-007, table 2.1; those of all classes add up to the accepted
/// pairs that NPB 3.4 verifies.
struct EpClass {
    std::string_view name;
    int log2_pairs;
    double sx, sy;  ///< to kEpTolerance
    std::array<std::int64_t, kPairCounts> counts;

    [[nodiscard]] std::int64_t pairs() const { return std::int64_t{1} << log2_pairs; }
    [[nodiscard]] std::int64_t batches() const { return pairs() / kBatchPairs; }
};
/// By size.
std::span<const EpClass> ep_classes();
/// \throws Error(usage) with the classes that there are, and the one that was probably meant.
const EpClass& ep_class(const std::string& name);

/// The largest relative difference from a published sum.
inline constexpr double kEpTolerance = 1e-8;
/// A result beside the published one.
struct EpVerdict {
    double sx_difference, sy_difference;  ///< relative
    bool sums_agree, counts_agree;

    [[nodiscard]] bool verified() const { return sums_agree && counts_agree; }
};
EpVerdict verdict_on(const EpClass& of, const PairSums& sums);

/// The devices of this process, one or more: a thread of its own for each.
using PairCounters = std::vector<std::unique_ptr<PairCounter>>;
PairCounters cpu_pair_counters(int threads);
/// \param ordinals of the GPUs. \throws cuda::Error.
PairCounters gpu_pair_counters(std::span<const int> ordinals);

/// The sums of each batch of a range. The devices take parts of it from one queue, smaller ones towards its end, so
/// that those of different speeds end together; which of them counts a batch changes no bit of it where they are of one
/// kind. \throws what the devices throw; Interrupted.
std::vector<PairSums> count_batches(const PositionedRandom& random, BatchRange batches, const PairCounters& devices);

/// The part of consecutive batches that a process counts: parts of equal size, to one.
BatchRange part_of_rank(std::int64_t batches, int rank, int size);
/// The sums of batches 0 to `batches` - 1, on every rank: each counts its part, and the first one adds all of them in
/// the order of the batches, which gives the bits of a single process. Collective where ranks are connected; others
/// count everything. \throws as Ranks::all_or_none() does; what count_batches() throws.
PairSums count_on_ranks(const PositionedRandom& random, std::int64_t batches, const PairCounters& devices,
                        const Ranks& ranks);

}  // namespace onda
