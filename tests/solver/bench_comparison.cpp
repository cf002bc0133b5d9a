// Two benchmarks are told apart when their rounds allow it, and not otherwise: intervals are those of the rank test of
// Mann and Whitney, hold the true ratio as often as they say, and a machine that became slower blames no kernel.
// Takes less than a second.
#include "solver/performance/bench_comparison.hpp"

#include <doctest/doctest.h>

#include "io/text/error.hpp"
#include "solver/model/random_numbers.hpp"

using namespace onda;

namespace {

/// Rounds around a rate, with a spread of some per cent and now and then one that something disturbed.
Sample rounds(std::uint64_t seed, std::size_t count, double rate, double spread) {
    RandomStream random(seed, 7);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        const double disturbed = random.uniform() < 0.1 ? 0.8 : 1.;
        values.push_back(rate * disturbed * (1. + spread * random.normal()));
    }
    return Sample(values);
}

BenchRow bench_row(Sample gpts, Sample twin, int order = 8, const char* kernel = "vectorised") {
    BenchRow row;
    row.problem = {{"space_order", order}, {"shape", {100, 100, 100}}};
    row.kernel = {{"kernel", kernel}, {"threads", 2}};
    row.rounds = std::move(gpts);
    row.rival = "twin";
    row.rival_rounds = std::move(twin);
    return row;
}

BenchReport bench_report(std::vector<BenchRow> rows, const char* cpu = "some processor") {
    BenchReport report;
    report.bench = "cpu";
    report.machine = {{"cpu", cpu}, {"processors", 2}, {"host", "here"}};
    report.rows = std::move(rows);
    return report;
}

Verdict verdict_of(const BenchReport& a, const BenchReport& b) {
    return compare(a, b, {}).rows.at(0).verdict;
}

}  // namespace

TEST_CASE("quartiles are those of type 7") {
    const Sample sample({4., 1., 3., 2.});
    CHECK(sample.rounds().front() == 4.);
    CHECK(sample.min() == 1.);
    CHECK(sample.max() == 4.);
    CHECK(sample.median() == 2.5);
    CHECK(sample.quantile(0.25) == 1.75);
    CHECK(sample.quantile(1.) == 4.);
}

TEST_CASE("ends of intervals are those of the tables of Mann and Whitney") {
    // Two-sided, 1 %: the largest U that is still significant, for as many rounds on both sides.
    const std::vector<std::pair<std::size_t, std::size_t>> critical{{5, 0},  {6, 2},   {7, 4},   {8, 7},
                                                                    {9, 11}, {10, 16}, {15, 51}, {20, 105}};
    for (const auto& entry : critical) {
        const std::size_t n = entry.first, u = entry.second;
        CAPTURE(n);
        const Sample a = rounds(n, n, 3., 0.05), b = rounds(n + 100, n, 4., 0.05);
        std::vector<double> all;
        for (const double x : a.rounds())
            for (const double y : b.rounds()) all.push_back(y / x);
        const Sample sorted(all);
        const auto found = quotient(a, b, 0.99);
        REQUIRE(found.has_value());
        CHECK(found->low == sorted.sorted()[u]);
        CHECK(found->high == sorted.sorted()[n * n - 1 - u]);
        CHECK(found->estimate == sorted.median());
    }
    CHECK(!quotient(rounds(1, 4, 1., 0.1), rounds(2, 4, 1., 0.1), 0.99).has_value());
    CHECK(!quotient(rounds(1, 1, 1., 0.1), rounds(2, 9, 1., 0.1), 0.99).has_value());
    CHECK(quotient(rounds(1, 4, 1., 0.1), rounds(2, 9, 1., 0.1), 0.99).has_value());
}

TEST_CASE("the exact distribution and the normal one meet") {
    const auto exact = quotient(rounds(1, 60, 1., 0.1), rounds(2, 60, 1.2, 0.1), 0.99);
    const auto normal = quotient(rounds(1, 61, 1., 0.1), rounds(2, 61, 1.2, 0.1), 0.99);
    REQUIRE(exact.has_value());
    REQUIRE(normal.has_value());
    CHECK(std::abs(exact->high / exact->low / (normal->high / normal->low) - 1.) < 0.02);
}

TEST_CASE("intervals hold the true ratio as often as they say") {
    constexpr int trials = 2000;
    int held = 0;
    for (std::uint64_t i = 0; i < trials; ++i) {
        const auto found = quotient(rounds(2 * i, 9, 10., 0.02), rounds(2 * i + 1, 7, 11., 0.02), 0.95);
        REQUIRE(found.has_value());
        if (found->low <= 1.1 && 1.1 <= found->high) ++held;
    }
    CHECK(held > trials * 0.94);
    CHECK(held < trials * 0.985);
}

