#include "solver/commands/bench/bench_encode.hpp"

#include <chrono>
#include <iostream>
#include <omp.h>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "kernels/companions/packed_variants.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/companions/encode_bench.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct EncodeBenchOptions {
    std::string backend = "auto";
    std::vector<std::int64_t> sizes;
    std::vector<std::string> variants;
    bool vector = false;
    int threads = 0, rounds = 5;
    BenchOutput output;
};

std::vector<std::int64_t> encode_sizes(const EncodeBenchOptions& options, bool on_gpu) {
    if (!options.sizes.empty()) return options.sizes;
    // One core takes a minute and more for the slowest way and 4096.
    return on_gpu || options.vector ? std::vector<std::int64_t>{512, 1024, 2048, 4096}
                                    : std::vector<std::int64_t>{512, 1024, 2048};
}

double gop_s(const EncodeProblem& problem, double ms) {
    return 1e-6 * problem.operations() / ms;
}

std::string encode_heading() {
    return fmt::format("{:<26} {:>5} {:>5} {:>10} {:>10} {:>11} {:<25} {:>9} {:>9}  {}\n", "variant", "size", "width",
                       "start ms", "moved ms", "ms", "(min … max)", "Gop/s", "of bound", "what");
}

std::string text_of(const EncodeRow& row, const EncodeProblem& problem) {
    const Sample ms(row.times.execution_ms);
    return fmt::format("{:<26} {:>5} {:>5} {:>10.3f} {:>10.3f} {:>11.4f} {:<25} {:>9.1f} {:>9.4f}  {}{}\n",
                       row.way.name, problem.size(), problem.width(), row.times.start_up_ms, row.times.transfer_ms,
                       row.median_ms, fmt::format("({:.4f} … {:.4f})", ms.min(), ms.max()),
                       gop_s(problem, row.median_ms), row.error, row.way.what,
                       row.holds() ? "" : "  OUTSIDE ITS BOUND");
}

constexpr const char* kEncodeCsvHeading =
    "backend,variant,size,width,start_up_ms,transfer_ms,ms_median,ms_min,ms_max,gop_s,error_of_bound,holds\n";

std::string csv_of(const Device& device, const EncodeRow& row, const EncodeProblem& problem) {
    const Sample ms(row.times.execution_ms);
    return fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{}\n", device.name, row.way.name,
                       problem.size(), problem.width(), row.times.start_up_ms, row.times.transfer_ms, row.median_ms,
                       ms.min(), ms.max(), gop_s(problem, row.median_ms), row.error, row.holds() ? 1 : 0);
}

BenchRow report_of(const Device& device, const EncodeRow& row, const EncodeProblem& problem) {
    BenchRow result;
    result.problem = {
        {"work", "encode"}, {"rows", problem.size()}, {"columns", problem.size()}, {"width", problem.width()}};
    result.kernel = {{"backend", device.name}, {"kernel", row.way.name}};
    if (!device.has_own_memory()) {
        result.kernel["isa"] = packed_variants_isa();
        result.kernel["threads"] = omp_get_max_threads();
    }
    result.unit = "ms";
    result.larger_is_better = false;
    result.rounds = Sample(row.times.execution_ms);
    result.facts = {{"start_up_ms", row.times.start_up_ms},
                    {"transfer_ms", row.times.transfer_ms},
                    {"gop_s", gop_s(problem, row.median_ms)},
                    {"bytes", problem.bytes(row.way.packed)},
                    {"additions", row.way.additions},
                    {"error_of_bound", row.error},
                    {"holds", row.holds()}};
    if (const auto resources = row.way.resources()) {
        result.facts["registers"] = resources->registers;
        result.facts["spilled_bytes"] = resources->spilled_bytes;
        result.facts["shared_bytes"] = resources->shared_bytes;
        result.facts["blocks_per_multiprocessor"] = resources->blocks_per_multiprocessor;
    }
    return result;
}

