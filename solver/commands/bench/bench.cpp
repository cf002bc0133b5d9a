#include <algorithm>
#include <memory>
#include <stdexcept>

#include "io/pictures/drawing.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench/bench_calibrate.hpp"
#include "solver/commands/bench/bench_cg.hpp"
#include "solver/commands/bench/bench_compare.hpp"
#include "solver/commands/bench/bench_correlate.hpp"
#include "solver/commands/bench/bench_encode.hpp"
#include "solver/commands/bench/bench_ep.hpp"
#include "solver/commands/bench/bench_imaging.hpp"
#include "solver/commands/bench/bench_roofline.hpp"
#include "solver/commands/bench/bench_scale.hpp"
#include "solver/commands/bench/bench_survey.hpp"
#include "solver/commands/bench/bench_table.hpp"
#include "solver/commands/bench/bench_thesis.hpp"
#include "solver/commands/commands.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct BenchOptions {
    std::vector<std::int64_t> shape;
    std::vector<int> orders;
    std::vector<std::string> kernels;
    std::string precision = "float", stepping = "single", storage = "float", roofline;
    BenchOutput output;
    std::string equation = "star";
    std::vector<double> coefficients;
    std::string isa = "auto", tile = "auto", copy = "auto";
    std::string boundary;  ///< empty: bare kernels
    int threads = 0, rounds = 0, time_order = 2;
    bool all_tiles = false;
};

/// \throws std::invalid_argument for weights that are no Laplacian, and weights or an order that the operator does not
/// have.
Scheme bench_scheme(const BenchOptions& options, int order) {
    const auto row = std::ranges::find(equations(), options.equation, [](const Equation& each) { return each->name; });
    if (!options.coefficients.empty() && *row != Equation::compact)
        throw std::invalid_argument("--coefficients A B C D are those of --operator compact27");
    const Scheme scheme = make_scheme(*row, order);
    if (options.coefficients.empty()) return scheme;
    const auto& w = options.coefficients;
    return make_compact_scheme({w[0], w[1], w[2], w[3]});
}

Setup bench_setup(const BenchOptions& options, const Scheme& scheme, const std::string& kernel) {
    Setup setup;
    const auto& shape = options.shape;
    setup.grid = {static_cast<int>(shape.size()),
                  {shape[0], shape.size() == 3 ? shape[1] : 1, shape.back()},
                  {10., 10., 10.},
                  {}};
    setup.scheme = scheme;
    setup.precision = options.precision == "double" ? Precision::float64 : Precision::float32;
    setup.scheme.time_order = options.time_order;
    setup.stepping = options.stepping == "leap" ? Stepping::leap : Stepping::single;
    // The messages of kernels/ quote these as they are.
    setup.kernel = printable(kernel);
    setup.isa = printable(options.isa);
    setup.threads = options.threads;
    return setup;
}

/// The case with a boundary on every face, beside what it was without.
BenchCase with_boundary(const BenchOptions& options, BenchCase timed) {
    if (options.boundary.empty()) return timed;
    timed.bare = timed.setup;
    put_on_every_face(timed.setup, options.boundary);
    return timed;
}

/// \throws std::invalid_argument where the operator or the precision has no codes.
void store_as(const BenchOptions& options, Setup& setup) {
    for (const Storage storage : {Storage::codes, Storage::table})
        if (options.storage == name(storage)) store_medium(setup, storage);
    check_problem(setup);
}

/// Orders asked for, or those that the operator has.
std::vector<int> orders_of(const BenchOptions& options) {
    if (!options.orders.empty()) return options.orders;
    if (options.equation == name(Equation::compact)) return {2};
    return {2, 4, 8, 12, 16};
}

/// What `add_cases` makes of every order and kernel. Refuses what there is not before anything is timed.
template <typename AddCases>
BenchPlan plan_bench(const BenchOptions& options, const Device& device, AddCases&& add_cases) {
    BenchPlan plan;
    plan.device = &device;
    plan.rounds = options.rounds;
    plan.boundary = options.boundary;
    plan.roofline = options.roofline;
    if (!options.boundary.empty()) plan.rival = "bare";
    std::vector<std::string> kernels = options.kernels;
    if (kernels.empty())
        for (const KernelInfo& kernel : device.kernel_names())
            if (!kernel.name.starts_with("thesis-")) kernels.emplace_back(kernel.name);
    try {
        const auto row =
            std::ranges::find(equations(), options.equation, [](const Equation& each) { return each->name; });
        plan.twin = twin_of(device, bench_setup(options, make_scheme(*row, 2), "twin")).setup;
        for (const int order : orders_of(options)) {
            const Scheme scheme = bench_scheme(options, order);
            for (const std::string& kernel : kernels) {
                Setup setup = bench_setup(options, scheme, kernel);
                store_as(options, setup);
                add_cases(plan, std::move(setup));
            }
        }
    } catch (const std::invalid_argument& fault) {
        throw Error(ExitCode::usage, fault.what());
    }
    return plan;
}

