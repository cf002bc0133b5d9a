/// \file
/// Whether one benchmark is faster than another, and by how much: rows are paired, and each pair gets a verdict that
/// the spread of its rounds allows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "solver/performance/bench_report.hpp"

namespace onda {

/// An estimate with the interval that holds the true value with a confidence.
struct Interval {
    double estimate = 1., low = 1., high = 1.;
};

/// By what factor the values of `b` are larger than those of `a`: the estimate of Hodges & Lehmann (1963, Ann. Math.
/// Stat. 34), the median of all quotients b_j / a_i, with the interval that belongs to the rank test of Mann & Whitney
/// (1947, Ann. Math. Stat. 18): it needs no distribution of the rounds, and one wild round moves it little. Up to 60
/// rounds a side the distribution is exact, then normal. \param confidence such as 0.99. \returns nothing if there are
/// too few rounds for it: with 0.99, fewer than 5 on both sides.
std::optional<Interval> quotient(const Sample& a, const Sample& b, double confidence);

enum class Verdict { faster, slower, same, too_few_rounds };
std::string_view name(Verdict verdict);

/// A row of A beside one of B.
struct Comparison {
    nlohmann::ordered_json problem, kernel, other_kernel;
    double a = 0., b = 0.;  ///< medians, in `unit`
    std::string unit;
    /// How many times as fast B is. Without an interval (`too_few_rounds`) the quotient of the medians alone.
    Interval speed;
    std::optional<Interval> twin;  ///< how many times as fast B's twin is: the machine itself
    Verdict verdict = Verdict::same;
};

struct ComparisonRules {
    double confidence = 0.99;
    double least = 0.01;           ///< a difference that is smaller does not count
    bool best_of_problem = false;  ///< pair the fastest rows of a problem, whatever computes it
    bool anyway = false;           ///< compare what different machines did, and different grids
};

struct BenchComparison {
    std::vector<Comparison> rows;
    std::vector<std::string> notes;  ///< rows without a partner, other versions of the driver, …
    double mean_speed = 1.;          ///< geometric mean of the rows
    [[nodiscard]] int count(Verdict verdict) const;
    /// The verdict on all rows: faster or slower if some are and none is the other; "mixed", "no difference".
    [[nodiscard]] std::string_view verdict() const;
    [[nodiscard]] nlohmann::ordered_json json() const;
};

/// A row is faster or slower if its whole interval lies beyond 1 by `least` and, where the twin took turns with both,
/// that of the quotient to the twin does, too: a machine that has become slower slows its twin as well.
/// \throws Error(usage) if the benchmarks are of different machines, kinds or units, or have no row in common.
BenchComparison compare(const BenchReport& a, const BenchReport& b, const ComparisonRules& rules);

}  // namespace onda
