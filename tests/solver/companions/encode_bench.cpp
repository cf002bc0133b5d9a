// What `onda bench encode` measures and concludes, on small problems.
#include "solver/companions/encode_bench.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "io/text/error.hpp"

using namespace onda;

namespace {

/// A way whose product is the right one, but for what `damage` does to it, and which says that it took so long.
EncodeWay fake_way(
    const EncodeProblem& problem, const std::string& name, double ms, bool packed,
    const std::function<void(std::span<float>)>& damage = [](std::span<float>) {}) {
    EncodeWay way = encode_ways(false).front();
    way.name = name;
    way.packed = packed;
    way.multiply = [ms, damage, width = problem.width()](const EncodeProblem& of, std::span<float> product, int) {
        multiply<float>(of.codes(), of.values(), width, product);
        damage(product);
        return EncodeTimes{0., 1., {ms, 3. * ms, ms}};
    };
    return way;
}

bool contains(const std::vector<std::string>& lines, const std::string& text) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("every way of the CPU is timed, and within its bound") {
    for (const std::int64_t width : {1, 70}) {
        const EncodeProblem problem(70, width);
        const std::vector<EncodeWay> ways = chosen_ways(encode_ways(false), {}, width);
        CHECK(ways.size() >= 12);
        for (const EncodeWay& way : ways) {
            const EncodeRow row = measure_encode(way, problem, 2);
            CHECK_MESSAGE(row.holds(), way.name << " " << row.error);
            CHECK(row.times.execution_ms.size() == 2);
            CHECK(row.median_ms > 0.);
        }
    }
}

TEST_CASE("a product that is wrong in one element, or is no number, is outside the bound and wins nothing") {
    const EncodeProblem problem(40, 30);
    CHECK(problem.operations() == 2. * 40. * 40. * 30.);
    CHECK(problem.bytes(true) == 40 * 8 + 2 * 4 * 40 * 30);
    CHECK(problem.bytes(false) == 40 * 40 * 4 + 2 * 4 * 40 * 30);
    const auto measured = [&](const std::function<void(std::span<float>)>& damage) {
        return measure_encode(fake_way(problem, "fake", 1., true, damage), problem, 3);
    };
    CHECK(measured([](std::span<float>) {}).holds());
    CHECK_FALSE(measured([](std::span<float> product) { product[77] += 0.01F; }).holds());
    CHECK_FALSE(measured([](std::span<float> product) { product[1199] = std::nanf(""); }).holds());
    const std::vector<EncodeRow> rows{measured([](std::span<float> product) { product[0] += 1.F; })};
    CHECK(encode_verdict(rows, problem) == std::vector<std::string>{"no way is within its bound"});
}

TEST_CASE("the verdict compares the fastest with the best of the others, from what was measured") {
    const EncodeProblem problem(64, 64);
    EncodeWay fast = fake_way(problem, "quick", 2., true);
    fast.additions = 0.25;
    std::vector<EncodeRow> rows;
    for (const EncodeWay& way : {fake_way(problem, "slow", 8., true), fast, fake_way(problem, "library", 4., false)})
        rows.push_back(measure_encode(way, problem, 3));
    CHECK(rows.front().median_ms == 8.);
    const std::vector<std::string> lines = encode_verdict(rows, problem);
    CHECK(contains(lines, "quick is the fastest: 2 ms"));
    CHECK(contains(lines, "quick takes 0.25 of the time of slow"));
    CHECK(contains(lines, "quick takes 0.5 of the time of library"));
    CHECK(contains(lines, "0.25 additions instead of 1 multiply-adds"));
    CHECK(contains(lines, "with transfers quick is the fastest: 3 ms"));
}

TEST_CASE("a way that is none is refused with the nearest name, and one that cannot with the reason") {
    const std::vector<EncodeWay> ways = encode_ways(false);
    CHECK(chosen_ways(ways, {"xor", "look-up-4"}, 5).size() == 2);
    CHECK_THROWS_WITH_AS(chosen_ways(ways, {"look-up-5"}, 5),
                         doctest::Contains("--variant 'look-up-5': did you mean look-up-"), Error);
    CHECK_THROWS_WITH_AS(chosen_ways(ways, {"vector"}, 5), doctest::Contains("one column alone"), Error);
    CHECK(chosen_ways(ways, {"vector"}, 1).front().name == "vector");
}
