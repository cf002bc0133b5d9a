// Promise: the log of a run is neither silent for long nor full of lines on its progress.
#include "solver/program/progress.hpp"

#include <doctest/doctest.h>

using namespace onda;

namespace {

/// The lines that a run of so many seconds leaves in its log, told of five times a second.
int lines_of(std::int64_t seconds) {
    LogPace pace;
    int lines = 0;
    for (std::int64_t update = 1; update <= 5 * seconds; ++update)
        lines += pace.is_due(update, 5 * seconds, 0.2 * static_cast<double>(update)) ? 1 : 0;
    return lines;
}

}  // namespace

TEST_CASE("a short run has a line at each twentieth, a long one a line a minute") {
    CHECK(lines_of(10) == 20);
    CHECK(lines_of(600) == 20);
    const int of_ten_hours = lines_of(36'000);
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
