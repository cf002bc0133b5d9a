#include "solver/commands/bench/bench_calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/probe/probe.hpp"
#include "solver/performance/conditions.hpp"
#include "solver/performance/device_description.hpp"
#include "solver/performance/model/calibration.hpp"
#include "solver/performance/model/prediction_picture.hpp"
#include "solver/performance/model/step_cases.hpp"
#include "solver/performance/model/tang_of_kernels.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct CalibrateOptions {
    std::string device = "auto", from, csv, plot;
    std::size_t validate = 0;
    std::uint64_t seed = 1;
    int rounds = 3, ordinal = 0, threads = 0;
    bool keep = false, json = false, force = false;
};

/// What was predicted of steps that were measured, and by which family of kernels.
struct Judged {
    std::string family, text;
    double measured_s, predicted_s;
    std::optional<double> tang_s;  ///< where the model of Tang et al. says anything
};

/// Progress on standard error, a line that is written over where somebody looks at it.
CasesDone show_progress(const std::string& what) {
    return [what](std::size_t done, std::size_t all, const std::string& which) {
        if (done % 20 == 0 || done == all) std::cerr << fmt::format("{} {} of {}: {}\n", what, done, all, which);
    };
}

std::string judgement_line(const std::string& name, const ErrorSummary& s) {
    return fmt::format("{:<46} {:>5} {:>9.1f} {:>9.1f} {:>12.0f} {:>12.0f}\n", name, s.count, 100. * s.median,
                       100. * s.worst, 100. * static_cast<double>(s.within_10) / static_cast<double>(s.count),
                       100. * static_cast<double>(s.within_25) / static_cast<double>(s.count));
}

ErrorSummary summary_of(std::span<const Judged> judged, double (*predicted)(const Judged&)) {
    std::vector<double> said, was;
    for (const Judged& each : judged) {
        said.push_back(predicted(each));
        was.push_back(each.measured_s);
    }
    return summarise(said, was);
}

double by_calibration(const Judged& each) {
    return each.predicted_s;
}
double by_tang(const Judged& each) {
    return *each.tang_s;
}

std::vector<Judged> with_tang(const std::vector<Judged>& judged) {
    std::vector<Judged> some;
    for (const Judged& each : judged)
        if (each.tang_s) some.push_back(each);
    return some;
}

void print_judgement(const std::vector<Judged>& judged) {
    std::cout << fmt::format("\n{:<46} {:>5} {:>9} {:>9} {:>12} {:>12}\n", "predicted, not fitted", "steps", "median %",
                             "worst %", "within 10 %", "within 25 %");
    std::map<std::string, std::vector<Judged>> families;
    for (const Judged& each : judged) families[each.family].push_back(each);
    for (const auto& [family, steps] : families)
        std::cout << judgement_line("  " + family, summary_of(steps, by_calibration));
    std::cout << judgement_line("calibrated model", summary_of(judged, by_calibration));
    const std::vector<Judged> some = with_tang(judged);
    if (!some.empty()) {
        std::cout << judgement_line("of these, in-plane in 3-D: calibrated model", summary_of(some, by_calibration));
        std::cout << judgement_line("the same steps: Tang et al. (2013)", summary_of(some, by_tang));
    }
    std::vector<Judged> farthest = judged;
    std::ranges::sort(farthest, std::greater(),
                      [](const Judged& each) { return std::abs(std::log(each.predicted_s / each.measured_s)); });
    std::cout << "farthest off:\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(5, farthest.size()); ++i)
        std::cout << fmt::format("  {:+.0f} %: {}, {:.1f} us measured\n",
                                 100. * (farthest[i].predicted_s / farthest[i].measured_s - 1.), farthest[i].text,
                                 1e6 * farthest[i].measured_s);
}

void draw_judgement(const CalibrateOptions& options, const std::vector<Judged>& judged, const std::string& device) {
    if (options.plot.empty()) return;
    PredictionSeries calibrated{"calibrated model", {0, 114, 178}, {}, {}},
        tang{"Tang et al. (2013)", {213, 94, 0}, {}, {}};
    for (const Judged& each : judged) {
        calibrated.predicted_s.push_back(each.predicted_s);
        calibrated.measured_s.push_back(each.measured_s);
        if (!each.tang_s) continue;
        tang.predicted_s.push_back(*each.tang_s);
        tang.measured_s.push_back(each.measured_s);
    }
    std::vector<PredictionSeries> series;
    if (!tang.predicted_s.empty()) series.push_back(std::move(tang));
    series.push_back(std::move(calibrated));
    write_prediction_picture(options.plot, fmt::format("{} steps on {}", judged.size(), device), series, options.force);
}

std::vector<Judged> judge(const GpuCalibration& calibration, std::span<const GpuObservation> steps) {
    const std::optional<DeviceDescription> described = description_of(calibration.device);
    std::vector<Judged> judged;
    for (const GpuObservation& step : steps)
        if (!step.fitted)
            judged.push_back({step.what.family(), step.what.text(), step.seconds,
                              predict(calibration, step.what, step.facts).seconds,
                              described ? tang_seconds(*described, step.what, step.facts) : std::nullopt});
    return judged;
}

