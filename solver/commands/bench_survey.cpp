#include "solver/commands/bench_survey.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <numbers>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench_table.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/threads.hpp"

namespace onda {
namespace {

struct SurveyBenchOptions {
    std::string backend = "auto", boundary = "cpml", kernel = "auto", tile = "auto", csv;
    std::vector<std::string> grids{"1601x401", "128x128x128"};
    std::vector<int> batches{1, 8, 32};
    int order = 8, threads = 0, rounds = 7;
    std::int64_t receivers = 500, steps = 1000;
    bool force = false;
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

/// A source in the middle and receivers on a line near the top, along x.
struct BenchShot {
    BenchShot(const Grid& grid, std::int64_t receiver_count, std::int64_t samples) {
        const auto middle = [&grid](std::size_t axis) { return grid.n[axis] / 2; };
        sources.nodes = {{0, 1}, {grid.at(middle(0), middle(1), middle(2))}, {1.}};
        sources.signal.emplace_back();
        for (std::int64_t n = 0; n < samples; ++n)
            sources.signal[0].push_back(std::sin(2. * std::numbers::pi * static_cast<double>(n) / 40.));
        for (std::int64_t i = 0; i < receiver_count; ++i) {
            receivers.node.push_back(grid.at(i * grid.nx() / receiver_count, middle(1), grid.nz() / 8));
            receivers.weight.push_back(1.);
            receivers.first.push_back(i + 1);
        }
    }
    Sources sources;
    NodeWeights receivers;
};

/// Shots on a random medium, from rest; the twin takes random fields instead of sources.
class SurveyContender {
public:
    SurveyContender(const Device& device, const Setup& setup, int shots, const SurveyBenchOptions& options)
        : steps_(options.steps) {
        const RowReader vp = [&setup](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::size_t x = 0; x < row.size(); ++x) {
                const auto node = static_cast<std::uint64_t>(setup.grid.at(static_cast<std::int64_t>(x), y, z));
                row[x] = static_cast<float>(RandomStream(1, node).uniform(0.5, 1.) * kBenchFastest_m_s);
            }
        };
        wavefield_ = device.make_medium(setup, {vp}, bench_time_step_s(setup))->make_wavefield(shots);
        const BenchShot shot(setup.grid, setup.kernel == "twin" ? 0 : options.receivers, steps_ + 1);
        std::vector<double> noise(static_cast<std::size_t>(setup.grid.points()));
        for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = RandomStream(2, i).uniform(-0.5, 0.5);
        for (int i = 0; i < shots; ++i) {
            wavefield_->upload(noise, noise, i);
            if (setup.kernel != "twin") wavefield_->set_sources(i, shot.sources);
            wavefield_->set_receivers(i, shot.receivers, steps_ + 1);
        }
        round_s();
    }
    /// Seconds of all steps of all shots.
    double round_s() {
        const auto start = std::chrono::steady_clock::now();
        wavefield_->advance(0, steps_);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

private:
    std::unique_ptr<Wavefield> wavefield_;
    std::int64_t steps_;
};

struct SurveyRow {
    Setup setup;
    int shots;
    std::vector<double> seconds, twin_seconds;  ///< sorted
};

double median(const std::vector<double>& sorted) {
    return sorted[sorted.size() / 2];
}

std::string text_of(const SurveyRow& row, const SurveyBenchOptions& options) {
    const double work =
        1e-9 * static_cast<double>(row.shots) * static_cast<double>(options.steps * row.setup.grid.points());
    return fmt::format("{:<15} {:>5} {:<18} {:>10.2f} {:>9.2f} {:>9.2f} … {:<9.2f} {:>9.2f} {:>6.3f}",
                       shape_text(row.setup.grid), row.shots, row.setup.kernel, row.shots / median(row.seconds),
                       work / median(row.seconds), work / row.seconds.back(), work / row.seconds.front(),
                       work / median(row.twin_seconds), median(row.twin_seconds) / median(row.seconds));
}

SurveyRow measure(const Device& device, const Setup& setup, int shots, const SurveyBenchOptions& options) {
    Setup bare = setup;
    bare.kernel = "twin";
    bare.tile = bare.copy = "auto";
    bare.strips = {};
    bare.halos = {};
    device.resolve(bare);
    // A twin that takes one shot a launch takes one of as many nodes instead, each with a k of its own.
    const bool alone = shots > device.most_shots(bare);
    if (alone) bare.grid.n[2] *= shots;
    SurveyContender twin(device, bare, alone ? 1 : shots, options), contender(device, setup, shots, options);
    SurveyRow row{setup, shots, {}, {}};
    for (int round = 0; round < options.rounds; ++round) {
        row.twin_seconds.push_back(twin.round_s());
        row.seconds.push_back(contender.round_s());
    }
    std::ranges::sort(row.seconds);
    std::ranges::sort(row.twin_seconds);
    return row;
}

int bench_survey(const SurveyBenchOptions& options) {
    check_threads(options.threads, "--threads");
    BackendConfig wanted;
    wanted.name = options.backend;
    const Device& device = *choose_device(wanted).device;
    std::cout << fmt::format("backend {}, order {}, {} on every face, {} receivers, {} steps a shot, {} rounds\n",
                             device.name, options.order, options.boundary, options.receivers, options.steps,
                             options.rounds)
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
            const SurveyRow row = measure(device, setup, shots, options);
            std::cout << text_of(row, options) << std::endl;
            const auto& n = setup.grid.n;
            const double work = 1e-9 * shots * static_cast<double>(options.steps * setup.grid.points());
            csv << n[0] << ',' << n[1] << ',' << n[2] << ',' << shots << ',' << setup.kernel << ',' << setup.tile << ','
                << options.steps << ',' << shots / median(row.seconds) << ',' << work / median(row.seconds) << ','
                << work / median(row.twin_seconds) << '\n';
        }
    if (!options.csv.empty()) write_text_file(options.csv, csv.str(), options.force);
    return 0;
}

}  // namespace

Command add_bench_survey(CLI::App& bench) {
    CLI::App* command =
        add_command(bench, "survey", "Shots a second over grids and batches, beside the twin of the same batch",
                    "onda bench survey --grid 1601x401 --batch 1 8 32 --steps 3750\n"
                    "onda bench survey --backend cpu --grid 301x201 --batch 1 2 4 --boundary sponge");
    const auto options = std::make_shared<SurveyBenchOptions>();
    command->add_option("--backend", options->backend, "What computes")->capture_default_str();
    command->add_option("--grid", options->grids, "Nodes, such as 1601x401 or 128x128x128")->capture_default_str();
    command->add_option("--batch", options->batches, "Shots that advance together")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_option("--order", options->order, "Space order")->capture_default_str();
    std::vector<std::string> kinds;
    for (const BoundaryKind& kind : boundary_kinds()) kinds.emplace_back(kind.name);
    command->add_option("--boundary", options->boundary, "What lies on every face")
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
    command->add_option("--threads", options->threads, "Threads of the CPU (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    command->add_option("--rounds", options->rounds, "Rounds of each; the median is reported")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--csv", options->csv, "Also write the table to this file")->type_name("FILE");
    command->add_flag("--force", options->force, "Overwrite the CSV file if it exists");
    return [options] { return bench_survey(*options); };
}

}  // namespace onda
