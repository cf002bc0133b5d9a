#include "solver/commands/bench/bench_correlate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <omp.h>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/text/error.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/comparison/correlation.hpp"
#include "solver/comparison/template_search.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/threads.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {
namespace {

/// The rotations of the published runs.
constexpr int kPublishedRotations = 4656;
/// Seconds of 4,656 rotations of FTDock on 128^3 and 256^3 grids (Caballero de Gea 2010, final degree project, UPC and
/// Universidad de Murcia).
struct PublishedTime {
    const char* what;
    std::array<double, 2> seconds;
};
constexpr std::array<PublishedTime, 7> kPublished{{{"serial, one CPU core", {1216., 11384.}},
                                                   {"transforms alone on the GPU", {680., 4869.}},
                                                   {"everything on the GPU", {204., 1041.}},
                                                   {"results written after the loop", {204., 1021.}},
                                                   {"two GPUs", {105., 515.}},
                                                   {"three nodes of two GPUs, equal shares", {70.5, 512.}},
                                                   {"the same, shares by measured speed", {54.5, 323.}}}};
constexpr std::array<std::int64_t, 2> kPublishedGrids{128, 256};

struct CorrelateBenchOptions {
    std::string backend = "auto";
    std::vector<std::int64_t> grids{128, 256};
    int rounds = 5, threads = 0, queued = 0, peaks = 3;
    BenchOutput output;
};

/// A search whose transforms have `grid` samples along each axis: the volume has three quarters of them, the canvas of
/// the template half.
SearchShape shape_of_grid(std::int64_t grid) {
    std::int64_t side = grid / 2;
    const Triple volume{grid * 3 / 4, grid * 3 / 4, grid * 3 / 4};
    while (side > 2 && search_shape(volume, {side, side, grid / 2}, 2).correlation.moving[0] > grid / 2) --side;
    return search_shape(volume, {side, side, grid / 2}, 2);
}

std::vector<float> random_values(const Triple& n) {
    const std::vector<double> field = random_field(product_of(n));
    return {field.begin(), field.end()};
}

constexpr std::array<const char*, 5> kPhases{"rotate", "forward", "multiply", "inverse", "peaks"};

struct CorrelateRow {
    SearchShape shape;
    std::array<Sample, kPhases.size()> phase_s;  ///< of a rotation, each waited for
    Sample rotation_s;                           ///< in one go
    double queued_s = 0.;                        ///< a rotation, of several workers that share a queue; 0: not measured
    int workers = 1;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds of each phase of a rotation.
std::array<double, kPhases.size()> time_phases(Correlator& correlator, const TemplateTurn& turn, int peaks) {
    std::array<double, kPhases.size()> seconds{};
    std::size_t phase = 0;
    const auto time = [&](const auto& work) {
        const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
        work();
        correlator.wait();
        seconds[phase++] = seconds_since(begin);
    };
    time([&] {
        correlator.rotate(turn);
        static_cast<void>(correlator.moving_energy());
    });
    time([&] { correlator.forward(); });
    time([&] { correlator.multiply(); });
    time([&] { correlator.inverse(); });
    time([&] { static_cast<void>(correlator.peaks(peaks, 4)); });
    return seconds;
}

double time_rotation(Correlator& correlator, const TemplateTurn& turn, int peaks) {
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    correlator.rotate(turn);
    static_cast<void>(correlator.moving_energy());
    correlator.forward();
    correlator.multiply();
    correlator.inverse();
    static_cast<void>(correlator.peaks(peaks, 4));
    return seconds_since(begin);
}

/// Seconds a rotation of workers that share a queue, with the set-up of each.
double time_queue(const CorrelatorRow& row, const CorrelateBenchOptions& options, CorrelateRow& result,
                  std::span<const float> volume, std::span<const float> form) {
    const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    result.workers = row.name == "cpu" ? threads : std::max(1, row.count());
    const int gpus = std::max(1, row.count());
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    static_cast<void>(find_template(
        volume, form, result.shape, {.rotations = options.queued, .peaks = options.peaks}, result.workers,
        [&](int worker) { return row.make(result.shape.correlation, 1, worker % gpus); },
        [](std::span<const FoundPlace>) {}));
    return seconds_since(begin) / options.queued;
}

CorrelateRow measure(const CorrelatorRow& row, std::int64_t grid, const CorrelateBenchOptions& options,
                     ConditionsWatch& watch) {
    CorrelateRow result;
    result.shape = shape_of_grid(grid);
    const std::vector<float> volume = random_values(result.shape.correlation.fixed),
                             form = random_values(result.shape.form);
    {
        const auto correlator = row.make(result.shape.correlation, options.threads, 0);
        correlator->set_fixed(volume);
        correlator->set_template(form);
        std::array<std::vector<double>, kPhases.size()> phases;
        std::vector<double> whole;
        // The first round warms up.
        for (int round = 0; round <= options.rounds; ++round) {
            const TemplateTurn turn = result.shape.turn(round + 1, options.rounds + 3);
            const auto seconds = time_phases(*correlator, turn, options.peaks);
            const double at_once = time_rotation(*correlator, turn, options.peaks);
            watch.look();
            if (round == 0) continue;
            for (std::size_t phase = 0; phase < phases.size(); ++phase) phases[phase].push_back(seconds[phase]);
            whole.push_back(at_once);
        }
        for (std::size_t phase = 0; phase < phases.size(); ++phase) result.phase_s[phase] = Sample(phases[phase]);
        result.rotation_s = Sample(whole);
    }
    if (options.queued > 0) result.queued_s = time_queue(row, options, result, volume, form);
    return result;
}

std::string grid_name(const CorrelateRow& row) {
    const Triple& n = row.shape.correlation.padded;
    return fmt::format("{}x{}x{}", n[0], n[1], n[2]);
}

std::string text_of_row(const CorrelateRow& row) {
    std::string text = fmt::format("{:<13}", grid_name(row));
    for (const Sample& phase : row.phase_s) text += fmt::format(" {:>9.5f}", phase.median());
    text += fmt::format(" {:>9.5f} ({:.5f} … {:.5f}) {:>10.1f}", row.rotation_s.median(), row.rotation_s.min(),
                        row.rotation_s.max(), kPublishedRotations * row.rotation_s.median());
    if (row.queued_s > 0.)
        text +=
            fmt::format("\n{:<13} {} workers of one queue, set-up included: {:.5f} s a rotation, 4656 take {:.1f} s",
                        "", row.workers, row.queued_s, kPublishedRotations * row.queued_s);
    return text;
}

BenchRow report_row(const CorrelatorRow& device, const CorrelateRow& row, const CorrelateBenchOptions& options) {
    BenchRow result;
    result.problem["work"] = "template search, a rotation";
    result.problem["shape"] = row.shape.correlation.padded;
    result.problem["volume"] = row.shape.correlation.fixed;
    result.problem["template"] = row.shape.form;
    result.problem["lags"] = row.shape.correlation.lags.count;
    result.problem["peaks"] = options.peaks;
    result.kernel = {{"program", "onda"}, {"kernel", device.name}, {"transforms", device.help}};
    if (device.name == "cpu") result.kernel["threads"] = options.threads > 0 ? options.threads : omp_get_max_threads();
    result.unit = "s";
    result.larger_is_better = false;
    result.rounds = row.rotation_s;
    for (std::size_t phase = 0; phase < kPhases.size(); ++phase)
        result.facts["phase_s"][kPhases[phase]] = row.phase_s[phase].median();
    result.facts["extrapolated_rotations"] = kPublishedRotations;
    result.facts["extrapolated_s"] = kPublishedRotations * row.rotation_s.median();
    if (row.queued_s > 0.) {
        result.facts["workers"] = row.workers;
        result.facts["queued_s"] = row.queued_s;
    }
    return result;
}

/// The published seconds, and how many times this machine's they are.
void print_published(std::ostream& out, const std::vector<CorrelateRow>& rows) {
    out << fmt::format(
        "published seconds of {} rotations (FTDock, Caballero de Gea 2010), and how many times ours they are; ours are "
        "extrapolated from one rotation\n{:<40}",
        kPublishedRotations, "");
    for (const std::int64_t grid : kPublishedGrids) out << fmt::format(" {:>8}^3 {:>8}", grid, "times");
    out << '\n';
    for (const PublishedTime& published : kPublished) {
        out << fmt::format("{:<40}", published.what);
        for (std::size_t grid = 0; grid < kPublishedGrids.size(); ++grid) {
            const auto row = std::ranges::find_if(rows, [&](const CorrelateRow& each) {
                return each.shape.correlation.padded ==
                       Triple{kPublishedGrids[grid], kPublishedGrids[grid], kPublishedGrids[grid]};
            });
            out << fmt::format(" {:>10} {:>8}", published.seconds[grid],
                               row == rows.end()
                                   ? "-"
                                   : fmt::format("{:.3g}", published.seconds[grid] /
                                                               (kPublishedRotations * row->rotation_s.median())));
        }
        out << '\n';
    }
}

int bench_correlate(const CorrelateBenchOptions& options) {
    check_threads(options.threads, "--threads");
    const CorrelatorRow& row = choose_correlator(options.backend);
    const Device& device = usable_device(std::string(row.name));
    check_writable(options.output);
    BenchReport report = begin_bench_report("correlate", &device);
    ConditionsWatch watch(device);
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n'
        << fmt::format(
               "{}; seconds of one rotation, median of {} rounds: phases waited for one by one, then all in one "
               "go\n{:<13}",
               row.help, options.rounds, "transform");
    for (const char* phase : kPhases) out << fmt::format(" {:>9}", phase);
    out << fmt::format(" {:>9} {:<19} {:>10}", "rotation", "(min … max)", "4656 take") << std::endl;
    std::ostringstream csv;
    csv << "shape,rotate_s,forward_s,multiply_s,inverse_s,peaks_s,rotation_s_median,extrapolated_4656_s,workers,"
           "queued_rotation_s\n";
    std::vector<CorrelateRow> rows;
    for (const std::int64_t grid : options.grids) {
        rows.push_back(measure(row, grid, options, watch));
        const CorrelateRow& measured = rows.back();
        report.rows.push_back(report_row(row, measured, options));
        out << text_of_row(measured) << std::endl;
        csv << grid_name(measured);
        for (const Sample& phase : measured.phase_s) csv << fmt::format(",{}", phase.median());
        csv << fmt::format(",{},{},{},{}\n", measured.rotation_s.median(),
                           kPublishedRotations * measured.rotation_s.median(), measured.workers, measured.queued_s);
    }
    print_published(out, rows);
    finish_bench(options.output, report, watch.conditions(), csv.str());
    return 0;
}

}  // namespace

Command add_bench_correlate(CLI::App& bench) {
    CLI::App* command =
        add_command(bench, "correlate",
                    "Seconds to turn a template, correlate it with a volume by 3-D transforms and find its peaks",
                    "onda bench correlate\n"
                    "onda bench correlate --backend cpu --grid 128 --rounds 3\n"
                    "onda bench correlate --backend cuda --grid 128 256 512 --queued 200 --json correlate.json");
    const auto options = std::make_shared<CorrelateBenchOptions>();
    add_bench_backend(*command, options->backend);
    command->add_option("--grid", options->grids, "Samples of the transforms along each axis")
        ->check(CLI::Range(16, 2048))
        ->capture_default_str();
    add_bench_rounds(*command, options->rounds);
    command
        ->add_option("--queued", options->queued,
                     "Also time so many rotations by all GPUs, or by all CPU threads as workers (default: none)")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--peaks", options->peaks, "Peaks of each rotation")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--threads", options->threads, "CPU threads (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    add_bench_output(*command, options->output);
    return [options] { return bench_correlate(*options); };
}

}  // namespace onda
