#include "solver/commands/bench/bench_cg.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/companions/nas_cg.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct CgBenchOptions {
    std::string backend = "auto";
    std::vector<std::string> classes, products;
    BenchOutput output;
    int threads = 0, rounds = 5;
};

/// A way to compute the products, and whoever does.
struct CgContender {
    std::string name, help;
    std::function<std::unique_ptr<NasSolver>(const NasClass&, const SparseMatrix&)> make;
};

template <typename Product>
CgContender own_contender(const Product& product) {
    return {std::string(product.name), std::string(product.help),
            [product](const NasClass& of, const SparseMatrix& matrix) { return make_nas_solver(of, matrix, product); }};
}

std::vector<CgContender> contenders_on(const Device& device) {
    std::vector<CgContender> result;
    if (device.has_own_memory()) {
        for (const cuda::SparseProduct& product : cuda::kSparseProducts) result.push_back(own_contender(product));
        if (cuda::cusparse_problem().empty())
            for (const cuda::LibraryProduct& product : cuda::kLibraryProducts) result.push_back(own_contender(product));
        return result;
    }
    for (const cpu::SparseProduct& product : cpu::sparse_products()) result.push_back(own_contender(product));
    if (!eigen_name().empty())
        result.push_back({"eigen", eigen_name() + ", its matrix, vectors and conjugate gradients", make_eigen_solver});
    return result;
}

/// The contenders that --matrix names; all without it. \throws Error(usage).
std::vector<CgContender> chosen_contenders(const CgBenchOptions& options, const Device& device) {
    const std::vector<CgContender> all = contenders_on(device);
    if (options.products.empty()) return all;
    std::vector<std::string> names;
    for (const CgContender& each : all) names.push_back(each.name);
    std::vector<CgContender> chosen;
    for (const std::string& wanted : options.products) {
        const auto found = std::ranges::find(all, wanted, &CgContender::name);
        if (found == all.end()) {
            const auto near = nearest_name(wanted, names);
            throw Error(ExitCode::usage,
                        fmt::format("--matrix '{}': on backend {} there are {}{}", printable(wanted), device.name,
                                    fmt::join(names, ", "), near ? fmt::format("; did you mean {}?", *near) : ""));
        }
        chosen.push_back(*found);
    }
    return chosen;
}

std::vector<const NasClass*> cg_classes(const CgBenchOptions& options, const Device& device) {
    std::vector<std::string> names = options.classes;
    if (names.empty())
        names = device.has_own_memory() ? std::vector<std::string>{"B", "C"} : std::vector<std::string>{"S", "W", "A"};
    std::vector<const NasClass*> result;
    for (const std::string& name : names) result.push_back(&nas_class(name));
    return result;
}

struct CgRow {
    const NasClass* of;
    std::int64_t elements, stored;  ///< of the matrix, and with those that pad rows
    std::string name;
    Sample seconds, product_s;
    double zeta, error;  ///< error: the largest of all rounds

    [[nodiscard]] bool is_verified() const { return error <= kNasTolerance; }
    [[nodiscard]] double mops() const { return 1e-6 * of->operations() / seconds.median(); }
    /// What a product cannot but move: values and columns of the elements, beginnings of rows, x and y, each once.
    [[nodiscard]] double gb_s() const {
        return 1e-9 * (12. * static_cast<double>(elements) + 20. * static_cast<double>(of->rows)) / product_s.median();
    }
};

double seconds_from(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// One contender with what its rounds have given.
struct CgRounds {
    CgRounds(const CgContender& contender, const NasClass& of, const SparseMatrix& matrix)
        : name(contender.name), solver(contender.make(of, matrix)) {
        solver->zeta(1);  // untimed, as NPB has it
        products = steps_of_round(1, 0.01, [this](std::int64_t count) { return product_round_s(count); });
    }

    double product_round_s(std::int64_t count) const {
        const auto start = std::chrono::steady_clock::now();
        solver->multiply(static_cast<int>(count));
        return seconds_from(start);
    }
    void take_round(const NasClass& of) {
        const auto start = std::chrono::steady_clock::now();
        zeta = solver->zeta(of.steps);
        seconds.push_back(seconds_from(start));
        const double off = of.error_of(zeta);
        if (!std::isnan(error) && !(off <= error)) error = off;
        product_s.push_back(product_round_s(products) / static_cast<double>(products));
    }

    std::string name;
    std::unique_ptr<NasSolver> solver;
    std::int64_t products = 1;
    std::vector<double> seconds, product_s;
    double zeta = 0., error = 0.;
};

/// All contenders in turns, so that whatever else the machine does meets all of them.
std::vector<CgRow> measure_cg_class(const NasClass& of, const std::vector<CgContender>& contenders, int rounds,
                                    ConditionsWatch& watch) {
    const SparseMatrix matrix = make_nas_matrix(of);
    std::vector<CgRounds> all;
    all.reserve(contenders.size());
    for (const CgContender& contender : contenders) all.emplace_back(contender, of, matrix);
    for (int round = 0; round < rounds; ++round)
        for (CgRounds& each : all) {
            each.take_round(of);
            watch.look();
        }
    std::vector<CgRow> rows;
    for (const CgRounds& each : all)
        rows.push_back({&of, matrix.elements(), each.solver->elements(), each.name, Sample(each.seconds),
                        Sample(each.product_s), each.zeta, each.error});
    return rows;
}

std::string text_of(const CgRow& row) {
    return fmt::format(
        "{:<5} {:>7} {:>9} {:>9} {:<13} {:>9.4f} ({:.4f} … {:.4f}) {:>9.0f} {:>8.2f} {:>18.13f} {:>8.1e} {}",
        row.of->name, row.of->rows, row.elements, row.stored, row.name, row.seconds.median(), row.seconds.min(),
        row.seconds.max(), row.mops(), row.gb_s(), row.zeta, row.error, row.is_verified() ? "yes" : "NO");
}

BenchRow report_of(const Device& device, const CgRow& row, int threads) {
    BenchRow result;
    result.problem["work"] = "NAS CG";
    result.problem["class"] = row.of->name;
    result.problem["rows"] = row.of->rows;
    result.problem["elements"] = row.elements;
    result.kernel["device"] = device.name;
    result.kernel["kernel"] = row.name;
    if (!device.has_own_memory()) result.kernel["threads"] = threads;
    result.unit = "s";
    result.larger_is_better = false;
    result.rounds = row.seconds;
    result.facts["stored_elements"] = row.stored;
    result.facts["mop_s"] = row.mops();
    result.facts["product_s"] = row.product_s.rounds();
    result.facts["product_gb_s"] = row.gb_s();
    result.facts["zeta"] = row.zeta;
    result.facts["relative_error"] = row.error;
    result.facts["verified"] = row.is_verified();
    return result;
}

std::string csv_of(const Device& device, const CgRow& row) {
    return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.of->name, row.of->rows, row.elements,
                       row.stored, device.name, row.name, row.seconds.median(), row.seconds.min(), row.seconds.max(),
                       row.mops(), row.gb_s(), row.zeta, row.error, row.is_verified() ? 1 : 0);
}

