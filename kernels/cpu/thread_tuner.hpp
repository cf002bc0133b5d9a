/// \file
/// How many threads compute the steps of one shot fastest, found while they run.
#pragma once

#include <algorithm>
#include <vector>

namespace onda::cpu {

/// Tries numbers of threads on the steps themselves and keeps the fastest: a small grid, or a machine that others use,
/// is often best served by one. It begins with all threads and halves them for as long as that helps, so that a large
/// grid never waits for a slow trial; and it looks again at half and twice as many every few seconds. Results do not
/// depend on threads.
class ThreadTuner {
public:
    /// \param most threads that may be taken; 1 leaves nothing to try.
    explicit ThreadTuner(int most) : most_(most), best_(most) {
        for (int threads = most; threads >= 1; threads = threads > 1 ? (threads + 1) / 2 : 0)
            candidates_.push_back(threads);
    }

    /// Threads for the next step.
    [[nodiscard]] int threads() const { return trying() ? candidates_.front() : best_; }

    /// Tells how long a step with threads() took.
    void took(double seconds) {
        if (!trying()) {
            since_trial_s_ += seconds;
            if (most_ > 1 && since_trial_s_ >= std::max(kPeriod_s, kPause * trials_s_)) {
                trials_s_ = 0.;
                try_neighbours();
            }
            return;
        }
        ++steps_;
        trials_s_ += seconds;
        if (steps_ > 1) fastest_s_ = steps_ == 2 ? seconds : std::min(fastest_s_, seconds);  // the first wakes threads
        trial_s_ += seconds;
        if (steps_ >= kSteps || (steps_ >= 2 && trial_s_ >= kTrial_s)) judge();
    }

private:
    static constexpr double kTrial_s = 2e-3, kPeriod_s = 5.;
    static constexpr double kPause = 20.;     ///< times the trials: they cost a twentieth at most
    static constexpr double kHopeless = 1.2;  ///< times the best: fewer threads would be slower still
    static constexpr int kSteps = 10;

    [[nodiscard]] bool trying() const { return !candidates_.empty(); }
    void judge() {
        const bool first = best_s_ == 0.;
        if (first || fastest_s_ < best_s_) {
            best_ = candidates_.front();
            best_s_ = fastest_s_;
        }
        const bool hopeless = !first && centre_ == 0 && fastest_s_ > kHopeless * best_s_;
        candidates_.erase(candidates_.begin());
        if (hopeless) candidates_.clear();
        steps_ = 0;
        trial_s_ = 0.;
        since_trial_s_ = 0.;
        if (!trying() && centre_ != 0 && best_ != centre_) try_neighbours();  // further that way
    }
    void try_neighbours() {
        centre_ = best_;
        candidates_ = {best_};
        if (best_ < most_) candidates_.push_back(std::min(most_, 2 * best_));
        if (best_ > 1) candidates_.push_back((best_ + 1) / 2);
        best_s_ = 0.;
        steps_ = 0;
        trial_s_ = 0.;
    }

    int most_, best_;
    int centre_ = 0;  ///< whose neighbours are tried; 0 at first
    double best_s_ = 0., fastest_s_ = 0., trial_s_ = 0., trials_s_ = 0., since_trial_s_ = 0.;
    int steps_ = 0;  ///< of this trial
    std::vector<int> candidates_;
};

}  // namespace onda::cpu
