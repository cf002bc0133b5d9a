/// \file
/// The progress line of a run.
#pragma once

#include <chrono>
#include <cstdint>

#include "solver/program/log.hpp"

namespace onda {

/// The progress of a run: on a terminal one line on stderr, at most five times a second; elsewhere nothing on stderr.
/// The log file gets a line every tenth of the run.
class Progress {
public:
    /// \param steps of one shot. \param points of the grid.
    Progress(std::int64_t steps, std::int64_t points, Log& log);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Starts the clock. \param shots that are to be computed.
    void begin(std::int64_t shots);
    /// \param done shots computed before, \param together those that advance now.
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s, double max_abs);
    /// Clears the line, so that messages can follow.
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    std::int64_t shots_ = 0, steps_, points_;
    Log& log_;
    bool terminal_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now(), last_ = start_;
    std::int64_t tenths_ = 0;
};

/// A duration as a clock shows it: 75 s as "1:15", 2 h as "2:00:00".
std::string clock_text(double seconds);

}  // namespace onda
