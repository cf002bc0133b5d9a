#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "solver/commands/bench/bench_output.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/planning/run_time.hpp"
#include "solver/program/build.hpp"
#include "solver/program/threads.hpp"
#include "tests/judge/judge.hpp"

namespace onda {
namespace {

struct CheckCase {
    std::string_view name;
    std::string_view text;  ///< of the configuration, beside what all have
};

/// Configurations that are large in one way each: the run of most of them would fill any machine.
constexpr std::array kCases{
    CheckCase{"a million nodes", R"(
grid: {shape: [1000, 1000], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 2000, vp_m_s: 3000}]}
time: {duration_s: 3}
sources: [{position_m: [5000, 20]}]
receivers: [{type: line, first_m: [500, 20], last_m: [9500, 20], count: 1000}]
)"},
    CheckCase{"a billion nodes", R"(
grid: {shape: [1000, 1000, 1000], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 3}
sources: [{position_m: [5000, 5000, 20]}]
receivers: [{type: grid, first_m: [500, 500, 20], last_m: [9500, 9500, 20], count: [100, 100, 1]}]
)"},
    CheckCase{"8e15 nodes", R"(
grid: {shape: [200000, 200000, 200000], spacing_m: 10}
model: {type: geology}
time: {duration_s: 3}
sources: [{position_m: [5000, 5000, 20]}]
receivers: [{type: grid, first_m: [500, 500, 20], last_m: [9500, 9500, 20], count: [100, 100, 1]}]
)"},
    CheckCase{"1e6 receivers", R"(
grid: {shape: [2000, 2000, 500], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 3}
sources: [{position_m: [5000, 5000, 20]}]
receivers: [{type: grid, first_m: [500, 500, 25], last_m: [19500, 19500, 25], count: [1000, 1000, 1]}]
)"},
    CheckCase{"1e18 receivers", R"(
grid: {shape: [2000, 2000, 500], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 3}
sources: [{position_m: [5000, 5000, 20]}]
receivers: [{type: grid, first_m: [500, 500, 25], last_m: [19500, 19500, 4500], count: [1000000, 1000000, 1000000]}]
)"},
    CheckCase{"1e4 shots x 1e4", R"(
grid: {shape: [2000, 500], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 3}
sources: [{type: line, first_m: [500, 25], last_m: [19500, 25], count: 10000}]
receivers: [{type: line, first_m: [500, 25], last_m: [19500, 25], count: 10000}]
)"},
    CheckCase{"1e6 shots x 1e6", R"(
grid: {shape: [2000, 500], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 3}
sources: [{type: line, first_m: [500, 25], last_m: [19500, 25], count: 1000000}]
receivers: [{type: line, first_m: [500, 25], last_m: [19500, 25], count: 1000000}]
)"},
    CheckCase{"8e8 snapshots", R"(
grid: {shape: [2000, 500], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 100000, dt_s: 0.000125}
sources: [{position_m: [5000, 20]}]
receivers: [{type: line, first_m: [500, 25], last_m: [19500, 25], count: 1000}]
output: {snapshots: {every_steps: 1}}
)"},
};

constexpr std::string_view kShared = R"(schema_version: 1
wavelet: {type: ricker, peak_frequency_hz: 15}
backend: {name: cpu}
)";

constexpr std::array<const char*, 6> kStages{"read", "plan", "forecast", "largest", "rehearsal", "whole"};
using Seconds = std::array<double, kStages.size()>;

/// Lets peak_memory_bytes() begin anew, where the system lets us: the peak of a case is its own.
void forget_peak_memory() {
    std::ofstream("/proc/self/clear_refs") << 5;
}

Seconds measure(const CheckCase& timed) {
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point start) {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    Seconds seconds{};
    std::size_t stage = 0;
    const Clock::time_point begin = Clock::now();
    const auto time = [&](auto&& work) {
        const Clock::time_point start = Clock::now();
        auto result = work();
        seconds[stage++] = since(start);
        return result;
    };
    const Config config = time([&] {
        return read_config_text(std::string(kShared) + std::string(timed.text.substr(1)), "judge.yaml", vocabulary());
    });
    const Plan plan = time([&] { return make_plan(config); });
    time([&] { return forecast_memory(plan).peak_bytes() + (forecast_output_bytes(plan) > 0 ? 0 : 1); });
    time([&] { return largest_grid(plan, Memory::host, available_memory_bytes()).has_value(); });
    time([&] { return forecast_time(plan, std::filesystem::temp_directory_path()).seconds; });
    seconds[stage] = since(begin);
    return seconds;
}

