#include "solver/performance/bench_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostExact = 60;

/// P(U <= u) for u = 0, 1, …, of the number U of pairs (i, j) with b_j < a_i, where both are drawn alike. The numbers
/// of orders with a U are the coefficients of a Gaussian binomial, multiplied out factor by factor.
std::vector<double> mann_whitney_distribution(std::size_t n, std::size_t m) {
    std::vector<double> ways(n * m + 1);
    ways[0] = 1.;
    for (std::size_t k = 1; k <= n; ++k) {
        for (std::size_t u = n * m; u >= m + k; --u) ways[u] -= ways[u - m - k];
        for (std::size_t u = k; u <= n * m; ++u) ways[u] += ways[u - k];
    }
    double all = 0., below = 0.;
    for (const double w : ways) all += w;
    for (double& w : ways) w = (below += w) / all;
    return ways;
}

/// The two-sided quantile of the normal distribution, by bisection of erfc.
double normal_quantile(double confidence) {
    double low = 0., high = 40.;
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        (std::erfc(middle / std::sqrt(2.)) > 1. - confidence ? low : high) = middle;
    }
    return low;
}

/// How many of the sorted quotients lie beyond either end of the interval; nothing if none may.
std::optional<std::size_t> cut_off(std::size_t n, std::size_t m, double confidence) {
    const double tail = 0.5 * (1. - confidence);
    if (n <= kMostExact && m <= kMostExact) {
        const std::vector<double> below = mann_whitney_distribution(n, m);
        // The k-th smallest quotient is the end of the interval if P(U <= k - 1) is at most the tail.
        const auto k = static_cast<std::size_t>(std::ranges::upper_bound(below, tail * (1. + 1e-12)) - below.begin());
        return k == 0 ? std::nullopt : std::optional(k - 1);
    }
    const auto nn = static_cast<double>(n), mm = static_cast<double>(m);
    const double k = 0.5 * nn * mm - normal_quantile(confidence) * std::sqrt(nn * mm * (nn + mm + 1.) / 12.);
    return k < 1. ? std::nullopt : std::optional(static_cast<std::size_t>(k) - 1);
}

/// All quotients b_j / a_i.
std::vector<double> quotients(const Sample& a, const Sample& b) {
    std::vector<double> all;
    all.reserve(a.rounds().size() * b.rounds().size());
    for (const double x : a.rounds())
        for (const double y : b.rounds()) all.push_back(y / x);
    return all;
}

/// How many times as fast b is as a.
Interval speed_of(const BenchRow& a, const Interval& larger) {
    if (a.larger_is_better) return larger;
    return {1. / larger.estimate, 1. / larger.high, 1. / larger.low};
}

/// What of a machine decides how fast it is: two hosts of a kind are the same machine.
Json machine_key(const Json& machine) {
    Json key;
    for (const char* name : {"cpu", "processors"})
        if (machine.contains(name)) key[name] = machine[name];
    if (machine.contains("gpu")) {
        key = Json::object();
        for (const char* name : {"name", "architecture", "multiprocessors", "memory_bytes"})
            if (machine["gpu"].contains(name)) key[name] = machine["gpu"][name];
    }
    return key;
}

Json without(Json object, std::initializer_list<const char*> keys) {
    for (const char* key : keys) object.erase(key);
    return object;
}

Sample relative_to_twin(const BenchRow& row) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < row.rounds.rounds().size(); ++i)
        ratios.push_back(row.rounds.rounds()[i] / row.rival_rounds.rounds()[i]);
    return Sample(std::move(ratios));
}

Verdict verdict_of(const Interval& speed, double least) {
    if (speed.low > 1. + least) return Verdict::faster;
    if (speed.high < 1. / (1. + least)) return Verdict::slower;
    return Verdict::same;
}

Comparison compare_rows(const BenchRow& a, const BenchRow& b, const ComparisonRules& rules) {
    Comparison result{a.problem, a.kernel, b.kernel, a.rounds.median(), b.rounds.median(), a.unit, {}, {}, {}};
    const auto raw = quotient(a.rounds, b.rounds, rules.confidence);
    if (!raw) {
        const double ratio = result.b / result.a;
        result.speed = speed_of(a, {ratio, ratio, ratio});
        result.verdict = Verdict::too_few_rounds;
        return result;
    }
    result.speed = speed_of(a, *raw);
    result.verdict = verdict_of(result.speed, rules.least);
    if (a.rival != "twin" || b.rival != "twin") return result;
    result.twin = quotient(a.rival_rounds, b.rival_rounds, rules.confidence);
    const auto relative = quotient(relative_to_twin(a), relative_to_twin(b), rules.confidence);
    if (!relative || verdict_of(speed_of(a, *relative), rules.least) != result.verdict) result.verdict = Verdict::same;
    return result;
}

/// Whether two objects have the same members, in whatever order.
bool same(const Json& a, const Json& b) {
    return nlohmann::json(a) == nlohmann::json(b);
}

/// The fastest row of each problem, in the order of the report.
std::vector<BenchRow> best_rows(const std::vector<BenchRow>& rows) {
    std::vector<BenchRow> best;
    for (const BenchRow& row : rows) {
        const auto known =
            std::ranges::find_if(best, [&row](const BenchRow& b) { return same(b.problem, row.problem); });
        if (known == best.end()) {
            best.push_back(row);
        } else if (row.larger_is_better ? row.rounds.median() > known->rounds.median()
                                        : row.rounds.median() < known->rounds.median()) {
            *known = row;
        }
    }
    return best;
}

