// The log of a run is neither silent for long nor full of lines on its progress, which is that of all processes that
// share its shots.
// Takes less than a second.
#include "solver/program/progress.hpp"

#include <chrono>
#include <doctest/doctest.h>

using namespace onda;

namespace {

/// The lines that a run of so many seconds leaves in its log, told of five times a second.
int log_lines(std::int64_t seconds) {
    LogPace pace;
    int lines = 0;
    for (std::int64_t update = 1; update <= 5 * seconds; ++update)
        lines += pace.is_due(update, 5 * seconds, 0.2 * static_cast<double>(update)) ? 1 : 0;
    return lines;
}

/// Remembers the shots it was last told of.
struct LastTold : Progress {
    void begin(std::int64_t shots, std::int64_t) override { all = shots; }
    void update(std::int64_t shots, std::int64_t, std::int64_t, double, double) override { done = shots; }
    void clear() override {}
    std::int64_t all = 0, done = 0;
};

}  // namespace

TEST_CASE("a short run has a line at each twentieth, a long one a line a minute") {
    CHECK(log_lines(10) == 20);
    CHECK(log_lines(600) == 20);
    const int of_ten_hours = log_lines(36'000);
    CHECK(of_ten_hours >= 600);
    CHECK(of_ten_hours <= 620);
}

TEST_CASE("a run that stands still is told of each minute, and shots that come on top do not confuse it") {
    LogPace pace;
    CHECK(pace.is_due(50, 100, 1.));
    CHECK(!pace.is_due(50, 100, 60.9));
    CHECK(pace.is_due(50, 100, 61.1));
    CHECK(!pace.is_due(50, 200, 62.));
    CHECK(!pace.is_due(99, 200, 63.));
    CHECK(pace.is_due(110, 200, 64.));
}

TEST_CASE("shots that other processes finish count once, in a run of the shots that were missing when it began") {
    LastTold told;
    std::int64_t missing = 10;
    int looks = 0;
    const auto look = [&] {
        ++looks;
        return missing;
    };
    SharedProgress progress(told, look, std::chrono::seconds(0));
    const auto done_by_all = [&](std::int64_t own) {
        const int before = looks;
        while (looks == before) progress.update(own, 1, 5, 0., 0.);
        return told.done;
    };
    progress.begin(10, 20);
    CHECK(told.all == 10);
    CHECK(done_by_all(0) == 0);
    missing = 7;  // three of others
    CHECK(done_by_all(0) == 3);
    CHECK(done_by_all(2) == 5);  // whose lines are not in the table yet
    missing = 5;                 // now they are
    CHECK(done_by_all(2) == 5);
    missing = 1;
    CHECK(done_by_all(2) == 9);
}

TEST_CASE("the table of shots is not looked at several times a second") {
    LastTold told;
    int looks = 0;
    const auto look = [&] { return std::int64_t{10 - ++looks}; };
    const auto look_for_long = [&] {
        const auto end = SharedProgress::Clock::now() + std::chrono::milliseconds(20);
        while (SharedProgress::Clock::now() < end) {
        }
        return look();
    };
    SharedProgress rarely(told, look, std::chrono::hours(1)), slowly(told, look_for_long, std::chrono::seconds(0));
    for (SharedProgress* progress : {&rarely, &slowly}) {
        progress->begin(10, 20);
        for (int i = 0; i < 100; ++i) progress->update(0, 1, i, 0., 0.);
    }
    CHECK(looks == 1);
    CHECK(told.done == 1);
}