/// All ways with codes of one size. \returns those that are outside their bounds, as a text.
std::string bench_encode_size(const EncodeBenchOptions& options, const Device& device,
                              const std::vector<EncodeWay>& ways, std::int64_t size, BenchReport& report,
                              ConditionsWatch& watch, std::string& csv) {
    std::ostream& out = options.output.table();
    const EncodeProblem problem(size, options.vector ? 1 : size);
    std::vector<EncodeRow> rows;
    std::string outside;
    for (const EncodeWay& way : ways) {
        rows.push_back(measure_encode(way, problem, options.rounds));
        watch.look();
        const EncodeRow& row = rows.back();
        out << text_of(row, problem) << std::flush;
        csv += csv_of(device, row, problem);
        report.rows.push_back(report_of(device, row, problem));
        if (!row.holds()) outside += fmt::format("{}{} of {}", outside.empty() ? "" : ", ", way.name, size);
    }
    for (const std::string& line : encode_verdict(rows, problem))
        out << fmt::format("{} x {} x {}: {}\n", size, size, problem.width(), line);
    out << std::flush;
    return outside;
}

void print_encode_heading(const EncodeBenchOptions& options, const BenchReport& report, const Device& device,
                          double device_ms) {
    const bool on_gpu = device.has_own_memory();
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n'
        << fmt::format(
               "backend {}{}; codes of +1 and -1 times floats, ms of a product, median of {} rounds; start: {}\n",
               device.name,
               on_gpu ? fmt::format(", started in {:.0f} ms", device_ms)
                      : fmt::format(", {}, {} threads", packed_variants_isa(), omp_get_max_threads()),
               options.rounds,
               on_gpu ? "memory on the GPU and a first launch; moved: to the GPU and back"
                      : "what the first product takes longer");
    if (const std::string missing = missing_library(on_gpu); !missing.empty()) out << missing << '\n';
    out << encode_heading() << std::flush;
}

int bench_encode(const EncodeBenchOptions& options) {
    check_threads(options.threads, "--threads");
    if (options.threads > 0) omp_set_num_threads(options.threads);
    BackendConfig wanted;
    wanted.name = options.backend;
    const auto start = std::chrono::steady_clock::now();
    const Device& device = *choose_device(wanted).device;
    const double device_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    const bool on_gpu = device.has_own_memory();
    const std::vector<EncodeWay> ways = chosen_ways(encode_ways(on_gpu), options.variants, options.vector ? 1 : 2);
    check_writable(options.output);
    BenchReport report = begin_bench_report("encode", &device);
    ConditionsWatch watch(device);
    print_encode_heading(options, report, device, device_ms);
    std::string csv = kEncodeCsvHeading, outside;
    for (const std::int64_t size : encode_sizes(options, on_gpu)) {
        const std::string of_size = bench_encode_size(options, device, ways, size, report, watch, csv);
        if (!of_size.empty()) outside += (outside.empty() ? "" : ", ") + of_size;
    }
    finish_bench(options.output, report, watch.conditions(), csv);
    if (!outside.empty()) throw Error(ExitCode::verify_failed, "products are outside their error bounds: " + outside);
    return 0;
}

}  // namespace

Command add_bench_encode(CLI::App& bench) {
    CLI::App* command = add_command(
        bench, "encode",
        "Blends shots with packed codes of +1 and -1 in every way, beside BLAS; it ends with 1 if a product is outside "
        "its error bound",
        "onda bench encode --backend cpu --size 512 1024\n"
        "onda bench encode --backend cuda --size 512 1024 2048 4096 --json encode.json\n"
        "onda bench encode --backend cpu --vector --variant vector xor blas --rounds 21");
    const auto options = std::make_shared<EncodeBenchOptions>();
    add_bench_backend(*command, options->backend);
    command
        ->add_option("--size", options->sizes,
                     "Rows and columns of the codes, and columns of the values (default: 512 1024 2048, on GPUs and "
                     "with --vector 4096 too)")
        ->check(CLI::Range(1, 16'384));
    command->add_option("--variant", options->variants,
                        "Ways to multiply, by name (default: all of the device, and BLAS where it is found)");
    command->add_flag("--vector", options->vector, "A vector in place of the values: the amplitudes of a time step");
    command->add_option("--threads", options->threads, "CPU threads (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    add_bench_rounds(*command, options->rounds);
    add_bench_output(*command, options->output);
    return [options] { return bench_encode(*options); };
}

}  // namespace onda
