#include "solver/commands/bench/bench_thesis.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <vector>

#include "io/config/strict_yaml.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/performance/thesis/sweep_measurement.hpp"
#include "solver/performance/thesis/sweep_picture.hpp"
#include "solver/performance/thesis/sweep_report.hpp"
#include "solver/performance/thesis/tile_sweep.hpp"

namespace onda {
namespace {

struct ThesisOptions {
    std::string grid = "512x256x512";
    int order = 8, rounds = 5;
    std::vector<std::int64_t> tx{kThesisTileSizes.begin(), kThesisTileSizes.end()}, tz = tx;
    std::vector<std::string> kernels{"inplane-classic", "inplane-vertical", "inplane-horizontal",
                                     "inplane-full",    "march25d",         "direct"};
    std::string from, device, plot;
    BenchOutput output;
};

Setup thesis_setup(const ThesisOptions& options) {
    const auto nodes = parse_extents(options.grid, 3);
    if (!nodes)
        throw Error(ExitCode::usage,
                    "--grid '" + printable(options.grid) +
                        "': give the nodes along x, y and z, 1 to 1,000,000 each, such as 512x256x512");
    Setup setup;
    setup.grid = {3, {(*nodes)[0], (*nodes)[1], (*nodes)[2]}, {10., 10., 10.}, {}};
    setup.scheme = make_scheme(Equation::star, options.order);
    return setup;
}

/// The tiles that not every strategy could be measured with, and why; empty if there are none.
std::string left_out(const TileSweep& sweep) {
    std::string tiles;
    for (const SweptTile& tile : sweep.tiles)
        if (std::ranges::any_of(tile.seconds, [](const auto& seconds) { return !seconds; }))
            tiles += fmt::format("{}{}x{}", tiles.empty() ? "" : ", ", tile.tx, tile.tz);
    if (tiles.empty()) return "";
    return "\n- stands where a block has more shared memory or threads than this GPU gives: " + tiles + "\n";
}

const Device& this_gpu() {
    try {
        return usable_device("cuda");
    } catch (const Error& fault) {
        throw Error(fault.code(),
                    fault.what() + std::string("\n  --from FILE makes tables and heat map of times that were "
                                               "measured elsewhere; --from k40 has the thesis' own"));
    }
}

/// The numbers in rising order, each once.
std::vector<std::int64_t> distinct(const std::vector<std::int64_t>& numbers) {
    const std::set<std::int64_t> sorted(numbers.begin(), numbers.end());
    return {sorted.begin(), sorted.end()};
}

/// A description of the device that was measured, as it was asked for: absent where the driver's name decides.
using Described = std::optional<DeviceDescription>;

std::string findings(const Described& described, const SweepPair& pair) {
    return sweep_findings(pair, described ? described : description_of(pair.here.device));
}

/// The thesis' tables on this GPU; prints each row as it is done, and writes table and JSON.
SweepPair measure(const ThesisOptions& options, const Described& described) {
    const Device& device = this_gpu();
    const SweepTask task{thesis_setup(options), distinct(options.tx), distinct(options.tz), options.kernels,
                         options.rounds};
    check_writable(options.output);
    BenchReport report = begin_bench_report("thesis", &device);
    ConditionsWatch watch(device);
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n';
    SweepPair pair;
    const auto print = [&pair, &out](const TileSweep& so_far) {
        const std::size_t tiles = so_far.tiles.size();
        if (tiles == 0) pair = beside_thesis(so_far);
        const SweptTile* before = tiles > 1 ? &so_far.tiles[tiles - 2] : nullptr;
        out << (tiles == 0 ? sweep_heading(pair) : sweep_row(pair, so_far.tiles.back(), before)) << std::flush;
    };
    try {
        MeasuredSweep measured = measure_sweep(device, task, print, [&watch] { watch.look(); });
        pair.here = std::move(measured.sweep);
        report.rows = std::move(measured.rows);
    } catch (const std::invalid_argument& fault) {
        throw Error(ExitCode::usage, fault.what());
    }
    out << left_out(pair.here) << findings(described, pair);
    finish_bench(options.output, report, watch.conditions(), csv_of(pair.here));
    return pair;
}

/// A sweep that was measured before, or the thesis' own: the same from its times.
SweepPair read(const ThesisOptions& options, const Described& described) {
    TileSweep sweep = tile_sweep(options.from);
    if (sweep.device.empty()) sweep.device = shown(options.from);
    std::erase_if(sweep.tiles, [&options](const SweptTile& tile) {
        return std::ranges::count(options.tx, tile.tx) == 0 || std::ranges::count(options.tz, tile.tz) == 0;
    });
    if (sweep.tiles.empty())
        throw Error(ExitCode::usage, shown(options.from) + " has none of the tiles that --tx and --tz leave");
    SweepPair pair = beside_thesis(std::move(sweep));
    std::cout << sweep_heading(pair);
    const SweptTile* before = nullptr;
    for (const SweptTile& tile : pair.here.tiles) {
        std::cout << sweep_row(pair, tile, before);
        before = &tile;
    }
    std::cout << findings(described, pair);
    if (!options.output.csv.empty()) write_text_file(options.output.csv, csv_of(pair.here), options.output.force);
    return pair;
}

int bench_thesis(const ThesisOptions& options) {
    check_writable(options.plot, options.output.force);
    const Described described =
        options.device.empty() ? std::nullopt : std::optional(device_description(options.device));
    const SweepPair pair = options.from.empty() ? measure(options, described) : read(options, described);
    if (!options.plot.empty()) write_sweep_picture(options.plot, pair, options.output.force);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

Command add_bench_thesis(CLI::App& bench) {
    CLI::App* command =
        add_command(bench, "thesis", "The thesis' tables 4 to 9 on this GPU, beside what it measured on a Tesla K40",
                    "onda bench thesis --csv sweep.csv --plot heat.png\n"
                    "onda bench thesis --tz 8                               # table 7 alone\n"
                    "onda bench thesis --from k40 --plot k40.png            # the thesis' own times\n"
                    "onda bench thesis --from sweep.csv --plot heat.pdf     # of times measured before");
    const auto options = std::make_shared<ThesisOptions>();
    const std::set<std::int64_t> sizes(kThesisTileSizes.begin(), kThesisTileSizes.end());
    command->add_option("--grid", options->grid, "Nodes along x, y and z")->capture_default_str();
    command->add_option("--order", options->order, "Order in space, even, 2 to 16")
        ->check(CLI::IsMember({2, 4, 6, 8, 10, 12, 14, 16}))
        ->capture_default_str();
    command->add_option("--tx", options->tx, "Threads along the thesis' x, the slowest axis (default: all)")
        ->check(CLI::IsMember(sizes));
    command->add_option("--tz", options->tz, "Threads along the thesis' z, the fastest axis (default: all)")
        ->check(CLI::IsMember(sizes));
    command->add_option("--kernel", options->kernels, "Product kernels beside those of the thesis")
        ->capture_default_str();
    command->add_option("--rounds", options->rounds, "Rounds of each, 10 ms or more; the median is reported")
        ->check(CLI::Range(kFewestSweepRounds, 1'000'000))
        ->capture_default_str();
    std::string names;
    for (const std::string& name : known_tile_sweeps()) names += (names.empty() ? "" : ", ") + name;
    CLI::Option* from =
        command
            ->add_option("--from", options->from,
                         "Measure nothing: a CSV that this command wrote, or one that comes with Onda: " + names)
            ->type_name("FILE");
    for (const char* other : {"--grid", "--order", "--kernel", "--rounds"}) from->excludes(command->get_option(other));
    command->add_option("--device", options->device,
                        "Description of the GPU that was measured, as in `onda predict` (default: by its name)");
    command
        ->add_option("--plot", options->plot,
                     "Also draw a heat map: PNG, or PDF or SVG if the name ends with .pdf or .svg")
        ->type_name("FILE");
    add_bench_output(*command, options->output);
    from->excludes(command->get_option("--json"));
    return [options] { return bench_thesis(*options); };
}

}  // namespace onda
