#include "solver/commands/bench/bench_scale.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <omp.h>
#include <optional>
#include <spdlog/fmt/fmt.h>

#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/performance/scaling.hpp"
#include "solver/program/build.hpp"
#include "solver/program/threads.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/ranks/sub_team.hpp"

namespace onda {
namespace {

struct ScaleOptions {
    std::string backend = "auto", boundary = "cpml", csv;
    std::vector<std::int64_t> shape{256, 256, 256};
    std::vector<std::size_t> parts;
    int order = 8, rounds = 5;
    bool strong = false, through_host = false, force = false;
};

/// What shares a grid: the ranks of a launcher, the GPUs of this process, or slabs that the CPU computes in turn.
struct Sharing {
    const Ranks& ranks;
    const Device& device;
    std::size_t most = 1;
    std::string name;
};

Sharing sharing_of(const Ranks& ranks, const Device& device) {
    if (ranks.team() != nullptr) return {ranks, device, static_cast<std::size_t>(ranks.team()->size()), "ranks"};
    if (device.has_own_memory()) return {ranks, device, static_cast<std::size_t>(device.count()), "GPUs"};
    return {ranks, device, 4, "slabs"};
}

/// The numbers of parts to measure, 1 first: those asked for, or powers of two and all.
std::vector<std::size_t> numbers_of(const ScaleOptions& options, const Sharing& sharing) {
    std::vector<std::size_t> numbers{1};
    for (const std::size_t asked : options.parts) {
        if (sharing.name != "slabs" && asked > sharing.most)
            throw Error(ExitCode::usage, fmt::format("--parts {}: there are {} {}", asked, sharing.most, sharing.name));
        if (asked > 1) numbers.push_back(asked);
    }
    for (std::size_t n = 2; options.parts.empty() && n < 2 * sharing.most; n *= 2)
        numbers.push_back(std::min(n, sharing.most));
    return numbers;
}

ScaleCase case_of(const ScaleOptions& options, const Sharing& sharing, std::size_t parts) {
    ScaleCase of;
    of.setup.grid = {3, {options.shape[0], options.shape[1], options.shape[2]}, {10., 10., 10.}, {}};
    if (!options.strong) of.setup.grid.n[2] *= static_cast<std::int64_t>(parts);
    of.setup.scheme = make_scheme(Equation::star, options.order);
    if (options.boundary != "zero") put_on_every_face(of.setup, options.boundary);
    of.setup.threads = omp_get_max_threads();
    of.slabs = equal_slabs(of.setup.grid.nz(), static_cast<int>(parts));
    of.devices = {0};
    const RankPlace& place = sharing.ranks.place();
    if (sharing.name == "GPUs") {
        of.devices.resize(parts);
        std::iota(of.devices.begin(), of.devices.end(), 0);
    } else if (sharing.device.has_own_memory()) {
        of.devices = {place.local_rank % sharing.device.count()};
    }
    of.setup.ordinal = of.devices.front();
    try {
        check_slabs(of.setup, of.slabs);
        check_setup(sharing.device, of.setup);
    } catch (const std::invalid_argument& fault) {
        throw Error(ExitCode::usage, fmt::format("--shape, {} parts: {}", parts, fault.what()));
    }
    sharing.device.resolve(of.setup);
    return of;
}

/// Slabs of the CPU in one process are stepped by all of its threads, one after the other: they are no more processors.
double devices_of(const Sharing& sharing, std::size_t parts) {
    return sharing.name == "slabs" ? 1. : static_cast<double>(parts);
}

/// A line of the table.
struct ScaleRow {
    std::size_t parts = 1;
    double devices = 1.;
    std::array<std::int64_t, 3> nodes{};
    Sample with, without;  ///< seconds of a step, with the exchange and without
    double twin_gpts = 0., efficiency = 1.;

