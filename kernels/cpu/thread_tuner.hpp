/// \file
/// How many threads compute the steps of one shot fastest, found while they run.
#pragma once

#include <algorithm>
#include <vector>

namespace onda::cpu {

/// Tries numbers of threads on the steps themselves and keeps the fastest: a small grid, or a machine that others use,
/// is often best served by one. It begins with all threads and halves them for as long as that helps, so that a large
/// grid never waits for a slow trial; and it looks again at half and twice as many every few seconds. A trial takes
/// milliseconds, and its fastest step counts. Where others take processors from some of the threads for longer than
/// that, and the rest wait, steps take longer on average than was found: fewer are then compared by the average.
/// Results do not depend on threads.
class ThreadTuner {
public:
    /// \param most threads that may be taken; 1 leaves nothing to try.
    explicit ThreadTuner(int most) : most_(most), best_(most), candidates_(halved_from(most)) {}

    /// Threads for the next step.
    [[nodiscard]] int threads() const { return trying() ? candidates_.front() : best_; }

    /// Tells how long a step with threads() took.
    void took(double seconds) {
        if (!trying()) return watch(seconds);
        ++steps_;
        trials_s_ += seconds;
        if (steps_ > 1) fastest_s_ = steps_ == 2 ? seconds : std::min(fastest_s_, seconds);  // the first wakes threads
        trial_s_ += seconds;
        if (by_average_ ? steps_ >= 2 && trial_s_ >= kWatch_s
                        : steps_ >= kSteps || (steps_ >= 2 && trial_s_ >= kTrial_s))
            judge();
    }

private:
    static constexpr double kTrial_s = 2e-3, kPeriod_s = 5.;
    static constexpr double kWatch_s = 0.05;  ///< several turns of the system's scheduler
    static constexpr double kBroken = 1.5;    ///< times the best: what was found no longer holds
    static constexpr double kPause = 20.;     ///< times the trials: they cost a twentieth at most
    static constexpr double kHopeless = 1.2;  ///< times the best: fewer threads would be slower still
    static constexpr int kSteps = 10;

    static std::vector<int> halved_from(int most) {
        std::vector<int> numbers;
        for (int threads = most; threads >= 1; threads = threads > 1 ? (threads + 1) / 2 : 0)
            numbers.push_back(threads);
        return numbers;
    }
    [[nodiscard]] bool trying() const { return !candidates_.empty(); }
    /// Notes the time of a step between trials, and begins the next trial when it is due.
    void watch(double seconds) {
        since_trial_s_ += seconds;
        watched_s_ += seconds;
        ++steps_;
        if (since_trial_s_ >= std::max(kPeriod_s, kPause * trials_s_)) {
            trials_s_ = 0.;
            by_average_ = false;
            if (most_ > 1) try_neighbours();
        } else if (watched_s_ >= kWatch_s) {
            const bool broken = watched_s_ > kBroken * best_s_ * steps_;
            if (broken && best_ > 1 && since_trial_s_ >= kPause * trials_s_) return try_fewer();
            watched_s_ = 0.;
            steps_ = 0;
        }
    }
    void judge() {
        const bool first = best_s_ == 0.;
        const double step_s = by_average_ ? trial_s_ / steps_ : fastest_s_;
        if (first || step_s < best_s_) {
            best_ = candidates_.front();
            best_s_ = step_s;
        }
        const bool hopeless = !first && centre_ == 0 && step_s > kHopeless * best_s_;
        candidates_.erase(candidates_.begin());
        if (hopeless) candidates_.clear();
        steps_ = 0;
        trial_s_ = 0.;
        since_trial_s_ = 0.;
        watched_s_ = 0.;
        if (!trying() && !by_average_ && centre_ != 0 && best_ != centre_) try_neighbours();  // further that way
    }
    void try_neighbours() {
        candidates_ = {best_};
        if (best_ < most_) candidates_.push_back(std::min(most_, 2 * best_));
        if (best_ > 1) candidates_.push_back((best_ + 1) / 2);
        begin_trials();
    }
    void try_fewer() {
        trials_s_ = 0.;
        by_average_ = true;
        candidates_ = halved_from(best_);
        begin_trials();
    }
    void begin_trials() {
        centre_ = best_;
        best_s_ = 0.;
        steps_ = 0;
        trial_s_ = 0.;
    }

    int most_, best_;
    int centre_ = 0;           ///< whose neighbours are tried; 0 at first
    bool by_average_ = false;  ///< of the steps of a trial, not by the fastest
    double best_s_ = 0., fastest_s_ = 0., trial_s_ = 0., trials_s_ = 0., since_trial_s_ = 0., watched_s_ = 0.;
    int steps_ = 0;  ///< of this trial, or watched
    std::vector<int> candidates_;
};

}  // namespace onda::cpu
