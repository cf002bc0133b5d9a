#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/files/atomic_file.hpp"
#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/planning/run_time.hpp"
#include "solver/program/threads.hpp"
#include "solver/run/simulation.hpp"
#include "tests/judge/judge.hpp"

namespace onda {
namespace {

struct ForecastCase {
    std::string_view name;
    std::string_view text;  ///< of the configuration, beside what all have
};

/// Runs of seconds in which one thing or another takes most of the time.
constexpr std::array kForecastCases{
    ForecastCase{"2-D, steps", R"(
grid: {shape: [801, 401], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 2000, vp_m_s: 3000}]}
time: {duration_s: 3}
sources: [{position_m: [4000, 20]}]
receivers: [{type: line, first_m: [500, 20], last_m: [7500, 20], count: 100}]
output: {pictures: false, report: false}
)"},
    ForecastCase{"2-D, pictures", R"(
grid: {shape: [301, 201], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 1000, vp_m_s: 3000}]}
time: {duration_s: 1}
sources: [{position_m: [1500, 20]}]
receivers: [{type: line, first_m: [500, 20], last_m: [2500, 20], count: 100}]
)"},
    ForecastCase{"2-D, frames", R"(
grid: {shape: [801, 601], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 1.5}
sources: [{position_m: [4000, 3000]}]
output: {snapshots: {every_steps: 5}, pictures: false}
)"},
    ForecastCase{"2-D, receivers", R"(
grid: {shape: [401, 301], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 4}
sources: [{position_m: [2005, 1503]}]
receivers: [{type: line, first_m: [203, 22], last_m: [3803, 22], count: 3000}]
output: {pictures: false}
)"},
    ForecastCase{"2-D, SEG-Y", R"(
grid: {shape: [301, 301], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 4}
sources: [{position_m: [2000, 1500]}]
receivers: [{type: line, first_m: [200, 20], last_m: [2800, 20], count: 2000}]
output: {seismograms: {dt_s: 0.002, segy: ibm, su: true}, pictures: false, report: false}
)"},
    ForecastCase{"2-D, 20 shots", R"(
grid: {shape: [301, 201], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 1}
sources: [{type: line, first_m: [500, 20], last_m: [2500, 20], count: 20}]
receivers: [{type: line, first_m: [500, 20], last_m: [2500, 20], count: 101}]
)"},
    ForecastCase{"2-D, 150 shots", R"(
grid: {shape: [151, 101], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.7}
sources: [{type: line, first_m: [200, 20], last_m: [1300, 20], count: 150}]
receivers: [{type: line, first_m: [200, 20], last_m: [1300, 20], count: 50}]
output: {pictures: false, report: false}
)"},
    ForecastCase{"2-D, frames x 8", R"(
grid: {shape: [401, 401], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 1}
sources: [{type: line, first_m: [500, 20], last_m: [3500, 20], count: 8}]
receivers: [{type: line, first_m: [500, 20], last_m: [3500, 20], count: 101}]
output: {snapshots: {every_steps: 20}}
)"},
    ForecastCase{"2-D, density", R"(
grid: {shape: [501, 401], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 0.5, rho: gardner}
time: {duration_s: 1.5}
sources: [{position_m: [2500, 20]}]
receivers: [{type: line, first_m: [500, 20], last_m: [4500, 20], count: 101}]
)"},
    ForecastCase{"2-D, aperture", R"(
grid: {shape: [1201, 201], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 1}
boundary: {x_min: cpml, x_max: cpml, z_max: cpml}
survey: {limit_m: 500}
sources: [{type: line, first_m: [2000, 20], last_m: [10000, 20], count: 10}]
receivers: [{type: line, relative_to: source, first_m: [-1000, 0], last_m: [1000, 0], count: 51}]
)"},
    ForecastCase{"3-D, steps", R"(
grid: {shape: [120, 120, 100], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.5}
sources: [{position_m: [600, 600, 20]}]
receivers: [{type: line, first_m: [100, 600, 20], last_m: [1100, 600, 20], count: 101}]
output: {pictures: false, report: false}
)"},
    ForecastCase{"3-D, pictures", R"(
grid: {shape: [100, 90, 80], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 400, vp_m_s: 3000}]}
time: {duration_s: 0.3}
sources: [{position_m: [500, 450, 20]}]
receivers: [{type: grid, first_m: [100, 100, 20], last_m: [900, 800, 20], count: [20, 20, 1]}]
)"},
    ForecastCase{"3-D, frames", R"(
grid: {shape: [160, 160, 120], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.3}
sources: [{position_m: [800, 800, 600]}]
output: {snapshots: {every_steps: 5}, pictures: false, report: false}
)"},
    ForecastCase{"3-D, geology", R"(
grid: {shape: [160, 140, 120], spacing_m: 10}
model: {type: geology}
time: {duration_s: 0.15}
sources: [{position_m: [800, 700, 20]}]
receivers: [{type: line, first_m: [100, 700, 20], last_m: [1500, 700, 20], count: 101}]
output: {pictures: false}
)"},
    ForecastCase{"3-D, order 16", R"(
grid: {shape: [200, 180, 160], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.2}
scheme: {space_order: 16}
boundary: {top: free_surface}
sources: [{position_m: [1000, 900, 20]}]
receivers: [{type: line, first_m: [100, 700, 20], last_m: [1500, 700, 20], count: 101}]
)"},
};

constexpr std::string_view kForecastBase = R"(schema_version: 1
wavelet: {type: ricker, peak_frequency_hz: 12}
)";

struct ForecastOptions {
    std::vector<std::string> files, cases;
    std::string backend = "auto", csv, folder;
    bool items = false, force = false;
};

