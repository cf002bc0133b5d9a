#include "solver/program/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <spdlog/fmt/fmt.h>
#include <utility>

namespace onda {

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::lround(std::max(0., seconds)));
    const auto hours = whole / 3600, minutes = whole / 60 % 60;
    return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                     : fmt::format("{}:{:02}", minutes, whole % 60);
}

bool LogPace::is_due(std::int64_t done, std::int64_t all, double elapsed_s) {
    constexpr std::int64_t parts = 20;
    constexpr double longest_silence_s = 60.;
    const std::int64_t twentieths = done * parts / all;
    if (twentieths <= twentieths_ && elapsed_s - last_s_ < longest_silence_s) return false;
    twentieths_ = std::max(twentieths_, twentieths);
    last_s_ = elapsed_s;
    return true;
}

ProgressLine::ProgressLine(std::int64_t points, Log& log)
    : points_(points), log_(log), terminal_(stderr_is_terminal()) {}

void ProgressLine::begin(std::int64_t shots, std::int64_t steps) {
    shots_ = shots;
    steps_ = steps;
    start_ = last_ = Clock::now();
}

ProgressLine::~ProgressLine() {
    erase_line();
}

void ProgressLine::clear() {
    erase_line();
}

void ProgressLine::erase_line() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

void ProgressLine::update(std::int64_t shots_done, std::int64_t together, std::int64_t step, double time_s,
                          double max_abs) {
    const auto now = Clock::now();
    // Shots that another process began and gave up come on top.
    const std::int64_t done = shots_done * steps_ + together * step,
                       all = std::max(shots_, shots_done + together) * steps_;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const bool is_logged = log_pace_.is_due(done, all, elapsed);
    const bool due = terminal_ && now - last_ >= std::chrono::milliseconds(200);
    if (!is_logged && !due) return;
    const auto done_here = static_cast<double>(std::max<std::int64_t>(1, done - before_));
    const double rate = done_here * static_cast<double>(points_) / elapsed * 1e-9;
    const double remaining = elapsed * static_cast<double>(all - done) / done_here;
    const std::string shot_text =
        together > 1 ? fmt::format("shots {}-{} of {}  ", shots_done + 1, shots_done + together, shots_)
        : shots_ > 1 ? fmt::format("shot {}/{}  ", shots_done + 1, shots_)
                     : std::string();
    const std::string line =
        fmt::format("{}step {}/{}  {:3d} %  t = {:.4f} s  {:.3f} Gpt/s  ETA {}  max |p| {:.3e}", shot_text, step,
                    steps_, done * 100 / all, time_s, rate, clock_text(remaining), max_abs);
    if (is_logged) log_.note(line);
    if (!due) return;
    last_ = now;
    shown_ = true;
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    std::fflush(stderr);
}

SharedProgress::SharedProgress(Progress& progress, std::function<std::int64_t()> count_missing,
                               Clock::duration least_pause)
    : progress_(progress), count_missing_(std::move(count_missing)), least_pause_(least_pause) {}

void SharedProgress::begin(std::int64_t shots, std::int64_t steps) {
    shots_ = shots;
    next_count_ = Clock::now() + least_pause_;
    progress_.begin(shots, steps);
}

void SharedProgress::update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s,
                            double max_abs) {
    if (const auto start = Clock::now(); start >= next_count_) {
        // Own shots whose files are still being written are missing and done: so there may be more of others.
        others_ = std::max(others_, shots_ - count_missing_() - done);
        const auto end = Clock::now();
        next_count_ = end + std::max(least_pause_, 100 * (end - start));
    }
    progress_.update(done + others_, together, step, time_s, max_abs);
}

}  // namespace onda