TEST_CASE("faster, slower, no difference, too few rounds") {
    const auto twin = [](std::uint64_t seed) { return rounds(seed, 15, 20., 0.003); };
    const BenchReport a = bench_report({bench_row(rounds(1, 15, 10., 0.003), twin(2))});
    CHECK(verdict_of(a, bench_report({bench_row(rounds(3, 15, 10.6, 0.003), twin(4))})) == Verdict::faster);
    CHECK(verdict_of(a, bench_report({bench_row(rounds(3, 15, 9.4, 0.003), twin(4))})) == Verdict::slower);
    CHECK(verdict_of(a, bench_report({bench_row(rounds(3, 15, 10.05, 0.003), twin(4))})) == Verdict::same);
    CHECK(verdict_of(a, bench_report({bench_row(rounds(3, 15, 9.4, 0.2), twin(4))})) == Verdict::same);
    const BenchReport few = bench_report({bench_row(rounds(3, 3, 20., 0.003), rounds(4, 3, 20., 0.003))});
    CHECK(verdict_of(few, few) == Verdict::too_few_rounds);
    CHECK(compare(few, few, {}).verdict() == "too few rounds");
    CHECK(verdict_of(a, a) == Verdict::same);
}

TEST_CASE("what slows the twin as well is the machine") {
    const BenchReport a = bench_report({bench_row(rounds(1, 9, 10., 0.003), rounds(2, 9, 20., 0.003))});
    const BenchReport b = bench_report({bench_row(rounds(3, 9, 8., 0.003), rounds(4, 9, 16., 0.003))});
    const Comparison row = compare(a, b, {}).rows.at(0);
    CHECK(row.verdict == Verdict::same);
    CHECK(row.speed.high < 0.9);
    REQUIRE(row.twin.has_value());
    CHECK(row.twin->high < 0.9);
    BenchReport bare_a = a, bare_b = b;  // the bare kernel is no measure of the machine
    bare_a.rows[0].rival = bare_b.rows[0].rival = "bare";
    CHECK(verdict_of(bare_a, bare_b) == Verdict::slower);
}

TEST_CASE("seconds are better when they are fewer") {
    BenchRow a = bench_row(rounds(1, 9, 10., 0.003), {}), b = bench_row(rounds(2, 9, 5., 0.003), {});
    for (BenchRow* row : {&a, &b}) {
        row->rival.clear();
        row->unit = "s";
        row->larger_is_better = false;
    }
    const Comparison row = compare(bench_report({a}), bench_report({b}), {}).rows.at(0);
    CHECK(row.verdict == Verdict::faster);
    CHECK(std::abs(row.speed.estimate - 2.) < 0.05);
    CHECK(row.speed.low < row.speed.estimate);
    CHECK(row.speed.estimate < row.speed.high);
}

TEST_CASE("rows find their partners") {
    const auto fast = rounds(1, 9, 10., 0.003), slow = rounds(2, 9, 5., 0.003), twin = rounds(3, 9, 20., 0.003);
    BenchReport a =
        bench_report({bench_row(fast, twin, 8), bench_row(slow, twin, 4), bench_row(slow, twin, 2, "reference")});
    BenchReport b = bench_report({bench_row(slow, twin, 4), bench_row(slow, twin, 8)});
    b.rows[0].kernel["threads"] = 1;
    BenchComparison result = compare(a, b, {});
    REQUIRE(result.rows.size() == 2);
    CHECK(result.rows[0].verdict == Verdict::slower);
    CHECK(result.rows[1].verdict == Verdict::same);
    CHECK(result.verdict() == "slower");
    CHECK(std::abs(result.mean_speed - std::sqrt(0.5)) < 0.01);
    CHECK(result.notes.at(0).find("only in A: order 2") == 0);
    // The fastest of a problem, whatever computes it.
    a.rows = {bench_row(slow, twin, 8), bench_row(fast, twin, 8, "inplane-full")};
    b.rows = {bench_row(slow, twin, 8, "other")};
    CHECK_THROWS_AS(compare(a, b, {}), Error);
    result = compare(a, b, {.best_of_problem = true});
    REQUIRE(result.rows.size() == 1);
    CHECK(result.rows[0].verdict == Verdict::slower);
    CHECK(result.rows[0].kernel["kernel"] == "inplane-full");
    CHECK(result.rows[0].other_kernel["kernel"] == "other");
}

TEST_CASE("other machines and other grids are compared if asked for") {
    const auto gpts = rounds(1, 9, 10., 0.003), twin = rounds(3, 9, 20., 0.003);
    const BenchReport a = bench_report({bench_row(gpts, twin)}),
                      elsewhere = bench_report({bench_row(gpts, twin)}, "another");
    CHECK_THROWS_WITH_AS(
        compare(a, elsewhere, {}),
        "the machines differ: A some processor, 2; B another, 2\n  --anyway compares them all the same", Error);
    CHECK(compare(a, elsewhere, {.anyway = true}).rows.size() == 1);
    BenchReport larger = a;
    larger.rows[0].problem["shape"] = {200, 200, 200};
    CHECK_THROWS_AS(compare(a, larger, {}), Error);
    CHECK(compare(a, larger, {.anyway = true}).rows.size() == 1);
    BenchReport other_host = a;
    other_host.machine["host"] = "there";
    CHECK(compare(a, other_host, {}).notes.at(0) == "host: A here, B there");
}
