#include "solver/companions/nas_ep.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <mutex>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

constexpr std::array<EpClass, 5> kEpClasses{{
    {"S", 24, -3.247834652034740e3, -6.958407078382297e3, {6140517, 5865300, 1100361, 68546, 1648, 17}},
    {"W", 25, -2.863319731645753e3, -6.320053679109499e3, {12281576, 11729692, 2202726, 137368, 3371, 36}},
    {"A", 28, -4.295875165629892e3, -1.580732573678431e4, {98257395, 93827014, 17611549, 1110028, 26536, 245}},
    {"B", 30, 4.033815542441498e4, -2.660669192809235e4, {393058470, 375280898, 70460742, 4438852, 105691, 948, 5}},
    {"C",
     32,
     4.764367927995374e4,
     -8.084072988043731e4,
     {1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}},
}};

/// Batches that nobody has taken yet.
class BatchQueue {
public:
    BatchQueue(BatchRange batches, std::size_t takers)
        : next_(batches.first), left_(batches.count), takers_(static_cast<std::int64_t>(takers)) {}

    /// Half of the taker's equal share of what is left, within its limits: shares shrink towards the end. A single
    /// taker waits for nobody. Empty once nothing is left.
    BatchRange take(const PairCounter::Claim& claim) {
        const std::lock_guard lock(mutex_);
        const std::int64_t share = takers_ == 1 ? left_ : left_ / (2 * takers_);
        const BatchRange taken{next_, std::min(left_, std::clamp(share, claim.fewest, claim.most))};
        next_ += taken.count;
        left_ -= taken.count;
        return taken;
    }

private:
    std::mutex mutex_;
    std::int64_t next_, left_, takers_;
};

std::string in_capitals(std::string text) {
    for (char& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return text;
}

}  // namespace

std::span<const EpClass> ep_classes() {
    return kEpClasses;
}

const EpClass& ep_class(const std::string& name) {
    const auto row = std::ranges::find(kEpClasses, name, &EpClass::name);
    if (row != kEpClasses.end()) return *row;
    std::vector<std::string> names;
    for (const EpClass& known : kEpClasses) names.emplace_back(known.name);
    // Names of one letter have no near ones but themselves in the other case.
    const auto meant = nearest_name(in_capitals(name), names);
    throw Error(ExitCode::usage, fmt::format("--class {}: there is no such class; there are {}{}", printable(name),
                                             fmt::join(names, ", "), meant ? "; did you mean " + *meant + "?" : ""));
}

EpVerdict verdict_on(const EpClass& of, const PairSums& sums) {
    const double dx = std::abs((sums.sx - of.sx) / of.sx), dy = std::abs((sums.sy - of.sy) / of.sy);
    return {dx, dy, dx <= kEpTolerance && dy <= kEpTolerance, sums.counts == of.counts};
}

PairCounters cpu_pair_counters(int threads) {
    PairCounters counters;
    for (int i = 0; i < threads; ++i) counters.push_back(cpu::make_pair_counter());
    return counters;
}

PairCounters gpu_pair_counters(std::span<const int> ordinals) {
    PairCounters counters;
    for (const int ordinal : ordinals) counters.push_back(cuda::make_pair_counter(ordinal));
    return counters;
}

std::vector<PairSums> count_batches(const PositionedRandom& random, BatchRange batches, const PairCounters& devices) {
    std::vector<PairSums> sums(static_cast<std::size_t>(batches.count));
    BatchQueue queue(batches, devices.size());
    LoopFailure failure;
    // A loop, not a region: each device has its turn even where the system gives fewer threads.
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(devices.size()))
    for (std::size_t i = 0; i < devices.size(); ++i) {
        failure.guard([&] {
            PairCounter& device = *devices[i];
            for (BatchRange part = queue.take(device.claim()); part.count > 0; part = queue.take(device.claim())) {
                throw_if_interrupted();
                device.count(random, part,
                             std::span(sums).subspan(static_cast<std::size_t>(part.first - batches.first),
                                                     static_cast<std::size_t>(part.count)));
            }
        });
    }
    failure.rethrow();
    return sums;
}

BatchRange part_of_rank(std::int64_t batches, int rank, int size) {
    const std::int64_t first = batches * rank / size;
    return {first, batches * (rank + 1) / size - first};
}

PairSums count_on_ranks(const PositionedRandom& random, std::int64_t batches, const PairCounters& devices,
                        const Ranks& ranks) {
    Team* const team = ranks.team();
    if (team == nullptr) return sum_in_order(count_batches(random, {0, batches}, devices));
    const BatchRange own = part_of_rank(batches, team->rank(), team->size());
    std::vector<PairSums> sums = ranks.all_or_none([&] { return count_batches(random, own, devices); });
    if (!team->leads()) team->send(0, Topic::reply, Outgoing().put(sums).bytes());
    for (int rank = 1; team->leads() && rank < team->size(); ++rank) {
        const std::vector<PairSums> theirs = Incoming(team->receive(rank, Topic::reply)).get_all<PairSums>();
        sums.insert(sums.end(), theirs.begin(), theirs.end());
    }
    return ranks.from_first(Outgoing().put(sum_in_order(sums))).get<PairSums>();
}

}  // namespace onda
