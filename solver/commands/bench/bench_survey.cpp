#include "solver/commands/bench/bench_survey.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct SurveyBenchOptions {
    std::string backend = "auto", boundary = "cpml", kernel = "auto", tile = "auto";
    BenchOutput output;
    std::vector<std::string> grids{"1601x401", "128x128x128"};
    std::vector<int> batches{1, 8, 32};
    int order = 8, threads = 0, rounds = 7;
    std::int64_t receivers = 500, steps = 1000;
};

/// "1601x401" or "128x128x128".
Grid grid_of(const std::string& text) {
    std::vector<std::int64_t> n;
    const char *at = text.data(), *const end = text.data() + text.size();
    for (;;) {
        std::int64_t value = 0;
        const auto [next, fault] = std::from_chars(at, end, value);
        if (fault != std::errc() || value < 16 || value > 100'000) break;
        n.push_back(value);
        if (next == end && (n.size() == 2 || n.size() == 3))
            return {static_cast<int>(n.size()), {n[0], n.size() == 3 ? n[1] : 1, n.back()}, {10., 10., 10.}, {}};
        if (next == end || *next != 'x') break;
        at = next + 1;
    }
    throw Error(ExitCode::usage,
                fmt::format("--grid '{}': give nodes along x and z, or x, y and z, 16 to 100,000 each, "
                            "such as 1601x401 or 128x128x128",
                            printable(text)));
}

Setup setup_of(const SurveyBenchOptions& options, const Device& device, const Grid& grid) {
    Setup setup;
    setup.grid = grid;
    setup.scheme = make_scheme(Equation::star, options.order);
    setup.kernel = printable(options.kernel);
    setup.tile = printable(options.tile);
    setup.threads = options.threads;
    put_on_every_face(setup, options.boundary);
    check_setup(device, setup);
    device.resolve(setup);
    return setup;
}

struct SurveyRow {
    Setup setup;
    int shots;
    Match match;

    [[nodiscard]] double shots_per_second(std::int64_t steps) const {
        return shots / (match.seconds_per_step.median() * static_cast<double>(steps));
    }
};

std::string text_of(const SurveyRow& row, const SurveyBenchOptions& options) {
    const Match& match = row.match;
    return fmt::format("{:<15} {:>5} {:<18} {:>10.2f} {:>9.2f} {:>9.2f} … {:<9.2f} {:>9.2f} {:>6.3f}",
                       shape_text(row.setup.grid), row.shots, row.setup.kernel, row.shots_per_second(options.steps),
                       match.gpts.median(), match.gpts.min(), match.gpts.max(), match.rival_gpts.median(),
                       match.ratio.median());
}

Load load_of(int shots, const SurveyBenchOptions& options) {
    return {.shots = shots, .steps = options.steps, .receivers = options.receivers, .source = true};
}

BenchRow report_of(const Device& device, const SurveyRow& row, const SurveyBenchOptions& options) {
    BenchRow result;
    result.problem = problem_json(row.setup, options.boundary, load_of(row.shots, options));
    result.problem["steps"] = options.steps;
    result.kernel = kernel_json(device, row.setup);
    result.rounds = row.match.gpts;
    result.rival = "twin";
    result.rival_rounds = row.match.rival_gpts;
    result.facts = work_json(row.setup);
    result.facts["shots_per_s"] = row.shots_per_second(options.steps);
    return result;
}

SurveyRow measure(const Device& device, const Setup& setup, int shots, const SurveyBenchOptions& options,
                  ConditionsWatch& watch) {
    const Load load = load_of(shots, options);
    const Twin twin_setup = twin_of(device, setup, load);
    const std::vector<double> field = random_field(twin_setup.setup.grid.points());
    Contender twin(device, twin_setup.setup, field, twin_setup.load), contender(device, setup, field, load);
    return {setup, shots, take_turns(contender, twin, options.rounds, [&watch] { watch.look(); })};
}

int bench_survey(const SurveyBenchOptions& options) {
    check_threads(options.threads, "--threads");
    BackendConfig wanted;
    wanted.name = options.backend;
    const Device& device = *choose_device(wanted).device;
    check_writable(options.output);
    BenchReport report = begin_bench_report("survey", &device);
    ConditionsWatch watch(device);
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n'
        << fmt::format("backend {}, order {}, {} on every face, {} receivers, {} time steps per shot, {} rounds\n",
                       device.name, options.order, options.boundary, options.receivers, options.steps, options.rounds)
        << fmt::format("{:<15} {:>5} {:<18} {:>10} {:>9} {:>9} … {:<9} {:>9} {:>6}", "grid", "batch", "kernel",
                       "shots/s", "Gpt/s", "(min", "max)", "twin", "ratio")
        << std::endl;
    std::ostringstream csv;
    csv << "nx,ny,nz,batch,kernel,tile,steps,shots_per_s_median,gpts_median,twin_gpts_median\n";
    for (const std::string& text : options.grids)
        for (const int shots : options.batches) {
            Setup setup;
            try {
                setup = setup_of(options, device, grid_of(text));
            } catch (const std::invalid_argument& fault) {
                throw Error(ExitCode::usage, fault.what());
            }
            if (shots > device.most_shots(setup)) {
                std::cerr << fmt::format("note: {}: kernel {} takes {} at a time, not {}\n", text, setup.kernel,
                                         device.most_shots(setup), shots);
                continue;
            }
            const SurveyRow row = measure(device, setup, shots, options, watch);
            report.rows.push_back(report_of(device, row, options));
            out << text_of(row, options) << std::endl;
            const auto& n = setup.grid.n;
            csv << n[0] << ',' << n[1] << ',' << n[2] << ',' << shots << ',' << setup.kernel << ',' << setup.tile << ','
                << options.steps << ',' << row.shots_per_second(options.steps) << ',' << row.match.gpts.median() << ','
                << row.match.rival_gpts.median() << '\n';
        }
    finish_bench(options.output, report, watch.conditions(), csv.str());
    return 0;
}

}  // namespace

Command add_bench_survey(CLI::App& bench) {
    CLI::App* command =
        add_command(bench, "survey",
                    "Shots per second for a range of grids and batch sizes, compared with the twin of the same batch",
                    "onda bench survey --grid 1601x401 --batch 1 8 32 --steps 3750\n"
                    "onda bench survey --backend cpu --grid 301x201 --batch 1 2 4 --boundary sponge");
    const auto options = std::make_shared<SurveyBenchOptions>();
    command->add_option("--backend", options->backend, "Device")->capture_default_str();
    command->add_option("--grid", options->grids, "Nodes, such as 1601x401 or 128x128x128")->capture_default_str();
    command->add_option("--batch", options->batches, "Shots computed together")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--order", options->order, "Space order")->capture_default_str();
    std::vector<std::string> kinds;
    for (const BoundaryKind& kind : boundary_kinds()) kinds.emplace_back(kind.name);
    command->add_option("--boundary", options->boundary, "Boundary on every face")
        ->check(CLI::IsMember(kinds))
        ->capture_default_str();
    command->add_option("--receivers", options->receivers, "Receivers of each shot")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    command->add_option("--steps", options->steps, "Time steps of each shot")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    command->add_option("--kernel", options->kernel, "Kernel")->capture_default_str();
    command->add_option("--tile", options->tile, "Tile of a CUDA kernel")->capture_default_str();
    command->add_option("--threads", options->threads, "CPU threads (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    add_bench_rounds(*command, options->rounds);
    add_bench_output(*command, options->output);
    return [options] { return bench_survey(*options); };
}

}  // namespace onda