struct Row {
    std::string_view name;
    std::array<Sample, kStages.size()> seconds;
    std::int64_t peak_bytes = 0;
};

Row measure(const CheckCase& timed, int rounds) {
    std::array<std::vector<double>, kStages.size()> all;
    forget_peak_memory();
    for (int round = 0; round < rounds; ++round) {
        const Seconds seconds = measure(timed);
        for (std::size_t stage = 0; stage < kStages.size(); ++stage) all[stage].push_back(seconds[stage]);
    }
    Row row{timed.name, {}, peak_memory_bytes()};
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) row.seconds[stage] = Sample(all[stage]);
    return row;
}

std::string text_of(const Row& row) {
    std::string text = fmt::format("{:<16}", row.name);
    for (const Sample& seconds : row.seconds) text += fmt::format(" {:10.2f}", 1e3 * seconds.median());
    return text + fmt::format(" {:9.1f}", static_cast<double>(row.peak_bytes) * 1e-6);
}

std::string csv_of(const std::vector<Row>& rows) {
    std::ostringstream text;
    text << "case";
    for (const char* stage : kStages) text << ',' << stage << "_s";
    text << ",peak_bytes\n";
    for (const Row& row : rows) {
        text << row.name;
        for (const Sample& seconds : row.seconds) text << ',' << seconds.median();
        text << ',' << row.peak_bytes << '\n';
    }
    return text.str();
}

struct CheckOptions {
    std::vector<std::string> cases;  ///< all if empty
    int rounds = 5;
    BenchOutput output;
};

/// A row for each stage.
void add_to(BenchReport& report, const Row& row) {
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
        BenchRow& added = report.rows.emplace_back();
        added.problem = {{"configuration", row.name}, {"stage", kStages[stage]}};
        added.unit = "s";
        added.larger_is_better = false;
        added.rounds = row.seconds[stage];
        added.facts = {{"peak_bytes", row.peak_bytes}};
    }
}

int judge_check(const CheckOptions& options) {
    check_threads(0, "");
    check_writable(options.output);
    BenchReport report = begin_bench_report("check");
    ConditionsWatch watch(usable_device("cpu"));
    std::vector<CheckCase> cases;
    for (const CheckCase& each : kCases)
        if (options.cases.empty() || std::ranges::find(options.cases, each.name) != options.cases.end())
            cases.push_back(each);
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n'
        << fmt::format("{} configurations, the median of {} rounds, milliseconds and MB at the peak\n{:<16}",
                       cases.size(), options.rounds, "case");
    for (const char* stage : kStages) out << fmt::format(" {:>10}", stage);
    out << fmt::format(" {:>9}", "memory") << std::endl;
    std::vector<Row> rows;
    for (const CheckCase& timed : cases) {
        rows.push_back(measure(timed, options.rounds));
        watch.look();
        add_to(report, rows.back());
        out << text_of(rows.back()) << std::endl;
    }
    finish_bench(options.output, report, watch.conditions(), csv_of(rows));
    return 0;
}

}  // namespace

Command add_judge_check(CLI::App& app) {
    CLI::App* command = add_command(app, "check", "Seconds and memory of the stages of `onda check`",
                                    "onda_judge check\n"
                                    "onda_judge check --rounds 21 --csv check.csv");
    const auto options = std::make_shared<CheckOptions>();
    std::vector<std::string> names;
    for (const CheckCase& each : kCases) names.emplace_back(each.name);
    command->add_option("--case", options->cases, "Some of the configurations, by name")->check(CLI::IsMember(names));
    command->add_option("--rounds", options->rounds, "Rounds of each; the median is reported")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    add_bench_output(*command, options->output);
    return [options] { return judge_check(*options); };
}

}  // namespace onda
