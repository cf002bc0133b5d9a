/// \file
/// The seconds that a run spends in each of its phases.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace onda {

/// Adds up the seconds spent in each named phase, in order of first use.
class PhaseTimes {
public:
    template <typename Work>
    auto measure(const std::string& phase, Work&& work) {
        struct Adder {
            std::vector<std::pair<std::string, double>>& seconds;
            std::size_t index;
            Clock::time_point start = Clock::now();
            ~Adder() { seconds[index].second += std::chrono::duration<double>(Clock::now() - start).count(); }
        } const adder{seconds_, index_of(phase)};
        return work();
    }
    [[nodiscard]] const std::vector<std::pair<std::string, double>>& all() const { return seconds_; }
    /// Takes the longest time of each phase over workers that run side by side.
    void take_longest(const PhaseTimes& other) {
        for (const auto& [phase, seconds] : other.seconds_) {
            double& longest = seconds_[index_of(phase)].second;
            longest = std::max(longest, seconds);
        }
    }
    [[nodiscard]] double of(const std::string& phase) { return seconds_[index_of(phase)].second; }

private:
    using Clock = std::chrono::steady_clock;
    std::size_t index_of(const std::string& phase) {
        const auto entry = std::ranges::find(seconds_, phase, &std::pair<std::string, double>::first);
        const auto index = static_cast<std::size_t>(entry - seconds_.begin());
        if (entry == seconds_.end()) seconds_.emplace_back(phase, 0.);
        return index;
    }

    std::vector<std::pair<std::string, double>> seconds_;
};

}  // namespace onda
