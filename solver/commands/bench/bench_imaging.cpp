#include "solver/commands/bench/bench_imaging.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/config/config.hpp"
#include "io/files/random_hex.hpp"
#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/threads.hpp"
#include "solver/run/in_memory.hpp"
#include "solver/run/simulation.hpp"
#include "solver/tasks/gradient_task.hpp"

namespace onda {
namespace {

constexpr double kSlowest_m_s = 1500.;
constexpr double kPointsPerWavelength = 4.5;  // at the highest frequency of the wavelet
constexpr double kHighestOverPeak = 2.76;     // of a Ricker wavelet, where its spectrum has fallen to 1 %

struct ImagingBenchOptions {
    std::string backend = "auto", storage = "auto", ring = "auto", ring_every = "1", every = "auto";
    BenchOutput output;
    std::vector<std::int64_t> shape{1601, 401};
    std::vector<int> shots{1, 8, 32};
    double spacing_m = 7.5;
    std::int64_t receivers = 500, steps = 3750;
    int order = 8, layer = 20, threads = 0, rounds = 3, workers = 0;
};

/// A folder that is gone with its owner.
class ScratchFolder {
public:
    ScratchFolder() : path_(std::filesystem::temp_directory_path() / ("onda-bench-" + random_hex(8))) {}
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Hears nothing of a run.
class NoProgress : public Progress {
public:
    void begin(std::int64_t, std::int64_t) override {}
    void update(std::int64_t, std::int64_t, std::int64_t, double, double) override {}
    void clear() override {}
};

Log silent() {
    return Log([](Log::Level, const std::string&) {});
}

std::string list_of(double x, double y, double z, bool is_3d) {
    return is_3d ? fmt::format("[{}, {}, {}]", x, y, z) : fmt::format("[{}, {}]", x, z);
}

/// A line of one position or of several.
std::string line_of(std::int64_t count, const std::string& first, const std::string& last) {
    if (count == 1) return fmt::format("{{type: point, position_m: {}}}", first);
    return fmt::format("{{type: line, first_m: {}, last_m: {}, count: {}}}", first, last, count);
}

/// Sources and receivers near the top of a model whose velocity doubles from there to its bottom; in 3-D the receivers
/// cover a square.
std::string config_text(const ImagingBenchOptions& options, int shots) {
    const bool is_3d = options.shape.size() == 3;
    const double h = options.spacing_m, fastest = 2. * kSlowest_m_s, depth = 2. * h;
    const double right = h * static_cast<double>(options.shape.front() - 2),
                 back = is_3d ? h * static_cast<double>(options.shape[1] - 2) : 0.;
    const double bottom = h * static_cast<double>(options.shape.back() - 1);
    const double dt_s = 0.5 * h / fastest / std::sqrt(static_cast<double>(options.shape.size()));
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(options.receivers))));
    const std::string receivers =
        is_3d ? fmt::format("{{type: grid, first_m: {}, last_m: {}, count: [{}, {}, 1]}}", list_of(h, h, depth, true),
                            list_of(right, back, depth, true), side, side)
              : line_of(options.receivers, list_of(h, 0., depth, false), list_of(right, 0., depth, false));
    return fmt::format(
        "grid: {{shape: [{}], spacing_m: {}}}\n"
        "model: {{type: gradient, vp_m_s: {}, gradient_per_s: {}}}\n"
        "time: {{duration_s: {}, dt_s: {}, stepping: single, dispersion_correction: false}}\n"
        "scheme: {{space_order: {}}}\n"
        "wavelet: {{type: ricker, peak_frequency_hz: {}}}\n"
        "boundary: {{cpml_width: {}}}\n"
        "sources: [{}]\n"
        "receivers: [{}]\n"
        "output: {{seismograms: {{dt_s: {}}}, pictures: false, report: false}}\n"
        "backend: {{name: {}, threads: {}}}\n",
        fmt::join(options.shape, ", "), h, kSlowest_m_s, (fastest - kSlowest_m_s) / bottom,
        (static_cast<double>(options.steps) - 0.5) * dt_s, dt_s, options.order,
        kSlowest_m_s / (kPointsPerWavelength * kHighestOverPeak * h), options.layer,
        line_of(shots, list_of(0.1 * right, 0.5 * back, depth, is_3d), list_of(0.9 * right, 0.5 * back, depth, is_3d)),
        receivers, dt_s, printable(options.backend), options.threads);
}

