// The sums and counts of NAS EP are the published ones, and no bit of them depends on threads, devices or processes.
// Takes 2 s.
#include "solver/companions/nas_ep.hpp"

#include <chrono>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "io/text/error.hpp"

using namespace onda;

namespace {

const PositionedRandom kRandom = PositionedRandom::nas();

/// The benchmark as its report writes it, in one loop with the generator's state as an integer.
PairSums plain_sums(std::int64_t pairs) {
    std::uint64_t state = 271828183;
    const auto next = [&state] {
        state = state * 1220703125 % (std::uint64_t{1} << 46);
        return std::ldexp(static_cast<double>(state), -46);
    };
    PairSums sums;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const double x = 2. * next() - 1.;
        const double y = 2. * next() - 1.;
        const double t = x * x + y * y;
        if (t > 1.) continue;
        const double gx = x * std::sqrt(-2. * std::log(t) / t), gy = y * std::sqrt(-2. * std::log(t) / t);
        sums.sx += gx;
        sums.sy += gy;
        for (std::size_t l = 0; l < sums.counts.size(); ++l)
            if (const double most = std::max(std::abs(gx), std::abs(gy)), low = static_cast<double>(l);
                low <= most && most < low + 1.)
                ++sums.counts[l];
    }
    return sums;
}

/// A device that is slower than others, takes other parts than they do and notes which.
class SlowCounter final : public PairCounter {
public:
    explicit SlowCounter(std::vector<BatchRange>& taken) : taken_(taken) {}
    [[nodiscard]] Claim claim() const override { return {2, 3}; }
    void count(const PositionedRandom& random, BatchRange batches, std::span<PairSums> sums) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        taken_.push_back(batches);
        device_->count(random, batches, sums);
    }

private:
    std::vector<BatchRange>& taken_;
    std::unique_ptr<PairCounter> device_ = cpu::make_pair_counter();
};

/// A device that fails.
class BrokenCounter final : public PairCounter {
public:
    [[nodiscard]] Claim claim() const override { return {1, 1}; }
    void count(const PositionedRandom&, BatchRange, std::span<PairSums>) override {
        throw std::runtime_error("the device has failed");
    }
};

std::string message_for(const std::string& name) {
    try {
        ep_class(name);
    } catch (const Error& fault) {
        CHECK(fault.code() == ExitCode::usage);
        return fault.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("class S has the published sums and counts") {
    const EpClass& s = ep_class("S");
    const PairSums sums = sum_in_order(count_batches(kRandom, {0, s.batches()}, cpu_pair_counters(2)));
    const EpVerdict verdict = verdict_on(s, sums);
    CHECK(verdict.sx_difference <= 1e-8);
    CHECK(verdict.sy_difference <= 1e-8);
    CHECK(verdict.counts_agree);
    CHECK(verdict.verified());
    CHECK(sums.accepted() == 13176389);
}

TEST_CASE("batches are what one plain loop counts") {
    constexpr std::int64_t kBatches = 3;
    const PairSums sums = sum_in_order(count_batches(kRandom, {0, kBatches}, cpu_pair_counters(1)));
    const PairSums plain = plain_sums(kBatches * kBatchPairs);
    CHECK(sums.counts == plain.counts);
    CHECK(sums.accepted() > 0);
    CHECK(sums.sx == doctest::Approx(plain.sx).epsilon(1e-11));
    CHECK(sums.sy == doctest::Approx(plain.sy).epsilon(1e-11));
}

TEST_CASE("no bit depends on the number of threads or on the split into ranges") {
    constexpr std::int64_t kBatches = 13;
    const std::vector<PairSums> one = count_batches(kRandom, {0, kBatches}, cpu_pair_counters(1));
    for (const int threads : {2, 3}) {
        CAPTURE(threads);
        CHECK(count_batches(kRandom, {0, kBatches}, cpu_pair_counters(threads)) == one);
    }
    for (const int ranks : {2, 5, 20}) {
        CAPTURE(ranks);
        std::vector<PairSums> joined;
        for (int rank = 0; rank < ranks; ++rank) {
            const BatchRange part = part_of_rank(kBatches, rank, ranks);
            CHECK(part.first == static_cast<std::int64_t>(joined.size()));
            CHECK(part.count >= kBatches / ranks);
            CHECK(part.count <= kBatches / ranks + 1);
            const std::vector<PairSums> own = count_batches(kRandom, part, cpu_pair_counters(1));
            joined.insert(joined.end(), own.begin(), own.end());
        }
        CHECK(joined == one);
    }
    CHECK(count_on_ranks(kRandom, kBatches, cpu_pair_counters(2), Ranks()) == sum_in_order(one));
}

TEST_CASE("devices of unequal speed share a queue and change no bit") {
    constexpr std::int64_t kBatches = 12;
    std::vector<BatchRange> taken;
    PairCounters devices = cpu_pair_counters(1);
    devices.push_back(std::make_unique<SlowCounter>(taken));
    CHECK(count_batches(kRandom, {5, kBatches}, devices) ==
          count_batches(kRandom, {5, kBatches}, cpu_pair_counters(1)));
    for (const BatchRange& part : taken) {
        CHECK(part.first >= 5);
        CHECK(part.first + part.count <= 5 + kBatches);
        CHECK(part.count <= 3);
    }
    PairCounters broken;
    for (int i = 0; i < 2; ++i) broken.push_back(std::make_unique<BrokenCounter>());
    CHECK_THROWS_WITH(count_batches(kRandom, {0, 4}, broken), "the device has failed");
}

TEST_CASE("the classes grow, and a result that is not theirs is not verified") {
    int before = 0;
    std::string names;
    for (const EpClass& each : ep_classes()) {
        CAPTURE(each.name);
        CHECK(each.log2_pairs > before);
        before = each.log2_pairs;
        names += each.name;
        CHECK(each.batches() * kBatchPairs == each.pairs());
        PairSums sums{each.sx, each.sy, each.counts};
        CHECK(verdict_on(each, sums).verified());
        // A part of pi / 4 of all pairs lies in the circle, within five standard deviations.
        const double pairs = static_cast<double>(each.pairs()), expected = std::acos(-1.) / 4. * pairs;
        CHECK(std::abs(static_cast<double>(sums.accepted()) - expected) < 5. * std::sqrt(0.17 * pairs));
        sums.sx *= 1. + 3e-8;
        CHECK_FALSE(verdict_on(each, sums).verified());
        sums.sx = std::numeric_limits<double>::quiet_NaN();
        CHECK_FALSE(verdict_on(each, sums).verified());
        sums.sx = each.sx;
        ++sums.counts.back();
        CHECK_FALSE(verdict_on(each, sums).verified());
    }
    CHECK(names == "SWABC");
}

TEST_CASE("a class that there is not is named, with those that there are") {
    CHECK(message_for("W") == "none");
    CHECK(message_for("D") == "--class D: there is no such class; there are S, W, A, B, C");
    CHECK(message_for("a") == "--class a: there is no such class; there are S, W, A, B, C; did you mean A?");
    CHECK(message_for("\n").find('\n') == std::string::npos);
}
