#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "io/atomic_file.hpp"
#include "io/error.hpp"
#include "kernels/backend.hpp"
#include "kernels/stencil.hpp"
#include "solver/commands/commands.hpp"
#include "solver/random_numbers.hpp"

namespace onda {
namespace {

struct BenchOptions {
    std::vector<std::int64_t> shape{512, 512, 512};
    std::vector<int> orders{2, 4, 8, 12, 16};
    std::vector<std::string> kernels;
    std::string isa = "auto", precision = "float", csv;
    int threads = 0, rounds = 9;
    bool force = false;
};

/// Gpt/s of every round, sorted: half are faster than the middle one.
struct Rates {
    std::vector<double> sorted;
    explicit Rates(std::vector<double> rates) : sorted(std::move(rates)) { std::sort(sorted.begin(), sorted.end()); }
    [[nodiscard]] double median() const { return sorted[sorted.size() / 2]; }
};

BackendSetup bench_setup(const BenchOptions& options, int order, const std::string& kernel) {
    BackendSetup setup;
    setup.grid = {3, {options.shape[0], options.shape[1], options.shape[2]}, {10., 10., 10.}, {}};
    setup.space_order = order;
    setup.weights = second_derivative_weights(order);
    setup.precision = options.precision == "double" ? Precision::float64 : Precision::float32;
    setup.kernel = kernel;
    setup.isa = options.isa;
    setup.threads = options.threads;
    return setup;
}

/// A backend with a random medium (1500 to 3000 m/s) and a random field, warmed by one step. The values matter:
/// constant data draws less power, and a denormal costs more.
std::unique_ptr<Backend> bench_backend(const BackendSetup& setup, std::span<const double> field) {
    std::unique_ptr<Backend> backend = cpu::make_backend(setup);
    const Grid& grid = setup.grid;
    const double limit_s = stability_limit_s(setup.weights, {grid.spacing_m.begin(), grid.spacing_m.end()}, 3000.);
    backend->upload_model(
        [&](std::int64_t y, std::int64_t z, std::span<float> vp) {
            for (std::int64_t x = 0; x < grid.nx(); ++x)
                vp[x] = static_cast<float>(2250. + 1500. * field[grid.at(x, y, z)]);
        },
        0.5 * limit_s);
    backend->reset();
    backend->upload(field, field);
    backend->step();
    backend->swap();
    return backend;
}

double measure_gpts(Backend& backend, std::int64_t points) {
    const auto start = std::chrono::steady_clock::now();
    backend.step();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    backend.swap();
    return 1e-9 * static_cast<double>(points) / elapsed.count();
}

struct Row {
    std::string kernel;
    int order;
    Rates gpts, twin_gpts, ratio;
};

/// Kernel and twin take turns, so that whatever else the machine does meets both.
Row bench_kernel(const BenchOptions& options, int order, const std::string& kernel, Backend& twin,
                 std::span<const double> field) {
    const BackendSetup setup = bench_setup(options, order, kernel);
    const std::unique_ptr<Backend> backend = bench_backend(setup, field);
    std::vector<double> gpts, twin_gpts, ratio;
    for (int round = 0; round < options.rounds; ++round) {
        twin_gpts.push_back(measure_gpts(twin, setup.grid.points()));
        gpts.push_back(measure_gpts(*backend, setup.grid.points()));
        ratio.push_back(gpts.back() / twin_gpts.back());
    }
    return {kernel, order, Rates(gpts), Rates(twin_gpts), Rates(ratio)};
}

void print_row(const Row& row, double bytes_per_point) {
    char line[160];
    std::snprintf(line, sizeof line, "%-19s %5d %8.3f %7.3f … %-7.3f %8.3f %7.2f %8.1f", row.kernel.c_str(), row.order,
                  row.gpts.median(), row.gpts.sorted.front(), row.gpts.sorted.back(), row.twin_gpts.median(),
                  row.ratio.median(), row.gpts.median() * bytes_per_point);
    std::cout << line << std::endl;
}

std::string csv_of(const std::vector<Row>& rows) {
    std::ostringstream text;
    text << "kernel,space_order,gpts_median,gpts_min,gpts_max,twin_gpts_median,ratio_median\n";
    for (const Row& row : rows)
        text << row.kernel << ',' << row.order << ',' << row.gpts.median() << ',' << row.gpts.sorted.front() << ','
             << row.gpts.sorted.back() << ',' << row.twin_gpts.median() << ',' << row.ratio.median() << '\n';
    return text.str();
}

/// Refuses unknown orders, kernels and instruction sets before the first of them is timed.
void check_options(BenchOptions options) {
    options.shape = {1, 1, 1};
    try {
        for (const int order : options.orders)
            for (const std::string& kernel : options.kernels) cpu::make_backend(bench_setup(options, order, kernel));
    } catch (const std::invalid_argument& fault) {
        throw Error(ExitCode::usage, fault.what());
    }
}

int bench_cpu(BenchOptions options) {
    if (options.kernels.empty())
        for (const KernelInfo& kernel : cpu::kernel_names()) options.kernels.emplace_back(kernel.name);
    check_options(options);
    const BackendSetup twin_setup = bench_setup(options, 2, "twin");
    const Grid& grid = twin_setup.grid;
    std::vector<double> field(grid.points());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < grid.points(); ++i)
        field[i] = RandomStream(1, static_cast<std::uint64_t>(i)).uniform(-0.5, 0.5);
    const std::unique_ptr<Backend> twin = bench_backend(twin_setup, field);

