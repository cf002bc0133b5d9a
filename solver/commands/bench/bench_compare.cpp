#include "solver/commands/bench/bench_compare.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <spdlog/fmt/fmt.h>

#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/bench_comparison.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

struct CompareOptions {
    std::string a, b, json;
    double confidence_percent = 99., least_percent = 1.;
    bool anyway = false, best = false, force = false;
};

std::string described(const BenchReport& report, const std::string& file) {
    const auto text = [&report](const char* key) {
        const auto found = report.program.find(key);
        return found != report.program.end() && found->is_string() ? " " + found->get<std::string>() : std::string();
    };
    return printable(
        fmt::format("{}:{}{}{}, {}", file, text("name"), text("version"), text("git_commit"), report.created_utc));
}

using Json = nlohmann::ordered_json;

/// The members of an object that not all rows share, and those by which people know a row.
void add_telling(Json& parts, const Comparison& row, const BenchComparison& all, const Json Comparison::*of) {
    for (const auto& item : (row.*of).items()) {
        const std::string& key = item.key();
        const auto is_same = [&](const Comparison& other) {
            const auto found = (other.*of).find(key);
            return found != (other.*of).end() && *found == item.value();
        };
        if (key == "kernel" || key == "space_order" || !std::ranges::all_of(all.rows, is_same))
            parts[key] = item.value();
    }
}

/// What a row is, without what all rows share; both kernels where they differ.
std::string row_name(const Comparison& row, const BenchComparison& all) {
    Json parts;
    const Json one = row.kernel.value("kernel", Json()), other = row.other_kernel.value("kernel", Json());
    if (one == other)
        add_telling(parts, row, all, &Comparison::kernel);
    else
        parts = {{"a", one}, {"b", other}};
    add_telling(parts, row, all, &Comparison::problem);
    return values_text(parts);
}

void print(std::ostream& out, const BenchComparison& comparison) {
    std::size_t width = 10;
    for (const Comparison& row : comparison.rows) width = std::max(width, row_name(row, comparison).size());
    const auto interval = [](const Interval& i) {
        return fmt::format("{:6.3f} {:6.3f} … {:<6.3f}", i.estimate, i.low, i.high);
    };
    out << fmt::format("{:<{}} {:>10} {:>10} {:<6} {:>6} {:>6} … {:<6}  {:>7}  verdict\n", "row", width, "A", "B", "",
                       "speed", "(low", "high)", "twin");
    for (const Comparison& row : comparison.rows)
        out << fmt::format("{:<{}} {:>10.4g} {:>10.4g} {:<6} {}  {:>7}  {}\n", row_name(row, comparison), width, row.a,
                           row.b, row.unit, interval(row.speed),
                           row.twin ? fmt::format("{:.3f}", row.twin->estimate) : "-", name(row.verdict));
    for (const std::string& note : comparison.notes) out << "note: " << printable_whole(note) << '\n';
    out << fmt::format(
               "B against A: {}: {} faster, {} slower, {} no difference, {} too few rounds; {:.3f} times as fast in "
               "the geometric mean",
               comparison.verdict(), comparison.count(Verdict::faster), comparison.count(Verdict::slower),
               comparison.count(Verdict::same), comparison.count(Verdict::too_few_rounds), comparison.mean_speed)
        << std::endl;
}

int bench_compare(const CompareOptions& options) {
    if (!options.json.empty() && options.json != "-") AtomicFile(options.json, options.force);
    const BenchReport a = read_bench_report(options.a), b = read_bench_report(options.b);
    const BenchComparison comparison =
        compare(a, b, {0.01 * options.confidence_percent, 0.01 * options.least_percent, options.best, options.anyway});
    std::ostream& out = options.json == "-" ? std::cerr : std::cout;
    out << "A " << described(a, options.a) << "\nB " << described(b, options.b) << '\n';
    print(out, comparison);
    const std::string text = json_text(comparison.json()) + "\n";
    if (options.json == "-")
        write_text(text, {});
    else if (!options.json.empty())
        write_text_file(options.json, text, options.force);
    return static_cast<int>(comparison.count(Verdict::slower) > 0 ? ExitCode::verify_failed : ExitCode::ok);
}

}  // namespace

Command add_bench_compare(CLI::App& bench) {
    CLI::App* command = add_command(
        bench, "compare", "Whether a benchmark B is faster than A, row by row; ends with 1 if a row is slower",
        "onda bench compare before.json after.json\n"
        "onda bench compare before.json after.json --least 3 --json verdict.json\n"
        "onda bench compare deepwave.json onda.json --best");
    const auto options = std::make_shared<CompareOptions>();
    command->add_option("A", options->a, "What `onda bench … --json` wrote")->required()->type_name("FILE");
    command->add_option("B", options->b, "The same, of what is compared with it")->required()->type_name("FILE");
    command->add_option("--least", options->least_percent, "Per cent below which a difference does not count")
        ->check(CLI::Range(0., 1000.))
        ->capture_default_str();
    command
        ->add_option("--confidence", options->confidence_percent, "Per cent with which intervals hold the true value")
        ->check(CLI::Range(50., 99.9999))
        ->capture_default_str();
    command->add_flag("--best", options->best, "Compare the fastest row of each problem, whatever computes it");
    command->add_flag("--anyway", options->anyway, "Compare different machines and grids, too");
    command->add_option("--json", options->json, "Also write the comparison; - is standard output")->type_name("FILE");
    command->add_flag("--force", options->force, "Overwrite the file if it exists");
    return [options] { return bench_compare(*options); };
}

}  // namespace onda