void print_cg_heading(std::ostream& out, const BenchReport& report, const CgBenchOptions& options, const Device& device,
                      const std::vector<CgContender>& contenders) {
    out << circumstances(report) << '\n'
        << fmt::format(
               "backend {}, {} rounds; seconds of all steps of inverse iteration, Mop/s as NPB counts them; GB/s of "
               "products alone; zeta within {:.0e} of the published one is verified\n",
               device.name, options.rounds, kNasTolerance);
    for (const CgContender& each : contenders) out << fmt::format("{:<13} {}\n", each.name, each.help);
    if (device.has_own_memory() && !cuda::cusparse_problem().empty())
        out << "note: nothing of cuSPARSE is timed: " << printable(cuda::cusparse_problem()) << '\n';
    if (!device.has_own_memory() && eigen_name().empty())
        out << "note: nothing of Eigen is timed: this program was built without it\n";
    out << fmt::format("{:<5} {:>7} {:>9} {:>9} {:<13} {:>9} {:<19} {:>9} {:>8} {:>18} {:>8} {}", "class", "rows",
                       "nonzeros", "stored", "matrix", "seconds", "(min … max)", "Mop/s", "GB/s", "zeta", "error",
                       "verified")
        << std::endl;
}

int bench_cg(const CgBenchOptions& options) {
    check_threads(options.threads, "--threads");
    if (options.threads > 0) omp_set_num_threads(options.threads);
    BackendConfig wanted;
    wanted.name = options.backend;
    const Device& device = *choose_device(wanted).device;
    const std::vector<const NasClass*> classes = cg_classes(options, device);
    const std::vector<CgContender> contenders = chosen_contenders(options, device);
    check_writable(options.output);
    BenchReport report = begin_bench_report("cg", &device);
    ConditionsWatch watch(device);
    std::ostream& out = options.output.table();
    print_cg_heading(out, report, options, device, contenders);
    std::ostringstream csv;
    csv << "class,rows,nonzeros,stored,device,matrix,seconds_median,seconds_min,seconds_max,mop_s,product_gb_s,zeta,"
           "relative_error,verified\n";
    std::string missed;
    for (const NasClass* const of : classes)
        for (const CgRow& row : measure_cg_class(*of, contenders, options.rounds, watch)) {
            report.rows.push_back(report_of(device, row, omp_get_max_threads()));
            out << text_of(row) << std::endl;
            csv << csv_of(device, row);
            if (!row.is_verified())
                missed += fmt::format("{}class {} by {}", missed.empty() ? "" : ", ", of->name, row.name);
        }
    finish_bench(options.output, report, watch.conditions(), csv.str());
    if (!missed.empty())
        throw Error(ExitCode::verify_failed,
                    fmt::format("zeta is not within {:.0e} of the published one: {}", kNasTolerance, missed));
    return 0;
}

}  // namespace

Command add_bench_cg(CLI::App& bench) {
    CLI::App* command = add_command(
        bench, "cg",
        "The benchmark CG of the NAS Parallel Benchmarks, with the conjugate gradients of lsrtm; fails unless zeta is "
        "the published one to 1e-10",
        "onda bench cg --backend cpu --class S W A\n"
        "onda bench cg --backend cuda --class B C --json cg.json\n"
        "onda bench cg --backend cpu --class A --matrix padded eigen --threads 1 --rounds 11");
    const auto options = std::make_shared<CgBenchOptions>();
    add_bench_backend(*command, options->backend);
    std::vector<std::string> classes;
    for (const NasClass& each : nas_classes()) classes.emplace_back(each.name);
    command->add_option("--class", options->classes, "Classes (default: S W A on the CPU, B C on a GPU)")
        ->check(CLI::IsMember(classes));
    command->add_option("--matrix", options->products,
                        "How products with the matrix are computed (default: all ways of the device, and the libraries "
                        "that are there)");
    command->add_option("--threads", options->threads, "CPU threads (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    add_bench_rounds(*command, options->rounds);
    add_bench_output(*command, options->output);
    return [options] { return bench_cg(*options); };
}

}  // namespace onda