struct ForecastRow {
    std::string name;
    TimeForecast forecast;
    double seconds = 0.;
    std::vector<std::pair<std::string, double>> phases;

    [[nodiscard]] double error() const { return forecast.seconds / seconds - 1.; }
};

/// A folder for the results of one run, removed in the end.
class ResultFolder {
public:
    explicit ResultFolder(const std::filesystem::path& parent) : path_(parent / ("onda-judge-" + random_hex(8))) {}
    ~ResultFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ResultFolder(const ResultFolder&) = delete;
    ResultFolder& operator=(const ResultFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// The forecast, then the run, both in this process: what comes before and after a process's work counts in neither.
ForecastRow measure(const std::string& name, const Config& config, const std::filesystem::path& parent) {
    using Clock = std::chrono::steady_clock;
    const ResultFolder results(parent);
    ForecastRow row{name, forecast_time(make_plan(config), results.path()), 0., {}};
    auto& items = row.forecast.items;
    const auto program = std::ranges::find(items, kProgramItem, &TimeForecast::Item::what);
    row.forecast.seconds -= program->seconds;
    items.erase(program);
    Log silent([](Log::Level, const std::string&) {});
    const Clock::time_point start = Clock::now();
    const RunFacts facts = run_simulation(config, {results.path(), false, "onda_judge forecast"}, silent);
    row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    row.phases = facts.phase_s;
    return row;
}

std::string text_of(const ForecastRow& row, bool with_items) {
    std::string text = fmt::format("{:<18} {:>9.3f} {:>9.3f} {:>+7.1f} % {:>6.1f}", row.name, row.forecast.seconds,
                                   row.seconds, 100. * row.error(), row.forecast.load.others);
    if (!with_items) return text;
    for (const auto& item : row.forecast.items) text += fmt::format("\n    {:>9.3f}  {}", item.seconds, item.what);
    for (const auto& [phase, seconds] : row.phases) text += fmt::format("\n              {:>9.3f}  {}", seconds, phase);
    return text;
}

std::string csv_of(const std::vector<ForecastRow>& rows) {
    std::ostringstream text;
    text << "case,forecast_s,run_s,error,others,processors\n";
    for (const ForecastRow& row : rows)
        text << '"' << row.name << "\"," << row.forecast.seconds << ',' << row.seconds << ',' << row.error() << ','
             << row.forecast.load.others << ',' << row.forecast.load.processors << '\n';
    return text.str();
}

void conclude(const std::vector<ForecastRow>& rows) {
    if (rows.empty()) return;
    std::vector<double> errors;
    for (const ForecastRow& row : rows) errors.push_back(std::abs(row.error()));
    std::ranges::sort(errors);
    const auto within = std::ranges::count_if(errors, [](double error) { return error <= 0.2; });
    std::cout << fmt::format("median error {:.1f} %, worst {:.1f} %; within 20 % in {} of {} runs\n",
                             100. * errors[errors.size() / 2], 100. * errors.back(), within, errors.size());
}

int judge_forecast(const ForecastOptions& options) {
    check_threads(0, "");
    const std::filesystem::path parent =
        options.folder.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(options.folder);
    std::cout << fmt::format("seconds of whole runs, as forecast and as taken\n{:<18} {:>9} {:>9} {:>9} {:>6}", "case",
                             "forecast", "run", "error", "others")
              << std::endl;
    std::vector<ForecastRow> rows;
    const auto add = [&](const std::string& name, const Config& config) {
        rows.push_back(measure(name, config, parent));
        std::cout << text_of(rows.back(), options.items) << std::endl;
    };
    const std::vector<std::string> overrides{"backend.name=" + options.backend};
    for (const std::string& file : options.files)
        add(shown(std::filesystem::path(file).stem()), read_config(file, vocabulary(), overrides));
    for (const ForecastCase& each : kForecastCases)
        if (options.cases.empty() ? options.files.empty()
                                  : std::ranges::find(options.cases, each.name) != options.cases.end())
            add(std::string(each.name), read_config_text(std::string(kForecastBase) + std::string(each.text.substr(1)),
                                                         "judge.yaml", vocabulary(), overrides));
    conclude(rows);
    if (!options.csv.empty()) write_text_file(options.csv, csv_of(rows), options.force);
    return 0;
}

}  // namespace

Command add_judge_forecast(CLI::App& app) {
    CLI::App* command =
        add_command(app, "forecast", "The run times that `onda check` tells, beside those that runs take",
                    "onda_judge forecast\n"
                    "onda_judge forecast configs/*.yaml --items --csv forecast.csv\n"
                    "onda_judge forecast --case '2-D, 20 shots' --backend cpu");
    const auto options = std::make_shared<ForecastOptions>();
    command->add_option("CONFIG", options->files, "Configurations (default: some of the program's own)")
        ->type_name("FILE");
    std::vector<std::string> names;
    for (const ForecastCase& each : kForecastCases) names.emplace_back(each.name);
    command->add_option("--case", options->cases, "The program's own, by name")->check(CLI::IsMember(names));
    command->add_option("--backend", options->backend, "What computes")->capture_default_str();
    command->add_option("--folder", options->folder, "Where results go, and are removed (default: the system's)")
        ->type_name("DIR");
    command->add_flag("--items", options->items, "Also print the parts of forecasts, and the phases of runs");
    command->add_option("--csv", options->csv, "Also write the table to this file")->type_name("FILE");
    command->add_flag("--force", options->force, "Overwrite the CSV file if it exists");
    return [options] { return judge_forecast(*options); };
}

}  // namespace onda
