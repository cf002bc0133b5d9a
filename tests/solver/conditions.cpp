// A measurement tells how the machine did meanwhile: what a GPU's driver says of its clocks, and the processors that
// others kept busy. A library of this name stands in for the driver's.
// Takes less than a second.
#include "solver/performance/conditions.hpp"

#include <cmath>
#include <ctime>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <thread>

using namespace onda;

TEST_CASE("a GPU's clocks, temperature and power are read from its driver's library") {
    const auto gpu = read_gpu("0000:1b:00.0");
    REQUIRE(gpu.has_value());
    CHECK(gpu->sm_mhz == 1590.);
    CHECK(gpu->memory_mhz == 3201.);
    CHECK(gpu->most_sm_mhz == 1980.);
    CHECK(gpu->temperature_c == 61.);
    REQUIRE(gpu->power_w.has_value());
    CHECK(std::abs(*gpu->power_w - 698.5) < 1e-9);
    CHECK(!gpu->most_power_w.has_value());
    CHECK(gpu->held_down_by == std::vector<std::string>{"power cap"});
    CHECK(!read_gpu("0000:1c:00.0").has_value());
}

TEST_CASE("others at work and clocks held down are warned of") {
    Conditions conditions;
    conditions.processors = 4;
    conditions.others = 0.05;
    CHECK(conditions.warnings().empty());
    conditions.others = 1.5;
    REQUIRE(conditions.warnings().size() == 1);
    CHECK(conditions.warnings()[0] == "other processes used 1.5 of 4 processors: measure on an idle machine");
    conditions.on_gpu = true;  // one thread feeds it
    CHECK(conditions.warnings().empty());
    conditions.looks = 20;
    conditions.held_down["power cap"] = 12;
    CHECK(conditions.warnings().at(0) == "the clocks of the GPU were reduced in 12 of 20 samples: power cap");
    CHECK(conditions.json()["clocks_held_down"]["power cap"] == 12);
}

TEST_CASE("a line says what was seen") {
    Conditions conditions;
    conditions.processors = 16;
    conditions.load_before = 0.25;
    conditions.sm_mhz = Spread{1590., 1600., 1980.};
    conditions.most_sm_mhz = 1980.;
    conditions.power_w = Spread{698., 698., 698.2};
    CHECK(conditions.text() == "load average before 0.25, SM 1590 … 1980 of 1980 MHz, 698 W");
}

TEST_CASE("the work of this process is not that of others") {
    ConditionsWatch watch(usable_device("cpu"));
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
    const std::clock_t start = std::clock();
    double sum = 0.;
    while (std::chrono::steady_clock::now() < until) sum += 1.;
    watch.look();
    const Conditions conditions = watch.conditions();
    CHECK(sum > 0.);
    CHECK(conditions.looks == 1);
    CHECK(conditions.seconds > 0.39);
    REQUIRE(conditions.others.has_value());
    CHECK(*conditions.others >= 0.);
    // What others do here is unknown, but not that they leave this process what it had.
    const double own = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / conditions.seconds;
    CHECK(*conditions.others < std::thread::hardware_concurrency() - own + 0.15);
}