    const double bytes_per_point = options.precision == "double" ? 32. : 16.;
    std::cout << grid.nx() << " x " << grid.ny() << " x " << grid.nz() << " nodes, " << twin->description() << ", "
              << options.rounds << " rounds; the twin reads p[n], p[n-1], k and writes p[n+1], without neighbours\n"
              << "kernel              order    Gpt/s    (min … max)        twin   ratio     GB/s" << std::endl;
    std::vector<Row> rows;
    for (const int order : options.orders)
        for (const std::string& kernel : options.kernels) {
            rows.push_back(bench_kernel(options, order, kernel, *twin, field));
            print_row(rows.back(), bytes_per_point);
        }
    if (!options.csv.empty()) write_text_file(options.csv, csv_of(rows), options.force);
    return 0;
}

}  // namespace

Command add_bench(CLI::App& app) {
    CLI::App* bench = add_command(app, "bench", "Measure the kernels against the memory ceiling of this machine",
                                  "  onda bench cpu\n"
                                  "  onda bench cpu --order 8 16 --kernel vectorised inplane-full --csv bench.csv");
    bench->require_subcommand(1);
    CLI::App* cpu = add_command(*bench, "cpu", "Gpt/s of the CPU kernels beside the twin, measured in the same run",
                                "  onda bench cpu --shape 512 512 512\n"
                                "  onda bench cpu --order 8 --kernel vectorised --threads 1 --rounds 21");
    const auto options = std::make_shared<BenchOptions>();
    cpu->add_option("--shape", options->shape, "Nodes along x, y, z")
        ->expected(3)
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    cpu->add_option("--order", options->orders, "Space orders, even, 2 to 16")->capture_default_str();
    cpu->add_option("--kernel", options->kernels, "Kernels (default: all)");
    cpu->add_option("--isa", options->isa, "Instruction set")->capture_default_str();
    cpu->add_option("--precision", options->precision, "float or double")
        ->check(CLI::IsMember({"float", "double"}))
        ->capture_default_str();
    cpu->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, 4096));
    cpu->add_option("--rounds", options->rounds, "Steps of each, of which the median is reported")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    cpu->add_option("--csv", options->csv, "Also write the table to this file")->type_name("FILE");
    cpu->add_flag("--force", options->force, "Overwrite the CSV file if it exists");
    return [options] { return bench_cpu(*options); };
}

}  // namespace onda