    [[nodiscard]] double gpts() const {
        return 1e-9 * static_cast<double>(nodes[0] * nodes[1] * nodes[2]) / with.median();
    }
    [[nodiscard]] double of_twin() const { return gpts() / (devices * twin_gpts); }
    [[nodiscard]] double exposed_us() const { return 1e6 * (with.median() - without.median()); }
};

/// Gpt/s of the twin of one part, on its device.
double measure_twin(const Sharing& sharing, const ScaleCase& one, int rounds) {
    const Twin twin = twin_of(sharing.device, one.setup);
    const std::vector<double> field = random_field(twin.setup.grid.points());
    Contender contender(sharing.device, twin.setup, field, twin.load);
    std::vector<double> gpts;
    for (int round = 0; round < rounds; ++round) gpts.push_back(contender.measure());
    return Sample(gpts).median();
}

void say(const ScaleRow& row) {
    std::cout << fmt::format(
                     "{:>5} {:>18} {:>9.3f} {:>7.3f} {:>10.3f} {:>8.3f} … {:<8.3f} {:>10.3f} {:>11.1f} {:>7.2f}\n",
                     row.parts, fmt::format("{} x {} x {}", row.nodes[0], row.nodes[1], row.nodes[2]), row.gpts(),
                     row.of_twin(), 1e3 * row.with.median(), 1e3 * row.with.min(), 1e3 * row.with.max(), row.efficiency,
                     row.exposed_us(), 1e-4 * row.exposed_us() / row.with.median())
              << std::flush;
}

std::string csv_of(const std::vector<ScaleRow>& rows) {
    std::string text =
        "parts,nx,ny,nz,gpts,fraction_of_twin,step_s,step_min_s,step_max_s,step_without_exchange_s,efficiency\n";
    for (const ScaleRow& row : rows)
        text += fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", row.parts, row.nodes[0],
                            row.nodes[1], row.nodes[2], row.gpts(), row.of_twin(), row.with.median(), row.with.min(),
                            row.with.max(), row.without.median(), row.efficiency);
    return text;
}

void say_what_is_measured(const ScaleOptions& options, const Sharing& sharing, const ScaleCase& one) {
    std::cout << fmt::format("{}; {}; {} on every face, order {}, {} scaling over {}; median of {} rounds\n",
                             version_line(), describe(sharing.device, one.setup), options.boundary, options.order,
                             options.strong ? "strong" : "weak", sharing.name, options.rounds)
              << fmt::format("{:>5} {:>18} {:>9} {:>7} {:>10} {:^19} {:>10} {:>11} {:>7}\n", sharing.name, "nodes",
                             "Gpt/s", "of twin", "step [ms]", "min … max", "efficiency", "exposed us", "%")
              << std::flush;
}

int bench_scale(const ScaleOptions& options) {
    const Ranks ranks = Ranks::join();
    share_processors(ranks.place().same_processors);
    check_threads(0, "");
    const Device& device = options.backend == "auto" ? *choose_device({}).device : usable_device(options.backend);
    const Sharing sharing = sharing_of(ranks, device);
    const std::vector<std::size_t> numbers = numbers_of(options, sharing);
    check_writable(options.csv, options.force);
    std::vector<ScaleRow> rows;
    for (const std::size_t parts : numbers) {
        const ScaleCase of = case_of(options, sharing, parts);
        std::optional<SubTeam> team;
        if (ranks.team() != nullptr && parts > 1)
            team.emplace(*ranks.team(), 0, static_cast<int>(parts), !options.through_host);
        if (!ranks.is_first()) {
            if (team && static_cast<std::size_t>(ranks.place().rank) < parts)
                for (int i = 0; i < 2; ++i) serve_measurement(device, of, *team);
            continue;
        }
        if (rows.empty()) say_what_is_measured(options, sharing, of);
        Team* const led = team ? &*team : nullptr;
        ScaleRow row{parts,
                     devices_of(sharing, parts),
                     of.setup.grid.n,
                     measure_steps(device, of, options.rounds, true, led),
                     {},
                     0.,
                     1.};
        row.without = parts > 1 ? measure_steps(device, of, options.rounds, false, led) : row.with;
        row.twin_gpts = rows.empty() ? measure_twin(sharing, of, options.rounds) : rows.front().twin_gpts;
        if (!rows.empty()) row.efficiency = row.gpts() / (row.devices * rows.front().gpts());
        rows.push_back(row);
        say(row);
    }
    if (ranks.is_first() && !options.csv.empty()) write_text_file(options.csv, csv_of(rows), options.force);
    return 0;
}

}  // namespace

Command add_bench_scale(CLI::App& bench) {
    CLI::App* command =
        add_command(bench, "scale", "How steps scale over the GPUs, or the processes of a launcher, that share a grid",
                    "onda bench scale --backend cuda --shape 1024 1024 1024\n"
                    "onda bench scale --backend cuda --shape 512 512 512 --strong --csv strong.csv\n"
                    "mpirun -n 4 onda bench scale --backend cpu --shape 256 256 64\n"
                    "onda bench scale --backend cpu --parts 2 3 5     # what cutting costs, on one CPU");
    const auto options = std::make_shared<ScaleOptions>();
    command->add_option("--backend", options->backend, "What computes")->capture_default_str();
    command->add_option("--shape", options->shape, "Nodes along x, y, z: of each part, or with --strong of the whole")
        ->expected(3)
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_flag("--strong", options->strong, "Cut one grid into more and more parts (default: add a part each)");
    command->add_option("--parts", options->parts, "Numbers of parts (default: 1, 2, 4 … and as many as there are)")
        ->check(CLI::Range(1, 1024));
    command->add_flag("--through-host", options->through_host,
                      "Send planes between GPUs of different processes through the host, although there is NCCL");
    command->add_option("--order", options->order, "Space order, even, 2 to 16")
        ->check(CLI::IsMember({2, 4, 6, 8, 10, 12, 14, 16}))
        ->capture_default_str();
    std::vector<std::string> kinds;
    for (const BoundaryKind& kind : boundary_kinds()) kinds.emplace_back(kind.name);
    command->add_option("--boundary", options->boundary, "On every face")
        ->check(CLI::IsMember(kinds))
        ->capture_default_str();
    command->add_option("--rounds", options->rounds, "Rounds of each, 0.2 s or more; the median is reported")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--csv", options->csv, "Also write the table to this file")->type_name("FILE");
    command->add_flag("--force", options->force, "Overwrite the CSV file if it exists");
    return [options] { return bench_scale(*options); };
}

}  // namespace onda
