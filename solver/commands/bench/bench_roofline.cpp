#include "solver/commands/bench/bench_roofline.hpp"

#include <memory>

#include "io/pictures/drawing.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/roofline.hpp"

namespace onda {
namespace {

struct RooflineOptions {
    std::string report, picture;
    bool force = false;
};

int bench_roofline(const RooflineOptions& options) {
    check_extension(options.picture, "--output", "pictures", picture_extensions());
    const BenchReport report = read_bench_report(options.report);
    try {
        write_picture(options.picture, roofline_picture(report), options.force);
    } catch (const Error& fault) {
        if (fault.code() != ExitCode::bad_data) throw;
        throw Error(fault.code(), shown(options.report) + ": " + fault.what());
    }
    return 0;
}

}  // namespace

Command add_bench_roofline(CLI::App& bench) {
    CLI::App* command =
        add_command(bench, "roofline", "Draw the kernels of a benchmark beneath the roofs of memory and arithmetic",
                    "onda bench roofline bench.json -o roofline.png\n"
                    "onda bench roofline bench.json -o roofline.pdf --force");
    const auto options = std::make_shared<RooflineOptions>();
    command->add_option("REPORT", options->report, "What `onda bench cpu|gpu --json` wrote")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("-o,--output", options->picture,
                     "The picture: PNG, or PDF or SVG if the name ends with .pdf or .svg")
        ->required()
        ->type_name("FILE");
    command->add_flag("--force", options->force, "Overwrite the picture if it exists");
    return [options] { return bench_roofline(*options); };
}

}  // namespace onda