int finish(const BenchOptions& options, const BenchPlan& plan) {
    check_threads(options.threads, "--threads");
    if (!options.roofline.empty()) {
        check_extension(options.roofline, "--roofline", "pictures", picture_extensions());
        if (!options.boundary.empty())
            throw Error(ExitCode::usage,
                        "--roofline draws bare kernels, since the operations of boundaries are not counted: "
                        "leave out --boundary");
        if (options.storage != "float")
            throw Error(ExitCode::usage,
                        "--roofline draws one roof, that of the twin, which moves k as float: leave out "
                        "--storage");
    }
    run_bench(plan, options.output);
    return 0;
}

int bench_cpu(const BenchOptions& options) {
    const Device& device = usable_device("cpu");
    const BenchPlan plan = plan_bench(options, device, [&](BenchPlan& unfinished, Setup setup) {
        // A kernel that was not asked for by name and does not have the operator is left out.
        const auto names = cpu::kernels_of(setup.scheme.equation, setup.applications(), setup.medium.storage);
        if (options.kernels.empty() && !std::ranges::count(names, setup.kernel)) return;
        check_setup(device, setup);
        device.resolve(setup);
        unfinished.cases.push_back(with_boundary(options, {std::move(setup), {}, {}, {}}));
    });
    if (plan.cases.empty())
        throw Error(ExitCode::usage, "no CPU kernel computes operator " + printable(options.equation) +
                                         " with --stepping " + printable(options.stepping) + " and --storage " +
                                         printable(options.storage));
    return finish(options, plan);
}

BenchCase gpu_case(const Setup& setup) {
    const cuda::Resources used = cuda::resources(setup);
    return {setup,
            {},
            {setup.tile, setup.copy.empty() ? "-" : setup.copy},
            {std::to_string(used.threads), std::to_string(used.registers), std::to_string(used.shared_bytes),
             std::to_string(used.spilled_bytes), std::to_string(used.blocks_per_multiprocessor)}};
}

/// The variants of a kernel that --tile and --copy leave: the first is what a run would take. A kernel that was not
/// asked for by name and has no such variant is left out.
void add_gpu_cases(const BenchOptions& options, const Device& device, BenchPlan& plan, Setup setup) {
    setup.tile = printable(options.tile);
    setup.copy = printable(options.copy);
    const Setup asked = setup;
    std::size_t found = 0;
    for (const cuda::Variant& variant : cuda::variants(asked)) {
        if (!leaves(asked, variant)) continue;
        if (found++ > 0 && !options.all_tiles) return;
        setup.tile = variant.tile;
        setup.copy = variant.copy;
        plan.cases.push_back(with_boundary(options, gpu_case(setup)));
    }
    if (found == 0 && !options.kernels.empty()) check_setup(device, asked);
}

int bench_gpu(const BenchOptions& options) {
    const Device& device = usable_device("cuda");
    BenchPlan plan = plan_bench(options, device, [&](BenchPlan& unfinished, const Setup& setup) {
        add_gpu_cases(options, device, unfinished, setup);
    });
    if (plan.cases.empty())
        throw Error(ExitCode::usage, "no CUDA kernel has tile " + printable(options.tile) + " with copy " +
                                         printable(options.copy) + "\n  --all-tiles times every one there is");
    plan.label_columns = {{"tile", "tile", 9}, {"copy", "copy", 6}};
    plan.remark_columns = {{"threads", "threads", 7},
                           {"registers", "registers", 9},
                           {"shared B", "shared_bytes", 9},
                           {"spilled B", "spilled_bytes", 9},
                           {"blocks/SM", "blocks_per_multiprocessor", 9}};
    return finish(options, plan);
}