/// A member that is a text; empty if there is none.
std::string text_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The row of B that is a row of A: of the same problem and kernel with all its settings; else the only one of the same
/// kernel, whatever its settings.
const BenchRow* partner(const BenchRow& a, const std::vector<BenchRow>& rows, const ComparisonRules& rules) {
    const auto problem = [&rules](const BenchRow& row) {
        return rules.anyway ? without(row.problem, {"shape"}) : row.problem;
    };
    std::vector<const BenchRow*> alike;
    for (const BenchRow& b : rows) {
        if (!same(problem(a), problem(b)) || a.unit != b.unit) continue;
        if (rules.best_of_problem || same(a.kernel, b.kernel)) return &b;
        if (text_in(a.kernel, "kernel") == text_in(b.kernel, "kernel")) alike.push_back(&b);
    }
    return alike.size() == 1 ? alike.front() : nullptr;
}

void check_comparable(const BenchReport& a, const BenchReport& b, const ComparisonRules& rules,
                      std::vector<std::string>& notes) {
    if (a.bench != b.bench && !rules.best_of_problem)
        throw Error(ExitCode::usage,
                    fmt::format("A is of `bench {}`, B of `bench {}`: they have no rows in common", a.bench, b.bench));
    if (const Json one = machine_key(a.machine), other = machine_key(b.machine); one != other) {
        const std::string what = fmt::format("the machines differ: A {}; B {}", values_text(one), values_text(other));
        if (!rules.anyway) throw Error(ExitCode::usage, what + "\n  --anyway compares them all the same");
        notes.push_back(what);
    }
    const auto note_if_different = [&notes](const char* what, const std::string& one, const std::string& other) {
        if (!one.empty() && !other.empty() && one != other)
            notes.push_back(fmt::format("{}: A {}, B {}", what, one, other));
    };
    note_if_different("host", text_in(a.machine, "host"), text_in(b.machine, "host"));
    if (a.machine.contains("gpu") && b.machine.contains("gpu"))
        note_if_different("driver", text_in(a.machine["gpu"], "driver"), text_in(b.machine["gpu"], "driver"));
    note_if_different("commit", text_in(a.program, "git_commit"), text_in(b.program, "git_commit"));
    for (const BenchReport* report : {&a, &b})
        if (const auto warnings = report->conditions.find("warnings"); warnings != report->conditions.end())
            for (const Json& warning : *warnings)
                if (warning.is_string())
                    notes.push_back(fmt::format("{}: {}", report == &a ? "A" : "B", warning.get<std::string>()));
}

Json interval_json(const Interval& interval) {
    return {{"estimate", interval.estimate}, {"low", interval.low}, {"high", interval.high}};
}

}  // namespace

std::optional<Interval> quotient(const Sample& a, const Sample& b, double confidence) {
    const auto beyond = cut_off(a.rounds().size(), b.rounds().size(), confidence);
    if (!beyond) return std::nullopt;
    const Sample all(quotients(a, b));
    return Interval{all.median(), all.sorted()[*beyond], all.sorted()[all.sorted().size() - 1 - *beyond]};
}

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::faster: return "faster";
        case Verdict::slower: return "slower";
        case Verdict::same: return "no difference";
        case Verdict::too_few_rounds: break;
    }
    return "too few rounds";
}

int BenchComparison::count(Verdict verdict) const {
    return static_cast<int>(std::ranges::count(rows, verdict, &Comparison::verdict));
}

std::string_view BenchComparison::verdict() const {
    const int faster = count(Verdict::faster), slower = count(Verdict::slower);
    if (faster > 0 && slower > 0) return "mixed";
    if (faster > 0 || slower > 0) return name(faster > 0 ? Verdict::faster : Verdict::slower);
    return name(count(Verdict::too_few_rounds) == std::ssize(rows) ? Verdict::too_few_rounds : Verdict::same);
}

Json BenchComparison::json() const {
    Json json{{"verdict", verdict()}, {"mean_speed", mean_speed}, {"notes", notes}, {"rows", Json::array()}};
    for (const Comparison& row : rows) {
        json["rows"].push_back({{"problem", row.problem},
                                {"kernel", row.kernel},
                                {"other_kernel", row.other_kernel},
                                {"unit", row.unit},
                                {"a", row.a},
                                {"b", row.b},
                                {"speed", interval_json(row.speed)},
                                {"verdict", name(row.verdict)}});
        if (row.twin) json["rows"].back()["twin"] = interval_json(*row.twin);
    }
    return json;
}

BenchComparison compare(const BenchReport& a, const BenchReport& b, const ComparisonRules& rules) {
    BenchComparison result;
    check_comparable(a, b, rules, result.notes);
    const std::vector<BenchRow> ours = rules.best_of_problem ? best_rows(a.rows) : a.rows;
    const std::vector<BenchRow> theirs = rules.best_of_problem ? best_rows(b.rows) : b.rows;
    double logarithms = 0.;
    for (const BenchRow& row : ours) {
        const BenchRow* const other = partner(row, theirs, rules);
        if (other == nullptr) {
            result.notes.push_back(fmt::format("only in A: {}; {}", values_text(row.problem), values_text(row.kernel)));
            continue;
        }
        result.rows.push_back(compare_rows(row, *other, rules));
        logarithms += std::log(result.rows.back().speed.estimate);
    }
    for (const BenchRow& row : theirs)
        if (partner(row, ours, rules) == nullptr)
            result.notes.push_back(fmt::format("only in B: {}; {}", values_text(row.problem), values_text(row.kernel)));
    if (result.rows.empty())
        throw Error(ExitCode::usage,
                    "A and B have no row of the same grid, order and kernel\n  --anyway pairs rows of different grids, "
                    "--best the fastest of each problem");
    result.mean_speed = std::exp(logarithms / static_cast<double>(result.rows.size()));
    return result;
}

}  // namespace onda
