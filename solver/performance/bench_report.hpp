/// \file
/// What a benchmark leaves as JSON (`--json`): everything that is needed to repeat, compare and draw it.
/// docs/performance.md has the layout.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "solver/performance/conditions.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

inline constexpr int kBenchSchemaVersion = 1;

/// One measured thing.
struct BenchRow {
    nlohmann::ordered_json problem = nlohmann::ordered_json::object();  ///< what was computed: shape, order, …
    nlohmann::ordered_json kernel = nlohmann::ordered_json::object();   ///< and by what: kernel, tile, threads, …
    std::string unit = "Gpt/s";
    bool larger_is_better = true;
    Sample rounds;        ///< in `unit`, one at least
    std::string rival;    ///< "twin", "bare"; empty: nothing took turns with it
    Sample rival_rounds;  ///< as many, if there is a rival
    nlohmann::ordered_json facts = nlohmann::ordered_json::object();  ///< bytes and operations a node, registers, …
};

struct BenchReport {
    std::string bench;                                                  ///< "cpu", "gpu", "survey", "check", …
    nlohmann::ordered_json program = nlohmann::ordered_json::object();  ///< name, version, commit, compiler, flags
    std::string command_line, created_utc;
    nlohmann::ordered_json machine = nlohmann::ordered_json::object();     ///< processor and GPU
    nlohmann::ordered_json conditions = nlohmann::ordered_json::object();  ///< Conditions::json()
    std::optional<double> peak_flops;                                      ///< of the arithmetic, for rooflines
    std::string peak_source;                                               ///< how that is known
    std::vector<BenchRow> rows;
};

/// A report without rows and conditions, of this program on this machine. \param device null if the benchmark is of
/// none.
BenchReport begin_bench_report(std::string bench, const Device* device = nullptr, int ordinal = 0);

/// Notes the peak of arithmetic in a report: of a CPU measured, which takes some tenths of a second, of a GPU
/// multiprocessors x lanes x 2 x clock.
void add_peak(BenchReport& report, const Device& device, const Setup& setup, const Conditions& conditions);

/// The problem and the kernel of a resolved set-up, as rows name them.
nlohmann::ordered_json problem_json(const Setup& setup, const std::string& boundary, const Load& load = {});
nlohmann::ordered_json kernel_json(const Device& device, const Setup& setup);
/// Bytes that a step cannot but move for each node, and operations of the equation where they are counted.
nlohmann::ordered_json work_json(const Setup& setup);

/// The traffic that no kernel of one step at a time can avoid: both levels and the arrays of the medium are read, one
/// level is written.
double bytes_per_point(const Setup& setup);

std::string bench_report_text(const BenchReport& report);
/// \throws Error(missing_input | bad_data) naming the file, and what in it is wrong.
BenchReport read_bench_report(const std::filesystem::path& file);

/// "vectorised, x86-64-v4, 2 threads": the values of a problem or kernel in one line.
std::string values_text(const nlohmann::ordered_json& object);

}  // namespace onda
