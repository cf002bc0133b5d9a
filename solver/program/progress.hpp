/// \file
/// The progress of a run, and the line that tells of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "solver/program/log.hpp"

namespace onda {

/// Whom a run tells how far it is, several times a second, on the thread that runs it. What update() throws ends the
/// run: a caller that wants to stop it throws Interrupted.
class Progress {
public:
    virtual ~Progress() = default;
    /// The time steps begin. \param shots that are to be computed. \param steps of each.
    virtual void begin(std::int64_t shots, std::int64_t steps) = 0;
    /// Told of steps that were done before they begin here, of all shots that advance now.
    virtual void go_on(std::int64_t /*steps*/) {}
    /// \param done shots computed before, \param together those that advance now.
    virtual void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s, double max_abs) = 0;
    /// The time steps are over.
    virtual void clear() = 0;
};

/// When the log of a run gets a line on its progress: at each twentieth of the run, and after a minute without one.
class LogPace {
public:
    /// \param done of `all` steps. \param elapsed_s since the run began.
    bool is_due(std::int64_t done, std::int64_t all, double elapsed_s);

private:
    std::int64_t twentieths_ = 0;
    double last_s_ = 0.;
};

/// On a terminal one line on stderr, at most five times a second; elsewhere nothing on stderr. The log file gets lines
/// at the pace of LogPace.
class ProgressLine : public Progress {
public:
    /// \param points of the grid.
    ProgressLine(std::int64_t points, Log& log);
    ~ProgressLine() override;
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void begin(std::int64_t shots, std::int64_t steps) override;
    void go_on(std::int64_t steps) override { before_ += steps; }
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s, double max_abs) override;
    /// Clears the line, so that messages can follow.
    void clear() override;

private:
    void erase_line();

    using Clock = std::chrono::steady_clock;
    std::int64_t shots_ = 0, steps_ = 0, points_;
    std::int64_t before_ = 0;  ///< steps that others have done
    Log& log_;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now(), last_ = start_;
    LogPace log_pace_;
};

/// The progress of a run whose shots other processes finish, too: theirs count with its own, those that they are
/// computing do not.
class SharedProgress : public Progress {
public:
    using Clock = std::chrono::steady_clock;

    /// \param count_missing how many shots of the run nobody has finished. It reads a file that other hosts may have:
    /// it is asked at most once in `least_pause`, and takes a hundredth of the time at most.
    SharedProgress(Progress& progress, std::function<std::int64_t()> count_missing,
                   Clock::duration least_pause = std::chrono::seconds(5));

    void begin(std::int64_t shots, std::int64_t steps) override;
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s, double max_abs) override;
    void clear() override { progress_.clear(); }

private:
    Progress& progress_;
    std::function<std::int64_t()> count_missing_;
    Clock::duration least_pause_;
    std::int64_t shots_ = 0, others_ = 0;  ///< to be computed in all; of them, finished by other processes
    Clock::time_point next_count_;
};

/// A duration as a clock shows it: 75 s as "1:15", 2 h as "2:00:00".
std::string clock_text(double seconds);

}  // namespace onda