/// The survey of so many shots, compared with what sources of nine tenths of the strength gave.
Config imaging_config(const ImagingBenchOptions& options, int shots, const std::filesystem::path& folder) {
    Config config = read_config_text(config_text(options, shots), "bench imaging", vocabulary());
    Config observed = config;
    for (SourceConfig& source : observed.sources) source.amplitude *= 0.9;
    config.backend.devices.integers.assign(static_cast<std::size_t>(options.workers), 0);
    Log log = silent();
    run_simulation(observed, {.folder = folder, .command_line = {}}, log);
    config.imaging.emplace();
    config.imaging->observed = {folder / "seismograms.h5"};
    config.imaging->illumination = false;
    config.imaging->storage = options.storage;
    config.imaging->ring = options.ring;
    const auto interval = [](const std::string& text) {
        return text == "auto" ? NameOrIntegers{text} : NameOrIntegers{"", {std::stoll(text)}};
    };
    config.imaging->ring_every = interval(options.ring_every);
    config.imaging->every = interval(options.every);
    return config;
}

struct ImagingRow {
    int shots;
    SurveyInMemory last;  ///< of the gradients
    Sample gradient_s, forward_s;

    /// The part that the two sweeps at the speed of forward runs are of the whole.
    [[nodiscard]] double share() const { return 2. * forward_s.median() / gradient_s.median(); }
    [[nodiscard]] const Plan& plan() const { return *last.plan; }
    [[nodiscard]] const HistoryPlan& history() const { return plan().imaging->history; }
    [[nodiscard]] std::string_view storage() const { return history().storage(plan().time); }
    [[nodiscard]] std::int64_t memory_bytes() const {
        return last.facts.device_bytes > 0 ? last.facts.device_bytes : last.facts.peak_memory_bytes;
    }
};

std::string shape_of(const ImagingBenchOptions& options) {
    return fmt::format("{}", fmt::join(options.shape, "x"));
}

/// Seconds from the model on the device to the last result in memory. \param task null: forward runs.
double seconds_of(const Config& config, const TaskRow* task, SurveyInMemory& result) {
    using Clock = std::chrono::steady_clock;
    NoProgress progress;
    Log log = silent();
    result = {};
    const Clock::time_point begun = Clock::now();
    result = run_in_memory(config, ShotSelection(), progress, log, task);
    double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    for (const char* before : {"plan", "model", "backend"})
        for (const auto& [phase, of_phase] : result.facts.phase_s)
            if (phase == before) seconds -= of_phase;
    return seconds;
}

ImagingRow measure(const Config& config, int shots, const ImagingBenchOptions& options, ConditionsWatch& watch) {
    ImagingRow row{shots, {}, {}, {}};
    Config forward = config;
    forward.imaging.reset();
    std::vector<double> forward_s, gradient_s;
    // The first round warms up.
    for (int round = 0; round <= options.rounds; ++round) {
        const double of_forward = seconds_of(forward, nullptr, row.last);
        const double of_gradient = seconds_of(config, &kGradientTask, row.last);
        watch.look();
        if (round == 0) continue;
        forward_s.push_back(of_forward);
        gradient_s.push_back(of_gradient);
    }
    row.forward_s = Sample(forward_s);
    row.gradient_s = Sample(gradient_s);
    return row;
}

std::string text_of(const ImagingRow& row, const ImagingBenchOptions& options) {
    return fmt::format(
        "{:<15} {:>5} {:>6} {:>5} {:<11} {:>5} {:>6} {:>9} {:>9.4f} {:>9.4f} ({:.4f} … {:.4f}) {:>9.4f} {:>6.3f}",
        shape_of(options), row.shots, row.plan().time.steps, options.layer, row.storage(), row.history().every,
        row.history().levels(row.plan().time), bytes_text(row.memory_bytes()), row.forward_s.median(),
        row.gradient_s.median(), row.gradient_s.min(), row.gradient_s.max(), row.gradient_s.median() / row.shots,
        row.share());
}

BenchRow report_of(const Device& device, const ImagingRow& row, const ImagingBenchOptions& options) {
    const Setup& setup = row.plan().setup;
    BenchRow result;
    result.problem = problem_json(setup, "cpml", {.shots = row.shots, .receivers = options.receivers});
    result.problem["shape"] = options.shape;
    result.problem["layer_nodes"] = options.layer;
    result.problem["steps"] = row.plan().time.steps;
    result.problem["work"] = "gradient";
    result.kernel = kernel_json(device, setup);
    result.unit = "s";
    result.larger_is_better = false;
    result.rounds = row.gradient_s;
    result.rival = "forward";
    result.rival_rounds = row.forward_s;
    result.facts["storage"] = row.storage();
    result.facts["levels"] = row.history().levels(row.plan().time);
    if (row.history().ring) {
        result.facts["ring"] = name_of(*row.history().ring);
        result.facts["steps_between_rings"] = row.history().ring_every;
    }
    result.facts["workers"] = own_workers(row.plan().placement);
    result.facts["steps_between_levels"] = row.history().every;
    result.facts["memory_bytes"] = row.memory_bytes();
    result.facts["share_of_two_sweeps"] = row.share();
    for (const auto& [phase, seconds] : row.last.facts.phase_s) result.facts["phase_s"][phase] = seconds;
    return result;
}

