/// \file
/// What all benchmarks share: where their tables and reports go, and the circumstances that stand beside them.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

#include "solver/performance/bench_report.hpp"

namespace onda {

/// The options --csv, --json and --force.
struct BenchOutput {
    std::string csv, json;
    bool force = false;

    /// Where the table is printed: standard output, unless the JSON goes there.
    [[nodiscard]] std::ostream& table() const;
};
void add_bench_output(CLI::App& command, BenchOutput& output);
/// The option --rounds, from 1 on.
void add_bench_rounds(CLI::App& command, int& rounds);
/// The option --backend: auto, cpu or cuda.
void add_bench_backend(CLI::App& command, std::string& backend);

/// Finds out whether a file can be written before anything is measured. An empty name and "-" can.
/// \throws Error(cannot_create).
void check_writable(const std::string& file, bool force);
void check_writable(const BenchOutput& output);

/// One line that says where something is measured: version, processor or GPU.
std::string circumstances(const BenchReport& report);

/// Prints how the machine did meanwhile, warns where that makes the numbers doubtful, and writes the files that were
/// asked for. \param csv the table, with its heading.
void finish_bench(const BenchOutput& output, BenchReport& report, const Conditions& conditions, const std::string& csv);

}  // namespace onda