std::string rates_text(const GpuCalibration& c) {
    const GpuRates& r = c.rates;
    return fmt::format(
        "{} multiprocessors; DRAM {:.0f} GB/s, L2 {:.0f} GB/s, shared memory {:.1f} TB/s, {:.1f} T instructions/s, "
        "{:.1f} T double operations/s\nthe L2 cache keeps {:.0f} MB of arrays and windows of {:.0f} MB; a launch takes "
        "{:.2f} us, one that overlaps {:.2f}\n",
        c.multiprocessors, 1e-9 * r.dram_bytes_s, 1e-9 * r.l2_bytes_s, 1e-12 * r.shared_bytes_s,
        1e-12 * r.instructions_s, 1e-12 * r.double_operations_s, 1e-6 * r.kept_bytes, 1e-6 * r.window_bytes,
        1e6 * r.launch_s, 1e6 * r.overlapped_launch_s);
}

/// Tells of a calibration that is new, and keeps it.
template <typename Calibration>
void finish(const CalibrateOptions& options, const Calibration& calibration, bool keep) {
    if (options.json) std::cout << json_text(calibration_json(calibration)) << "\n";
    if (keep) std::cout << "kept in " << keep_calibration(calibration) << "\n";
}

/// Whether what was measured may be kept: not if others were at work on the same processors, unless it is asked for.
bool is_quiet(const CalibrateOptions& options, const Conditions& seen) {
    for (const std::string& warning : seen.warnings()) std::cerr << "warning: " << warning << "\n";
    constexpr double most_of_others = 0.5;
    const bool quiet = seen.on_gpu || seen.others.value_or(0.) < most_of_others;
    if (!quiet && !options.keep) std::cerr << "not kept: calibrate a machine that does nothing else, or take --keep\n";
    return quiet || options.keep;
}

/// Rates as probes found them.
GpuCalibration probed(int ordinal) {
    const cuda::Gpu& gpu = cuda::platform().gpus.at(static_cast<std::size_t>(ordinal));
    const cuda::ProbedRates found = cuda::probe(ordinal, gpu.multiprocessors, cuda::available_bytes(ordinal));
    GpuCalibration calibration;
    calibration.device = gpu.name;
    calibration.multiprocessors = gpu.multiprocessors;
    calibration.source = fmt::format("measured at {}, driver for CUDA {}, Onda {}", utc_now(),
                                     cuda::platform().driver_version, build().version);
    GpuRates& rates = calibration.rates;
    rates.sides_bytes_s *= found.dram_bytes_s / rates.dram_bytes_s;
    rates.dram_bytes_s = found.dram_bytes_s;
    rates.l2_bytes_s = found.l2_bytes_s;
    rates.shared_bytes_s = found.shared_bytes_s;
    rates.instructions_s = found.instructions_s;
    rates.double_operations_s = found.double_operations_s;
    std::cout << fmt::format("probed: {}latency of a load: {:.0f} ns from L2, {:.0f} ns from DRAM\n",
                             rates_text(calibration), 1e9 * found.l2_latency_s, 1e9 * found.dram_latency_s);
    return calibration;
}

int calibrate_gpu(const CalibrateOptions& options) {
    const ConditionsWatch watch(usable_device("cuda", options.ordinal), options.ordinal);
    const GpuCalibration before = probed(options.ordinal);
    GpuObservations all{before.device, before.multiprocessors, {}};
    all.steps =
        measure_gpu(calibration_cases(options.ordinal), options.ordinal, options.rounds, show_progress("calibrating"));
    for (GpuObservation& step : all.steps) step.fitted = true;
    const GpuCalibration calibration = fit_gpu(before, all.steps);
    std::cout << fmt::format("fitted to {} steps: {}", all.steps.size(), rates_text(calibration));
    finish(options, calibration, is_quiet(options, watch.conditions()));
    if (options.validate > 0) {
        const auto others = measure_gpu(validation_cases(options.ordinal, options.validate, options.seed),
                                        options.ordinal, options.rounds, show_progress("validating"));
        all.steps.insert(all.steps.end(), others.begin(), others.end());
    }
    if (!options.csv.empty()) write_text_file(options.csv, observations_csv(all), options.force);
    const std::vector<Judged> judged = judge(calibration, all.steps);
    if (judged.empty()) return 0;
    print_judgement(judged);
    draw_judgement(options, judged, calibration.device);
    return 0;
}