void add_common_options(CLI::App& command, BenchOptions& options) {
    command.add_option("--shape", options.shape, "Nodes along x, y, z, or in 2-D along x, z")
        ->expected(2, 3)
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    std::vector<std::string> operators;
    for (const Equation& row : equations()) operators.emplace_back(row->name);
    command.add_option("--operator", options.equation, "Discrete operator")
        ->check(CLI::IsMember(operators))
        ->capture_default_str();
    command
        .add_option("--coefficients", options.coefficients,
                    "Coefficients of compact27: centre, faces, edges, corners (default: isotropic)")
        ->type_name("A B C D")
        ->expected(4);
    command.add_option("--order", options.orders, "Space orders, even, 2 to 16 (default: 2 4 8 12 16; compact27: 2)");
    command.add_option("--precision", options.precision, "float or double")
        ->check(CLI::IsMember({"float", "double"}))
        ->capture_default_str();
    command
        .add_option("--stepping", options.stepping,
                    "Time single steps, or leaps, each of which counts as two steps; the twin steps singly")
        ->check(CLI::IsMember({"single", "leap"}))
        ->capture_default_str();
    command.add_option("--time-order", options.time_order, "Order in time; the twin has order 2")
        ->check(CLI::IsMember({2, 4}))
        ->capture_default_str();
    command
        .add_option("--storage", options.storage,
                    "How the model is stored: as float, in 16 bits, or as indices of a table; the twin moves floats")
        ->check(CLI::IsMember({"float", "16bit", "table"}))
        ->capture_default_str();
    std::vector<std::string> kinds;
    for (const BoundaryKind& kind : boundary_kinds()) kinds.emplace_back(kind.name);
    command
        .add_option(
            "--boundary", options.boundary,
            "Time whole time steps with this boundary on every face, compared with the bare kernel instead of the twin")
        ->check(CLI::IsMember(kinds));
    command.add_option("--rounds", options.rounds, "Rounds of each, 10 ms or more; the median is reported")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command
        .add_option("--roofline", options.roofline,
                    "Also draw the kernels beneath the roofs of memory and arithmetic: PNG, or PDF or SVG if FILE ends "
                    "with .pdf or .svg")
        ->type_name("FILE");
    add_bench_output(command, options.output);
}

std::shared_ptr<BenchOptions> options_of(std::vector<std::int64_t> shape, int rounds) {
    auto options = std::make_shared<BenchOptions>();
    options->shape = std::move(shape);
    options->rounds = rounds;
    return options;
}

Command add_bench_cpu(CLI::App& bench) {
    CLI::App* command = add_command(bench, "cpu",
                                    "Gpt/s (10^9 grid-point updates per second) of the CPU kernels and of the twin, "
                                    "which moves the same data without computing",
                                    "onda bench cpu --shape 512 512 512\n"
                                    "onda bench cpu --operator compact27\n"
                                    "onda bench cpu --order 8 --stepping leap\n"
                                    "onda bench cpu --order 8 --kernel vectorised --threads 1 --rounds 21");
    const auto options = options_of({512, 512, 512}, 9);
    add_common_options(*command, *options);
    command->add_option("--kernel", options->kernels, "Kernels (default: all)");
    command->add_option("--isa", options->isa, "Instruction set")->capture_default_str();
    command->add_option("--threads", options->threads, "Threads (default: all)")->check(CLI::Range(1, kMostThreads));
    return [options] { return bench_cpu(*options); };
}

Command add_bench_gpu(CLI::App& bench) {
    CLI::App* command = add_command(bench, "gpu",
                                    "Gpt/s (10^9 grid-point updates per second) of the CUDA kernels and of the twin, "
                                    "which moves the same data without computing",
                                    "onda bench gpu --shape 1024 1024 768\n"
                                    "onda bench gpu --order 2 --shape 16384 16384\n"
                                    "onda bench gpu --operator compact27 --all-tiles\n"
                                    "onda bench gpu --stepping leap\n"
                                    "onda bench gpu --order 8 --storage 16bit\n"
                                    "onda bench gpu --order 8 --kernel inplane-full --all-tiles --csv tiles.csv");
    const auto options = options_of({1024, 1024, 768}, 21);
    add_common_options(*command, *options);
    command->add_option("--kernel", options->kernels, "Kernels (default: all but the thesis-…)");
    command->add_option("--tile", options->tile, "Tile, such as 256x16r4")->capture_default_str();
    command->add_option("--copy", options->copy, "How rectangles are fetched: tma or async")->capture_default_str();
    command->add_flag("--all-tiles", options->all_tiles,
                      "Time every compiled tile and copy engine, not only the fastest known");
    return [options] { return bench_gpu(*options); };
}

}  // namespace

Command add_bench(CLI::App& app) {
    CLI::App* bench =
        add_command(app, "bench", "Benchmark the kernels against the memory-bandwidth ceiling of this machine",
                    "onda bench cpu --order 8 16 --kernel vectorised inplane-full --csv bench.csv\n"
                    "onda bench gpu --json before.json --roofline roofline.png\n"
                    "onda bench compare before.json after.json");
    return add_commands(*bench, {add_bench_cpu, add_bench_gpu, add_bench_survey, add_bench_imaging, add_bench_scale,
                                 add_bench_compare, add_bench_roofline, add_bench_thesis, add_bench_calibrate,
                                 add_bench_encode, add_bench_cg, add_bench_ep, add_bench_correlate});
}

}  // namespace onda