int bench_imaging(const ImagingBenchOptions& options) {
    check_threads(options.threads, "--threads");
    BackendConfig wanted;
    wanted.name = options.backend;
    const Device& device = *choose_device(wanted).device;
    check_writable(options.output);
    BenchReport report = begin_bench_report("imaging", &device);
    ConditionsWatch watch(device);
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n'
        << fmt::format(
               "backend {}, order {}, {} receivers, l2 misfit; seconds of all shots, from model to gradients "
               "in memory, median of {} rounds\n",
               device.name, options.order, options.receivers, options.rounds)
        << fmt::format("{:<15} {:>5} {:>6} {:>5} {:<11} {:>5} {:>6} {:>9} {:>9} {:>9} {:<19} {:>9} {:>6}", "grid",
                       "shots", "steps", "layer", "storage", "every", "levels", "memory", "forward", "gradient",
                       "(min … max)", "a shot", "share")
        << std::endl;
    std::ostringstream csv;
    csv << "shape,shots,steps,layer_nodes,order,storage,every,levels,memory_bytes,forward_s_median,gradient_s_median,"
           "share\n";
    for (const int shots : options.shots) {
        const ScratchFolder folder;
        const Config config = imaging_config(options, shots, folder.path());
        const ImagingRow row = measure(config, shots, options, watch);
        report.rows.push_back(report_of(device, row, options));
        out << text_of(row, options) << std::endl;
        csv << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", shape_of(options), shots, row.plan().time.steps,
                           options.layer, options.order, row.storage(), row.history().every,
                           row.history().levels(row.plan().time), row.memory_bytes(), row.forward_s.median(),
                           row.gradient_s.median(), row.share());
    }
    finish_bench(options.output, report, watch.conditions(), csv.str());
    return 0;
}

}  // namespace

Command add_bench_imaging(CLI::App& bench) {
    CLI::App* command = add_command(
        bench, "imaging", "Seconds, memory and storage of gradients, beside the forward runs that they contain",
        "onda bench imaging --shape 1601 401 --shots 1 8 32 --steps 3750 --receivers 500\n"
        "onda bench imaging --shape 256 256 256 --spacing 10 --steps 400 --receivers 10000 --shots 1\n"
        "onda bench imaging --backend cpu --shape 201 101 --shots 1 --steps 500 --storage checkpoints");
    const auto options = std::make_shared<ImagingBenchOptions>();
    command->add_option("--backend", options->backend, "Device")->capture_default_str();
    command
        ->add_option("--shape", options->shape,
                     "Nodes of the model along x and z, or x, y and z; layers come around it")
        ->expected(2, 3)
        ->check(CLI::Range(16, 100'000))
        ->capture_default_str();
    command->add_option("--spacing", options->spacing_m, "Spacing of the nodes in m")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--shots", options->shots, "Shots of each survey")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_option("--receivers", options->receivers, "Receivers of each shot; in 3-D the next square")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--steps", options->steps, "Time steps of each shot")
        ->check(CLI::Range(10, 10'000'000))
        ->capture_default_str();
    command->add_option("--order", options->order, "Space order")->capture_default_str();
    command->add_option("--layer", options->layer, "Nodes of the absorbing layers")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--storage", options->storage, "How the forward field is kept")
        ->check(CLI::IsMember({"auto", "full", "ring", "checkpoints"}))
        ->capture_default_str();
    command->add_option("--ring", options->ring, "Where a ring lies")
        ->check(CLI::IsMember({"auto", "device", "host"}))
        ->capture_default_str();
    command->add_option("--ring-every", options->ring_every, "Time steps between those whose rings are kept, or auto")
        ->check(CLI::IsMember({"auto"}) | CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--every", options->every, "Time steps between levels that are kept, or auto")
        ->check(CLI::IsMember({"auto"}) | CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--threads", options->threads, "CPU threads (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    command
        ->add_option("--workers", options->workers,
                     "Workers that share GPU 0: backend.devices: [0, 0] for two (default: as gradients choose)")
        ->check(CLI::Range(1, 16));
    add_bench_rounds(*command, options->rounds);
    add_bench_output(*command, options->output);
    return [options] { return bench_imaging(*options); };
}

}  // namespace onda