/// Steps that were measured before, here or elsewhere: those that were fitted then are fitted again.
int calibrate_from(const CalibrateOptions& options) {
    GpuObservations all = read_observations(options.from);
    std::vector<GpuObservation> fitted;
    for (const GpuObservation& step : all.steps)
        if (step.fitted) fitted.push_back(step);
    std::optional<GpuCalibration> calibration = gpu_calibration(all.device);
    if (!fitted.empty()) {
        GpuCalibration before;  // nothing was probed
        before.device = all.device;
        before.multiprocessors = all.multiprocessors;
        before.source = fmt::format("fitted to {} steps that were measured on one", fitted.size());
        calibration = fit_gpu(before, fitted);
        std::cout << fmt::format("fitted to {} steps of {}: {}", fitted.size(), all.device, rates_text(*calibration));
        finish(options, *calibration, options.keep);
    }
    if (!calibration)
        throw Error(ExitCode::bad_data, options.from +
                                            ": none of its steps is to be fitted (column fitted), and no "
                                            "calibration of a device '" +
                                            all.device + "' is known");
    if (!options.csv.empty()) write_text_file(options.csv, observations_csv(all), options.force);
    const std::vector<Judged> judged = judge(*calibration, all.steps);
    if (judged.empty()) return 0;
    print_judgement(judged);
    draw_judgement(options, judged, all.device);
    return 0;
}

int calibrate_cpu(const CalibrateOptions& options) {
    if (!options.csv.empty()) throw Error(ExitCode::usage, "--csv is for GPUs: leave it out");
    check_threads(options.threads, "--threads");
    const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    CpuCalibration before;
    before.device = host().cpu;
    before.source = fmt::format("measured at {} with up to {} threads, Onda {}", utc_now(), threads, build().version);
    const ConditionsWatch watch(usable_device("cpu"));
    const auto observations = measure_cpu(cpu_calibration_cases(threads), options.rounds, show_progress("calibrating"));
    const CpuCalibration calibration = fit_cpu(before, observations);
    const CpuRates& rates = calibration.rates;
    std::cout << fmt::format(
        "fitted to {} steps: memory {:.1f} GB/s, of one thread {:.1f}; caches {:.1f} GB/s a thread, "
        "keep {:.1f} MB; threads wait {:.1f} us a step\n",
        observations.size(), 1e-9 * rates.memory_bytes_s, 1e-9 * rates.thread_bytes_s, 1e-9 * rates.cached_bytes_s,
        1e-6 * rates.kept_bytes, 1e6 * rates.wait_s);
    finish(options, calibration, is_quiet(options, watch.conditions()));
    if (options.validate == 0) return 0;
    const std::vector<CpuCase> cases = cpu_validation_cases(threads, options.validate, options.seed);
    const auto others = measure_cpu(cases, options.rounds, show_progress("validating"));
    std::vector<Judged> judged;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const CpuStepFacts& facts = others[i].facts;
        const double predicted_s = cpu_step_time(facts, rates, calibration.of(facts.family)).seconds;
        judged.push_back({facts.family, text_of(cases[i]), others[i].seconds, predicted_s, {}});
    }
    print_judgement(judged);
    draw_judgement(options, judged, calibration.device);
    return 0;
}

int run_calibrate(const CalibrateOptions& options) {
    if (!options.from.empty()) return calibrate_from(options);
    const bool has_gpu = cuda::gpu_state(options.ordinal).problem.empty();
    return options.device == "gpu" || (options.device == "auto" && has_gpu) ? calibrate_gpu(options)
                                                                            : calibrate_cpu(options);
}

}  // namespace

Command add_bench_calibrate(CLI::App& bench) {
    CLI::App* command = add_command(bench, "calibrate",
                                    "Measure what the model of a device must know, and how far its predictions are off",
                                    "onda bench calibrate\n"
                                    "onda bench calibrate gpu --validate 240 --csv steps.csv --plot model.png\n"
                                    "onda bench calibrate --from steps.csv --plot model.png     # without a GPU");
    const auto options = std::make_shared<CalibrateOptions>();
    command->add_option("device", options->device, "cpu, gpu, or auto: the GPU if there is one")
        ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
        ->capture_default_str();
    command->add_option("--ordinal", options->ordinal, "Which of several GPUs")->check(CLI::Range(0, 1024));
    command->add_option("--threads", options->threads, "Threads of the CPU (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    command
        ->add_option("--validate", options->validate,
                     "Also time so many steps that nothing is fitted to, and tell how far off their predictions are")
        ->check(CLI::Range(1, 10'000));
    command->add_option("--seed", options->seed, "Draws the steps of --validate")->capture_default_str();
    command->add_option("--rounds", options->rounds, "Rounds of each step, 10 ms or more; the median counts")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--from", options->from, "Steps that were timed before, as --csv wrote them; nothing is timed")
        ->type_name("FILE");
    command->add_flag(
        "--keep", options->keep,
        "Keep what was fitted to --from, or measured while others were at work, as this user's calibration");
    command->add_option("--csv", options->csv, "Write the steps with what is known of them to this file")
        ->type_name("FILE");
    command->add_option("--plot", options->plot, "Draw predicted over measured times, as PNG or PDF")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "Print the calibration as JSON, too");
    command->add_flag("--force", options->force, "Overwrite files that exist");
    return [options] { return run_calibrate(*options); };
}

}  // namespace onda
