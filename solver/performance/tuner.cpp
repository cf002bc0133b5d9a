#include "solver/performance/tuner.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <spdlog/fmt/fmt.h>

#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFirstLook = 0.6;  ///< of the time: for all candidates
constexpr int kFirstRounds = 3;     ///< of each
constexpr double kNearBest = 1.1;   ///< times the fastest: who is looked at again
constexpr std::size_t kMostFinal = 5;
constexpr double kMemoryShare = 0.8;  ///< of what is free

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Bytes that wavefields may take where they lie, after the field.
double room_of(const TuningCase& of) {
    const std::int64_t free =
        of.device->has_own_memory() ? of.device->available_bytes(of.asked.ordinal) : available_memory_bytes();
    return kMemoryShare * static_cast<double>(free);
}

double bytes_of(const TuningCase& of, const Candidate& candidate) {
    return static_cast<double>(of.device->predicted_bytes(candidate.setup(of), candidate.shots));
}

/// A candidate with its wavefield.
class Running {
public:
    Running(const TuningCase& of, const Candidate& candidate, std::span<const double> field, std::int64_t receivers)
        : contender_(*of.device, candidate.setup(of), field,
                     {.shots = candidate.shots, .receivers = receivers, .source = true, .least_round_s = 0.02}),
          shots_(candidate.shots) {}
    /// Seconds of a step of one shot in a round.
    double round() { return contender_.seconds_per_step() / shots_; }

private:
    Contender contender_;
    int shots_;
};

/// Looks at the candidates in turn. \returns trials in the order of the candidates.
class FirstLook {
public:
    FirstLook(const TuningCase& of, const TunerOptions& options, std::span<const double> field, Clock::time_point start)
        : of_(of), options_(options), field_(field), start_(start), room_(room_of(of)) {}

    Trial operator()(const Candidate& candidate, double best_prediction) {
        Trial trial{candidate};
        trial.not_measured = reason_against(candidate, best_prediction);
        if (trial.not_measured.empty()) measure(trial);
        if (options_.progress) options_.progress(trial);
        return trial;
    }
    [[nodiscard]] double longest_s() const { return longest_s_; }

private:
    [[nodiscard]] std::string reason_against(const Candidate& candidate, double best_prediction) const {
        if (bytes_of(of_, candidate) > room_) return "no room in memory";
        if (measured_ < 2) return {};
        if (candidate.predicted_s && *candidate.predicted_s > options_.promising * best_prediction)
            return fmt::format("predicted to take {:.1f} times the best", *candidate.predicted_s / best_prediction);
        return seconds_since(start_) + longest_s_ > kFirstLook * options_.budget_s ? "no time" : "";
    }
    void measure(Trial& trial) {
        const Clock::time_point begin = Clock::now();
        Running running(of_, trial.candidate, field_, options_.receivers);
        std::vector<double> rounds;
        for (int round = 0; round < kFirstRounds; ++round) rounds.push_back(running.round());
        trial.seconds = Sample(rounds);
        longest_s_ = std::max(longest_s_, seconds_since(begin));
        ++measured_;
    }

    const TuningCase& of_;
    const TunerOptions& options_;
    std::span<const double> field_;
    Clock::time_point start_;
    double room_, longest_s_ = 0.;
    int measured_ = 0;
};

bool by_time(const Trial& a, const Trial& b) {
    if (!a.seconds || !b.seconds) return a.seconds && !b.seconds;
    return a.seconds->median() < b.seconds->median();
}

/// The trials that are measured once more: the fastest, and `always`.
std::vector<std::size_t> for_the_final(const std::vector<Trial>& sorted, const Candidate& always) {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < sorted.size() && sorted[i].seconds; ++i) {
        const bool near = sorted[i].seconds->median() <= kNearBest * sorted.front().seconds->median();
        if ((near && list.size() < kMostFinal) || sorted[i].candidate.same_way(always)) list.push_back(i);
    }
    return list;
}

}  // namespace

const Trial& winner(const std::vector<Trial>& sorted, const Candidate& rule) {
    constexpr double as_fast = 1.02;
    const auto& first = sorted.front().seconds;
    for (const Trial& trial : sorted)
        if (trial.seconds && trial.candidate.same_way(rule) &&
            (trial.seconds->median() <= as_fast * first->median() || trial.seconds->min() <= as_fast * first->min()))
            return trial;
    return sorted.front();
}

std::vector<double> field_of(const TuningCase& of) {
    const std::int64_t points = of.asked.grid.points(), free = available_memory_bytes();
    const std::int64_t bytes = points * static_cast<std::int64_t>(sizeof(double));
    if (static_cast<double>(bytes) > kMemoryShare * static_cast<double>(free))
        throw Error(ExitCode::out_of_memory,
                    fmt::format("measuring on this grid needs {} of the host's memory, beside the wavefields, and {} "
                                "are available\n  increase grid.spacing_m, or choose backend.kernel yourself",
                                bytes_text(bytes), bytes_text(free)));
    return random_field(points);
}

std::vector<std::optional<Sample>> take_turns(const TuningCase& of, const std::vector<Candidate>& candidates,
                                              std::span<const double> field, const TunerOptions& options) {
    const Clock::time_point start = Clock::now();
    std::vector<std::unique_ptr<Running>> running(candidates.size());
    std::vector<std::vector<double>> rounds(candidates.size());
    double together = 0.;
    for (const Candidate& each : candidates) together += bytes_of(of, each);
    const double room = room_of(of);
    const bool keep = together <= room;
    for (int round = 0; round < options.rounds && (round < 2 || seconds_since(start) < options.budget_s); ++round)
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (bytes_of(of, candidates[i]) > room) continue;
            if (!running[i]) running[i] = std::make_unique<Running>(of, candidates[i], field, options.receivers);
            rounds[i].push_back(running[i]->round());
            if (!keep) {
                rounds[i].push_back(running[i]->round());
                running[i].reset();
            }
        }
    std::vector<std::optional<Sample>> samples;
    for (const std::vector<double>& each : rounds)
        samples.push_back(each.empty() ? std::nullopt : std::optional(Sample(each)));
    return samples;
}

std::vector<Trial> measure_candidates(const TuningCase& of, const std::vector<Candidate>& ranked,
                                      const Candidate& always, const TunerOptions& options) {
    const Clock::time_point start = Clock::now();
    const std::vector<double> field = field_of(of);
    FirstLook look(of, options, field, start);
    const double best_prediction = ranked.front().predicted_s.value_or(0.);
    std::vector<Trial> trials;
    for (const Candidate& each : ranked)
        if (each.same_way(always)) trials.push_back(look(each, best_prediction));
    for (const Candidate& each : ranked)
        if (!each.same_way(always)) trials.push_back(look(each, best_prediction));
    std::ranges::stable_sort(trials, by_time);
    const std::vector<std::size_t> final = for_the_final(trials, always);
    if (final.size() < 2) return trials;
    std::vector<Candidate> again;
    for (const std::size_t i : final) again.push_back(trials[i].candidate);
    TunerOptions rest = options;
    rest.budget_s = options.budget_s - seconds_since(start) - static_cast<double>(final.size()) * look.longest_s();
    if (rest.budget_s <= 0.) return trials;
    const auto samples = take_turns(of, again, field, rest);
    for (std::size_t i = 0; i < final.size(); ++i)
        if (samples[i]) trials[final[i]].seconds = samples[i];
    std::ranges::stable_sort(trials, by_time);
    return trials;
}

}  // namespace onda
