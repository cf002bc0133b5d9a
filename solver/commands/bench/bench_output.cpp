#include "solver/commands/bench/bench_output.hpp"

#include <iostream>
#include <spdlog/fmt/fmt.h>

#include "io/files/atomic_file.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/program/build.hpp"

namespace onda {

std::ostream& BenchOutput::table() const {
    return json == "-" ? std::cerr : std::cout;
}

void add_bench_output(CLI::App& command, BenchOutput& output) {
    command.add_option("--csv", output.csv, "Also write the table to this file")->type_name("FILE");
    command
        .add_option("--json", output.json,
                    "Also write every round, the machine and its clocks, for `onda bench compare` and `onda bench "
                    "roofline`; - is standard output, and the table goes to standard error")
        ->type_name("FILE");
    command.add_flag("--force", output.force, "Overwrite files that exist");
}

void add_bench_rounds(CLI::App& command, int& rounds) {
    command.add_option("--rounds", rounds, "Rounds of each; the median is reported")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
}

void add_bench_backend(CLI::App& command, std::string& backend) {
    command.add_option("--backend", backend, "Device")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
}

void check_writable(const std::string& file, bool force) {
    if (!file.empty() && file != "-") AtomicFile(file, force);  // gone again at once
}

void check_writable(const BenchOutput& output) {
    check_writable(output.csv, output.force);
    check_writable(output.json, output.force);
}

std::string circumstances(const BenchReport& report) {
    const auto& machine = report.machine;
    std::string text = version_line() + " on ";
    if (machine.contains("gpu"))
        text += fmt::format("{}, driver {}", machine["gpu"]["name"].get<std::string>(),
                            machine["gpu"]["driver"].get<std::string>());
    else
        text += fmt::format("{}, {} processors", machine["cpu"].get<std::string>(), machine["processors"].get<int>());
    return printable(text);
}

void finish_bench(const BenchOutput& output, BenchReport& report, const Conditions& conditions,
                  const std::string& csv) {
    output.table() << "conditions: " << conditions.text() << std::endl;
    for (const std::string& warning : conditions.warnings()) std::cerr << "warning: " << warning << '\n';
    report.conditions = conditions.json();
    if (!output.csv.empty()) write_text_file(output.csv, csv, output.force);
    if (output.json == "-")
        write_text(bench_report_text(report), {});
    else if (!output.json.empty())
        write_text_file(output.json, bench_report_text(report), output.force);
}

}  // namespace onda
